#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "fit/fit_with_process.hpp"
#include "fit/sensitivity.hpp"
#include "fit/sum_finish.hpp"
#include "forms/form.hpp"
#include "forms/process_form.hpp"
#include "forms/sum_form.hpp"
#include "perfmodel/error.hpp"

namespace perfmodel {

/// The constants that only their ratios matter of: of each term the factors of a column's levels,
/// and those of a regime. None of Eq. (4). Levels as they are shown.
std::vector<std::vector<Eigen::Index>> factor_groups(const std::vector<ConstantInfo>& constants,
                                                     const ModelSpec& spec);

namespace {

constexpr std::size_t kFactorsOfStep = 2;  // up to a threshold, and above it

}  // namespace

/// Factors stand term by term: levels column by column, then steps.
std::vector<std::vector<Eigen::Index>> factor_groups(const std::vector<ConstantInfo>& constants,
                                                     const ModelSpec& spec) {
  std::vector<std::vector<Eigen::Index>> out;
  std::size_t column = 0;
  for (std::size_t k = 0; k < constants.size();) {
    const ConstantInfo& constant = constants[k];
    const bool is_step = constant.role == ConstantRole::step;
    if (!is_step &&
        (constant.role != ConstantRole::level || constant.range != ConstantRange::factor)) {
      ++k;
      continue;
    }
    const CategoricalInput* const input =
        is_step ? nullptr : &spec.categorical[column++ % spec.categorical.size()];
    const std::size_t count = is_step ? kFactorsOfStep : input->levels.size();
    out.emplace_back();
    for (std::size_t place = 0; place < count; ++place)
      out.back().push_back(index(k + (is_step ? place : input->shown_level(place))));
    k += count;
  }
  return out;
}

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Of a factor, beside a power over one standard deviation of its column's logarithm.
const double kFactorScale = std::sqrt(0.5);

/// Where the logarithms of a column lie.
struct LogPlace {
  double middle = 0;
  double spread = 1;
};

LogPlace trend_place_of(const NumericInput& input, const NumericFactor& factor, std::size_t rows) {
  VectorXd logs(index(rows));
  for (std::size_t row = 0; row < rows; ++row)
    logs[index(row)] = std::log(input.counted(factor.value(row)));
  LogPlace out;
  out.middle = logs.mean();
  const double spread = std::sqrt((logs.array() - out.middle).square().mean());
  if (spread > 1e-12 * (1 + std::abs(out.middle)))
    out.spread = spread;
  return out;
}

std::map<std::string, LogPlace> places_of(const ModelSpec& spec, const Design& runs) {
  std::map<std::string, LogPlace> out;
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    out[spec.intrinsic[i].column] = trend_place_of(spec.intrinsic[i], runs.intrinsic[i], runs.rows);
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    out[spec.extrinsic[j].column] = trend_place_of(spec.extrinsic[j], runs.extrinsic[j], runs.rows);
  return out;
}

bool is_power(const ConstantInfo& constant) {
  return constant.range == ConstantRange::any;
}

/// Whether a constant is a time, or a factor of one.
bool carries_time(const ConstantInfo& constant) {
  return constant.role == ConstantRole::coefficient ||
         constant.range == ConstantRange::not_negative;
}

/// A power, and what goes with it.
struct Power {
  Index constant = 0;
  double middle = 0;                ///< of the logarithms of its column
  std::vector<Index> coefficients;  ///< that it is a factor of
};

/// The coefficients of its own group; where it has none, such as q of Eq. (4), those of all.
std::vector<Index> coefficients_of(const ConstantInfo& power,
                                   const std::vector<ConstantInfo>& constants) {
  std::vector<Index> own;
  std::vector<Index> all;
  for (std::size_t k = 0; k < constants.size(); ++k) {
    const ConstantInfo& constant = constants[k];
    if (!carries_time(constant) || constant.role == ConstantRole::intercept)
      continue;
    all.push_back(index(k));
    if (constant.group == power.group)
      own.push_back(index(k));
  }
  return own.empty() ? all : own;
}

/// Factors of a column, relative to the first that is not 0, and the coefficient beside them.
struct FactorGroup {
  std::vector<Index> factors;
  Index coefficient = 0;
};

std::vector<FactorGroup> factors_of(const std::vector<ConstantInfo>& constants,
                                    const ModelSpec& spec) {
  std::vector<FactorGroup> out;
  for (std::vector<Index>& group : factor_groups(constants, spec)) {
    const std::size_t term = constants[static_cast<std::size_t>(group.front())].group;
    for (std::size_t k = 0; k < constants.size(); ++k)
      if (constants[k].group == term && constants[k].role == ConstantRole::coefficient)
        out.push_back({group, index(k)});
  }
  return out;
}

/// Powers that a sum was left simpler by, and factors of inputs that play no part: the process must
/// not make them what they were.
std::vector<Index> settled(const Form& form, const std::vector<ConstantInfo>& constants,
                           const std::vector<FactorGroup>& factors, const VectorXd& values) {
  std::vector<Index> out;
  if (dynamic_cast<const SumForm*>(&form) == nullptr)
    return out;
  for (std::size_t k = 0; k < constants.size(); ++k)
    if (is_power(constants[k]) && is_plain_power(values[index(k)]))
      out.push_back(index(k));
  for (const FactorGroup& group : factors)
    if (std::all_of(group.factors.begin(), group.factors.end(),
                    [&](Index k) { return values[k] == 1; }))
      out.insert(out.end(), group.factors.begin(), group.factors.end());
  return out;
}

double first_above_zero(const VectorXd& constants, const std::vector<Index>& factors) {
  for (const Index k : factors)
    if (constants[k] > 0)
      return constants[k];
  return 1;
}

std::vector<std::size_t> column_positions(std::span<const Index> rows) {
  return {rows.begin(), rows.end()};
}

}  // namespace

TrendOfForm trend_around(const std::shared_ptr<const Form>& form, const ModelSpec& spec,
                         const VectorXd& constants, const Design& runs) {
  const std::vector<ConstantInfo> infos = form->constants(spec);
  const std::map<std::string, LogPlace> places = places_of(spec, runs);
  const std::vector<FactorGroup> factors = factors_of(infos, spec);
  const std::vector<Index> still = settled(*form, infos, factors, constants);
  std::vector<Power> powers;
  TrendOfForm out{.form = form, .trend = {}, .constants = {}};
  out.trend.start = VectorXd::Zero(constants.size());
  out.trend.scales = VectorXd::Constant(constants.size(), kFactorScale);
  for (std::size_t k = 0; k < infos.size(); ++k) {
    if (is_power(infos[k])) {
      const LogPlace& place = places.at(infos[k].column);
      out.trend.scales[index(k)] = 1 / place.spread;
      powers.push_back({index(k), place.middle, coefficients_of(infos[k], infos)});
    }
    out.trend.groups.push_back(is_power(infos[k]) ? 1 : 0);
  }
  out.trend.group_count = powers.empty() ? 1 : 2;

  out.constants = [=](const VectorXd& estimates, double level) {
    VectorXd logs = estimates;
    for (const Power& power : powers)
      for (const Index k : power.coefficients)
        logs[k] -= power.middle * estimates[power.constant];
    VectorXd moved = constants;
    for (std::size_t k = 0; k < infos.size(); ++k) {
      const Index i = index(k);
      if (is_power(infos[k]))
        moved[i] += estimates[i];
      else
        moved[i] *= std::exp(logs[i] + (carries_time(infos[k]) ? level : 0));
    }
    for (const FactorGroup& group : factors) {
      const double first = first_above_zero(moved, group.factors);
      for (const Index k : group.factors)
        moved[k] /= first;
      moved[group.coefficient] *= first;
    }
    form->keep_in_bounds(spec, moved);
    return moved;
  };
  out.trend.at = [=, of = out.constants](const VectorXd& estimates, std::span<const Index> rows) {
    const Design some = take_rows(runs, column_positions(rows));
    const VectorXd at = of(estimates, 0);
    process::TrendValues values;
    values.values = form->predict(spec, at, some).array().log();
    values.slopes = form->log_slopes(spec, at, some);
    for (const Power& power : powers) {
      for (const Index k : power.coefficients)
        values.slopes.col(power.constant) -= power.middle * values.slopes.col(k);
    }
    for (const Index k : still)
      values.slopes.col(k).setZero();
    return values;
  };
  return out;
}

TrendOfForm product_trend_of(const ModelSpec& spec, const ProcessColumns& columns,
                             const process::Inputs& inputs,
                             std::vector<process::Coordinate> coordinates,
                             const std::vector<Cap>& caps) {
  MultiStructure structure;
  structure.log_powers = {std::vector<int>(spec.extrinsic.size(), 0)};
  std::vector<std::size_t> rings;
  for (std::size_t j = 0; j < coordinates.size(); ++j) {
    const std::size_t numeric = j < columns.intrinsic.size()
                                    ? spec.extrinsic.size() + columns.intrinsic[j]
                                    : columns.extrinsic[j - columns.intrinsic.size()];
    if (coordinates[j].form == process::CoordinateForm::ring)
      rings.push_back(numeric);
    coordinates[j].most = std::numeric_limits<double>::infinity();
    for (const Cap& cap : caps)
      if (cap.numeric == numeric)
        coordinates[j].most = cap.at;
  }
  if (!rings.empty())
    structure.rings = {rings};
  if (!caps.empty())
    structure.caps = {caps};
  const MultiLayout layout(spec, structure);
  const std::vector<Index> counts = process::level_counts(inputs);
  TrendOfForm out{
      .form = std::make_shared<SumForm>(
          structure, SumEstimates{.parted = {}, .sums = {{.ridge = 0, .intercept = false}}}),
      .trend = process::product_trend(process::placed(inputs, coordinates)),
      .constants = {}};
  out.constants = [=, places = std::move(coordinates), categorical = spec.categorical](
                      const VectorXd& estimates, double level) {
    const std::size_t intrinsic = columns.intrinsic.size();
    VectorXd constants = VectorXd::Zero(index(layout.size()));
    double log_coefficient = level;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const double power = estimates[index(i)] / places[i].scale;
      log_coefficient -= power * places[i].centre;
      constants[index(i < intrinsic
                          ? layout.intrinsic_power(0, columns.intrinsic[i])
                          : layout.extrinsic_power(0, columns.extrinsic[i - intrinsic]))] = power;
    }
    Index first = index(places.size());
    for (std::size_t c = 0; c < counts.size(); ++c) {
      const std::size_t column = columns.categorical[c];
      const std::size_t levels = categorical[column].levels.size();
      const auto log_factor = [&](std::size_t l) {  // levels that no run has are like the average
        return index(l) < counts[c] ? estimates[first + index(l)] : 0.0;
      };
      const double of_first = log_factor(categorical[column].shown_level(0));
      log_coefficient += of_first;
      for (std::size_t l = 0; l < levels; ++l)
        constants[index(layout.level(0, column, l))] = std::exp(log_factor(l) - of_first);
      first += counts[c];
    }
    constants[index(layout.coefficient(0))] = std::exp(log_coefficient);
    return constants;
  };
  return out;
}

namespace {

constexpr double kPowerStep = 1e-5;

/// Factors of a term are relative to the first that is not 0: that one cannot move.
std::vector<Standing> standings_of(const FittedModel& model,
                                   const std::vector<ConstantInfo>& constants) {
  std::vector<Standing> out(constants.size(), Standing::free);
  for (std::size_t k = 0; k < constants.size(); ++k)
    if (constants[k].range != ConstantRange::any && model.constants[index(k)] == 0)
      out[k] = Standing::at_zero;
  for (const std::vector<Index>& group : factor_groups(constants, model.spec)) {
    for (const Index k : group) {
      Standing& standing = out[static_cast<std::size_t>(k)];
      if (standing == Standing::free) {
        standing = Standing::fixed;
        break;
      }
    }
  }
  return out;
}

class ProcessJudge {
 public:
  ProcessJudge(const FittedModel& model, const Form& trend, const Design& training,
               const process::Whitening& whitening)
      : model_(model),
        constants_(trend.constants(model.spec)),
        standings_(standings_of(model, constants_)),
        slopes_(trend.log_slopes(
            model.spec, model.constants,
            take_rows(training,
                      std::vector<std::size_t>(whitening.rows.begin(), whitening.rows.end())))),
        sensitivity_(equations(whitening)) {}

  double half_width(std::size_t k) const {
    switch (sensitivity_.standings()[k]) {
      case Standing::free:
        return half_width(VectorXd::Unit(slopes_.cols(), index(k)));
      case Standing::fixed:
      case Standing::at_zero:
        return 0;
      default:
        return std::numeric_limits<double>::infinity();
    }
  }

  bool is_identified(std::size_t k) const { return half_width(k) <= widest(k); }

  bool is_difference_identified(const ConstantDifference& difference) const {
    const double value = model_.constants[index(difference.constant)];
    const double first = model_.constants[index(difference.first)];
    VectorXd gradient = VectorXd::Zero(slopes_.cols());
    gradient[index(difference.constant)] += value;
    gradient[index(difference.first)] -= first;
    return half_width(gradient) <= std::max(kWidestShareOfValue * std::abs(value - first),
                                            kWidestShareOfTime * unit(difference.constant));
  }

  /// Of the power that scaling_powers() reports.
  bool is_scaling_power_identified(std::size_t extrinsic) const {
    VectorXd gradient = VectorXd::Zero(slopes_.cols());
    for (std::size_t k = 0; k < constants_.size(); ++k) {
      if (standings_[k] == Standing::free) {
        gradient[index(k)] =
            (power_after(k, kPowerStep, extrinsic) - power_after(k, -kPowerStep, extrinsic)) /
            (2 * kPowerStep);
      }
    }
    return half_width(gradient) <= kWidestPower;
  }

  const std::vector<ConstantInfo>& constants() const { return constants_; }

 private:
  const FittedModel& model_;
  std::vector<ConstantInfo> constants_;
  std::vector<Standing> standings_;
  MatrixXd slopes_;
  Sensitivity sensitivity_;

  NormalEquations equations(const process::Whitening& whitening) const {
    MatrixXd whitened = whitening.factors.whitened(slopes_);
    NormalEquations out;
    out.rows = whitening.rows.size();
    out.standings = standings_;
    out.norms = whitened.colwise().norm();
    for (std::size_t k = 0; k < standings_.size(); ++k) {
      double& norm = out.norms[index(k)];
      if (norm == 0 && standings_[k] == Standing::free)
        out.standings[k] = Standing::untrained;
      out.left_out.push_back(out.standings[k] != Standing::free);
      norm = out.left_out.back() ? 1 : norm;
    }
    whitened *= out.norms.cwiseInverse().asDiagonal();
    out.normal = whitened.transpose() * whitened;
    out.scores = out.normal;  // the covariance of the runs is known: no sandwich
    return out;
  }

  double half_width(const VectorXd& gradient) const {
    if (gradient.isZero(0))
      return 0;
    return sensitivity_.is_estimable(gradient)
               ? kNormalQuantile * sensitivity_.standard_error(gradient)
               : std::numeric_limits<double>::infinity();
  }

  /// What the constant would be if its part were all of the time, on average.
  double unit(std::size_t k) const {
    const double value = model_.constants[index(k)];
    const auto shares = slopes_.col(index(k)).array();
    const auto present = static_cast<double>((shares != 0).count());
    const double share = present > 0 ? shares.sum() / present : 0;
    return share > 0 ? value / share : std::abs(value);
  }

  /// Of the logarithm of a constant, of a power itself.
  double widest(std::size_t k) const {
    static_assert(kWidestShareOfValue == kWidestPower);
    const ConstantRole role = constants_[k].role;
    const double value = std::abs(model_.constants[index(k)]);
    if (constants_[k].range != ConstantRange::not_negative || role == ConstantRole::coefficient ||
        value == 0)
      return kWidestPower;
    return std::max(kWidestShareOfValue, kWidestShareOfTime * unit(k) / value);
  }

  double power_after(std::size_t k, double step, std::size_t extrinsic) const {
    FittedModel moved = model_;
    double& value = moved.constants[index(k)];
    value = constants_[k].range == ConstantRange::any ? value + step : value * std::exp(step);
    return scaling_powers(moved)[extrinsic];
  }
};

}  // namespace

Identifiability identify_beside_process(const FittedModel& model, const Form& trend,
                                        const Design& training,
                                        const process::Whitening& whitening) {
  const ProcessJudge judge(model, trend, training, whitening);
  Identifiability out;
  for (std::size_t k = 0; k < judge.constants().size(); ++k)
    out.constants.push_back(judge.is_identified(k));
  out.at_bound.resize(out.constants.size(), false);
  for (const ConstantDifference& difference : trend.differences(model.spec))
    out.differences.push_back(difference.constant == difference.first ||
                              judge.is_difference_identified(difference));
  for (std::size_t j = 0; j < model.spec.extrinsic.size(); ++j)
    out.scaling_powers.push_back(judge.is_scaling_power_identified(j));
  return out;
}

namespace {

/// Trend and process for other runs, by the same hyper-parameters.
class ProcessRefit final : public Refit {
 public:
  ProcessRefit(const FittedModel& model, std::shared_ptr<const Form> trend, ProcessColumns columns,
               const ProcessPrior& prior, const KnownProcess& known, const Design& training,
               const FitOptions& options)
      : trend_(model),
        columns_(std::move(columns)),
        prior_(prior),
        hyper_{.coordinates = known.process.coordinates,
               .kernel = known.process.kernel,
               .group_deviations = prior.group_deviations,
               .level_deviation = prior.level_deviation,
               .heavy_tails = prior.heavy_tails,
               .position = {}} {
    how_.seed = options.seed;
    how_.stop = options.stop;
    trend_.form = std::move(trend);
    if (!prior_.from_nothing)
      refit_trend_ = trend_.form->refit(trend_, training, options);
  }

  Refitted operator()(const Design& runs) const override {
    const process::Inputs inputs = columns_.inputs(runs);
    const TrendOfForm trend =
        refit_trend_ ? trend_around(trend_.form, trend_.spec, (*refit_trend_)(runs).constants, runs)
                     : product_trend_of(trend_.spec, columns_, inputs, hyper_.coordinates, caps());
    const VectorXd y = runs.time.array().log();
    process::ProcessFit found = process::fit_process(inputs, y, trend.trend, hyper_, how_);
    const auto known = std::make_shared<const KnownProcess>(std::move(found.process), how_.threads);
    return {std::make_shared<ProcessForm>(trend.form, columns_, known, prior_),
            trend.constants(found.constants, found.level + known->centre)};
  }

  std::size_t free_constants() const override {
    return static_cast<std::size_t>(trend_.constants.size());
  }

 private:
  FittedModel trend_;  ///< alone
  /// Its constants start where those runs alone have them; nothing where it starts from nothing.
  std::unique_ptr<Refit> refit_trend_;
  ProcessColumns columns_;
  ProcessPrior prior_;
  process::HyperParameters hyper_;
  process::ProcessOptions how_;

  /// Those of the one product.
  std::vector<Cap> caps() const {
    const MultiStructure& structure = dynamic_cast<const SumForm&>(*trend_.form).structure;
    return structure.caps.empty() ? std::vector<Cap>{} : structure.caps.front();
  }
};

}  // namespace

std::unique_ptr<Refit> ProcessForm::refit(const FittedModel& model, const Design& training,
                                          const FitOptions& options) const {
  if (prior_.group_deviations.size() == 0)
    throw UsageError(
        "a model with a residual process that was read from a file cannot be fitted "
        "to other runs: the file has no priors of its trend; fit it anew");
  return std::make_unique<ProcessRefit>(model, trend_, columns_, prior_, *known_, training,
                                        options);
}

}  // namespace perfmodel
