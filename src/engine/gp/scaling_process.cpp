#include "gp/scaling_process.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/statistics.hpp"
#include "base/text.hpp"
#include "gp/likelihood.hpp"

namespace perfmodel::gp {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A value of a hyper-parameter with its prior probability.
struct Level {
  double value;
  double probability;
};

// Learnt by maximum marginal likelihood from public tables and short series of run times;
// tests/benchmarks/scaling_prior.py learns such figures from others.
constexpr std::array<Level, 3> kSlopes{{{.15, .39}, {.4, .44}, {1., .17}}};
constexpr std::array<Level, 3> kDrifts{{{.01, .20}, {.06, .76}, {.3, .04}}};
constexpr std::array<Level, 3> kLevels{{{.1, .06}, {.4, .55}, {1.2, .39}}};
constexpr std::array<Level, 4> kTogether{{{.03, .39}, {.12, .24}, {.4, .31}, {1., .06}}};
constexpr std::array<Level, 4> kNoises{{{.005, .43}, {.02, .28}, {.07, .20}, {.2, .09}}};

constexpr double kLevelVariance = 4;     ///< of ln t of the central run about the median
constexpr double kSlopeVariance = 0.01;  ///< of slopes that differ
constexpr double kLeastNoise = 1e-9;     ///< variance, for equal runs

/// Rows by whose evidence the settings are weighed, and how many settings are kept: of more runs
/// fewer, since each costs the square of their number, and one or two have most of the weight.
constexpr Index kRowsOfEvidence = 60;
constexpr std::size_t kMostSettings = 60;
constexpr std::size_t kFewestSettings = 12;
constexpr std::size_t kRowsOfMostSettings = 32;
std::size_t most_settings(std::size_t rows) {
  return std::clamp(kMostSettings * kRowsOfMostSettings / rows, kFewestSettings, kMostSettings);
}

constexpr Index kAskedTogether = 8;  ///< whose deviations are computed together

constexpr double kLeastWeight = 0.003;  ///< of the weight of the best setting

/// What no column shows has one value.
template <std::size_t count>
std::vector<Level> levels_of(const std::array<Level, count>& levels, bool matters) {
  return matters ? std::vector<Level>(levels.begin(), levels.end())
                 : std::vector<Level>{{levels[count / 2].value, 1}};
}

std::vector<ScalingSetting> all_settings(bool has_numbers, bool has_levels) {
  std::vector<ScalingSetting> out;
  for (const Level& slope : levels_of(kSlopes, has_numbers))
    for (const Level& drift : levels_of(kDrifts, has_numbers))
      for (const Level& level : levels_of(kLevels, has_levels))
        for (const Level& together : kTogether)
          for (const Level& noise : kNoises) {
            const double prior = slope.probability * drift.probability * level.probability *
                                 together.probability * noise.probability;
            out.push_back(
                {slope.value, drift.value, level.value, together.value, noise.value, prior, prior});
          }
  return out;
}

/// The parts of the covariance that a setting adds up.
constexpr Index kParts = 6;
using PartVariances = Eigen::Matrix<double, kParts, 1>;
using Parts = Eigen::Matrix<double, Eigen::Dynamic, kParts>;

PartVariances variances_of(const ScalingSetting& setting) {
  return {kLevelVariance,
          setting.slope,
          setting.drift,
          setting.level * setting.level,
          setting.together * setting.together,
          kSlopeVariance};
}

double noise_of(const ScalingSetting& setting) {
  return setting.noise * setting.noise + kLeastNoise;
}

/// Covariance of integrated Wiener processes that start at 0, to both sides, with that at y.
ArrayXd integrated_wiener(const ArrayXd& x, double y) {
  const ArrayXd less = x.abs().min(std::abs(y));
  const ArrayXd more = x.abs().max(std::abs(y));
  return ((x < 0) == (y < 0)).select(less * less * (3 * more - less) / 6, 0);
}

/// Parts of the covariance of a row with each of the known ones.
Parts parts_of(const Inputs& known, const auto& numbers, const auto& levels) {
  ArrayXd slopes = ArrayXd::Zero(known.rows());
  ArrayXd squares = slopes;
  ArrayXd drift = slopes;
  ArrayXd distance = slopes;
  ArrayXd same_levels = slopes;
  ArrayXd together = ArrayXd::Ones(known.rows());
  for (Index j = 0; j < known.numbers.cols(); ++j) {
    const ArrayXd x = known.numbers.col(j).array();
    const double y = numbers[j];
    slopes += x * y;
    squares += x * y * x * y;
    drift += integrated_wiener(x, y);
    distance += (x - y).abs();
  }
  for (Index c = 0; c < known.levels.cols(); ++c) {
    const ArrayXd same = (known.levels.col(c).array() == levels[c]).template cast<double>();
    same_levels += same;
    together *= 0.5 + 0.5 * same;
  }
  // One by one: vectorised exponentials round the last elements differently.
  together *= (-distance / 2).unaryExpr([](double x) { return std::exp(x); });
  // Every pair of numbers counts a half, every pair of a number and a text once.
  const ArrayXd pairs = (slopes * slopes - squares) / 4 + slopes * same_levels;
  Parts out(known.rows(), kParts);
  out << ArrayXd::Ones(known.rows()), slopes, drift, same_levels, together, pairs;
  return out;
}

/// Parts of the variance of a row.
PartVariances own_parts(const auto& numbers, Index columns_of_levels) {
  double slopes = 0;
  double squares = 0;
  double drift = 0;
  for (const double x : numbers) {
    slopes += x * x;
    squares += x * x * x * x;
    drift += std::abs(x * x * x) / 3;  // of an integrated Wiener process with itself
  }
  const auto same = static_cast<double>(columns_of_levels);
  return {1, slopes, drift, same, 1, (slopes * slopes - squares) / 4 + slopes * same};
}

/// The parts of the covariance among rows: a column per part, row by row.
std::vector<Parts> parts_among(const Inputs& rows) {
  std::vector<Parts> out;
  for (Index row = 0; row < rows.rows(); ++row)
    out.push_back(parts_of(rows, rows.numbers.row(row), rows.levels.row(row)));
  return out;
}

/// `counts`: runs per row, over which the noise is averaged.
MatrixXd covariance(const std::vector<Parts>& parts, const ScalingSetting& setting,
                    const VectorXd& counts) {
  const PartVariances variances = variances_of(setting);
  MatrixXd out(index(parts.size()), index(parts.size()));
  for (Index row = 0; row < out.rows(); ++row)
    out.col(row) = parts[static_cast<std::size_t>(row)] * variances;
  out.diagonal().array() += noise_of(setting) / counts.head(out.rows()).array();
  return out;
}

PositiveMatrix factorised(const std::vector<Parts>& parts, const ScalingSetting& setting,
                          const VectorXd& counts) {
  auto out = PositiveMatrix::factorised(covariance(parts, setting, counts));
  if (!out)
    throw std::logic_error("the covariance of a scaling process is not positive definite");
  return *std::move(out);
}

/// ln of the density of the repeats about their configurations, without what all settings share.
double log_density_of_repeats(const VectorXd& counts, const VectorXd& deviations, double noise) {
  const Eigen::ArrayXd further = counts.array() - 1;
  return -(further.sum() * std::log(noise) +
           (further * deviations.array().square()).sum() / noise) /
         2;
}

Inputs first_rows(const Inputs& rows, Index count) {
  return {rows.numbers.topRows(count), rows.levels.topRows(count)};
}

}  // namespace

ScalingProcess::ScalingProcess(const Inputs& known, const VectorXd& log_times)
    : ScalingProcess(
          {known, log_times, VectorXd::Ones(log_times.size()), VectorXd::Zero(log_times.size())}) {}

ScalingProcess::ScalingProcess(const KnownRuns& runs) : ScalingProcess(runs, {}) {
  weigh(all_settings(known_.numbers.cols() > 0, known_.levels.cols() > 0));
  condition();
}

ScalingProcess::ScalingProcess(const KnownRuns& runs, std::vector<ScalingSetting> settings)
    : centre_(runs.inputs.numbers.cols()),
      known_(runs.inputs),
      level_(sample_median(runs.log_times)),
      left_((runs.log_times.array() - level_).unaryExpr(&on_grid)),
      counts_(runs.counts),
      deviations_(runs.deviations),
      settings_(std::move(settings)) {
  for (Index j = 0; j < known_.numbers.cols(); ++j) {
    centre_[j] = sample_median(known_.numbers.col(j));
    known_.numbers.col(j) = (known_.numbers.col(j).array() - centre_[j]).unaryExpr(&on_grid);
  }
  condition();
}

ScalingProcess ScalingProcess::given(const KnownRuns& runs) const {
  ScalingProcess out(runs, {});
  out.weigh(settings_);
  out.condition();
  return out;
}

std::vector<double> ScalingProcess::variances(const ScalingSetting& setting) {
  const PartVariances parts = variances_of(setting);
  std::vector<double> out(parts.begin(), parts.end());
  out.push_back(noise_of(setting));
  return out;
}

void ScalingProcess::weigh(std::vector<ScalingSetting> settings) {
  const Index count = std::min(left_.size(), kRowsOfEvidence);
  const std::vector<Parts> parts = parts_among(first_rows(known_, count));
  VectorXd evidence(index(settings.size()));
  for (std::size_t s = 0; s < settings.size(); ++s) {
    const PositiveMatrix among = factorised(parts, settings[s], counts_);
    evidence[index(s)] =
        std::log(settings[s].prior) -
        (among.whitened(left_.head(count)).squaredNorm() + among.log_determinant()) / 2 +
        log_density_of_repeats(counts_, deviations_, noise_of(settings[s]));
  }
  const double best = evidence.maxCoeff();
  for (std::size_t s = 0; s < settings.size(); ++s)
    settings[s].weight = std::exp(evidence[index(s)] - best);
  std::stable_sort(settings.begin(), settings.end(),
                   [](const auto& a, const auto& b) { return a.weight > b.weight; });
  settings.resize(std::min(settings.size(), most_settings(static_cast<std::size_t>(left_.size()))));
  std::erase_if(settings, [](const ScalingSetting& each) { return each.weight < kLeastWeight; });
  double sum = 0;
  for (const ScalingSetting& setting : settings)
    sum += setting.weight;
  for (ScalingSetting& setting : settings)
    setting.weight /= sum;
  settings_ = std::move(settings);
}

void ScalingProcess::condition() {
  if (settings_.empty())
    return;
  const std::vector<Parts> parts = parts_among(known_);
  conditioned_.clear();
  for (const ScalingSetting& setting : settings_) {
    PositiveMatrix among = factorised(parts, setting, counts_);
    VectorXd weights = among.solve(left_);
    conditioned_.push_back({std::move(among), std::move(weights)});
  }
}

/// A row that is asked for: parts of its covariance with each known run, and of its variance.
struct ScalingProcess::Asked {
  Parts shared;
  PartVariances own;
};

/// Averaged over the settings, of at most kAskedTogether rows. `noises`: how many runs' noise there
/// is.
LogTimes ScalingProcess::average(const std::vector<Asked>& rows, double noises) const {
  LogTimes out{VectorXd::Zero(index(rows.size())), VectorXd(index(rows.size()))};
  VectorXd squares = VectorXd::Zero(index(rows.size()));  // of mean and deviation
  for (std::size_t s = 0; s < settings_.size(); ++s) {
    const PartVariances variances = variances_of(settings_[s]);
    // A whole block, since a product of fewer columns rounds differently.
    MatrixXd shared = MatrixXd::Zero(known_.rows(), kAskedTogether);
    for (std::size_t i = 0; i < rows.size(); ++i)
      shared.col(index(i)) = rows[i].shared * variances;
    const VectorXd known = conditioned_[s].covariance.whitened(shared).colwise().squaredNorm();
    for (Index i = 0; i < out.mean.size(); ++i) {
      const double expected = VectorXd(shared.col(i)).dot(conditioned_[s].weights);
      const double variance =
          std::max(variances.dot(rows[static_cast<std::size_t>(i)].own) - known[i], 0.0) +
          noises * noise_of(settings_[s]);
      out.mean[i] += settings_[s].weight * expected;
      squares[i] += settings_[s].weight * (variance + expected * expected);
    }
  }
  out.deviation = (squares.array() - out.mean.array().square()).max(kLeastNoise).sqrt();
  return out;
}

LogTimes ScalingProcess::averages(Index rows, double noises,
                                  const std::function<Asked(Index)>& asked) const {
  LogTimes out{VectorXd(rows), VectorXd(rows)};
  for (Index first = 0; first < rows; first += kAskedTogether) {
    std::vector<Asked> block;
    for (Index row = first; row < std::min(first + kAskedTogether, rows); ++row)
      block.push_back(asked(row));
    const LogTimes own = average(block, noises);
    out.mean.segment(first, own.mean.size()) = own.mean;
    out.deviation.segment(first, own.mean.size()) = own.deviation;
  }
  return out;
}

/// The mean alone.
double ScalingProcess::average(const Eigen::Ref<const MatrixXd>& parts) const {
  double mean = 0;
  for (std::size_t s = 0; s < settings_.size(); ++s) {
    const VectorXd shared = parts * variances_of(settings_[s]);
    mean += settings_[s].weight * shared.dot(conditioned_[s].weights);
  }
  return mean;
}

Inputs ScalingProcess::centred(const Inputs& at) const {
  Inputs out = at;
  out.numbers = (at.numbers.rowwise() - centre_.transpose()).unaryExpr(&on_grid);
  return out;
}

LogTimes ScalingProcess::operator()(const Inputs& at) const {
  const Inputs rows = centred(at);
  LogTimes out = averages(at.rows(), 1, [&](Index row) -> Asked {
    return {parts_of(known_, rows.numbers.row(row), rows.levels.row(row)),
            own_parts(rows.numbers.row(row), rows.levels.cols())};
  });
  out.mean.array() += level_;
  return out;
}

VectorXd ScalingProcess::means(const Inputs& at) const {
  VectorXd out(at.rows());
  const Inputs rows = centred(at);
  for (Index row = 0; row < at.rows(); ++row)
    out[row] = average(parts_of(known_, rows.numbers.row(row), rows.levels.row(row))) + level_;
  return out;
}

LogTimes ScalingProcess::log_ratios(const Inputs& from, const Inputs& to) const {
  const Inputs before = centred(from);
  const Inputs after = centred(to);
  return averages(to.rows(), 0, [&](Index row) -> Asked {
    const auto numbers = after.numbers.row(row);
    const auto levels = after.levels.row(row);
    const Inputs other{before.numbers.row(row), before.levels.row(row)};
    return {parts_of(known_, numbers, levels) -
                parts_of(known_, other.numbers.row(0), other.levels.row(0)),
            own_parts(numbers, levels.cols()) + own_parts(other.numbers.row(0), levels.cols()) -
                2 * parts_of(other, numbers, levels).row(0).transpose()};
  });
}

}  // namespace perfmodel::gp
