#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "base/statistics.hpp"
#include "base/text.hpp"
#include "gp/gaussian_process.hpp"
#include "gp/kernel.hpp"
#include "gp/matrix.hpp"

namespace perfmodel::gp {
namespace {

constexpr int kRounds = 3;
constexpr int kRoundsOfScale = 30;
/// Log likelihood ratio from which tails count as heavy: twenty times as likely.
const double kTwentyTimes = std::log(20);

/// Rounded, so that another unit of the time gives the same weight to the last bit.
double rounded_weight(double weight) {
  return std::max(1.0, std::nearbyint(weight * 0x1p20)) * 0x1p-20;
}

ArrayXd weights_of(const ArrayXd& squares, double noise) {
  return (kDegreesOfFreedom + 1) / (kDegreesOfFreedom + squares / noise);
}

MatrixXd correlations_at(const Observations& rows, const VectorXd& hyper, std::size_t threads) {
  return correlations_among(HyperLayout(rows.inputs).kernel(hyper), rows.inputs, threads);
}

RowErrors errors_of(const PositiveMatrix& covariance, const VectorXd& y, const ArrayXd& noise) {
  return {.mean = noise * covariance.solve(y).array(),
          .variance = (noise - noise.square() * covariance.inverse_diagonal().array()).max(0)};
}

/// Rounds of expectation maximisation: after each, calls `weighed` with the most likely noise,
/// which it may write into `hyper`. Ends early if the covariance is numerically singular.
void weigh_in_rounds(const Inputs& coordinates, const std::vector<Index>& chosen,
                     std::size_t threads, const VectorXd& hyper, MergedRows& rows,
                     const std::function<void(double noise)>& weighed) {
  Observations seen = observed(coordinates, rows, chosen);
  const MatrixXd correlations = correlations_at(seen, hyper, threads);
  for (int round = 0; round < kRounds; ++round) {
    if (round > 0)
      seen = observed(coordinates, rows, chosen);
    const auto factors =
        PositiveMatrix::factorised(covariance(seen, hyper, correlations, threads), threads);
    if (!factors)
      return;  // it would be singular in the next round, too
    const double noise = std::exp(hyper[HyperLayout(seen.inputs).noise()]);
    const double squares =
        weigh_runs(rows, chosen, errors_of(*factors, seen.y, noise / seen.runs.array()), noise);
    weighed(squares / (static_cast<double>(chosen.size()) + seen.repeated_runs));
  }
}

/// The most likely squared scale of a t distribution, given squares of its values.
double square_of_scale(const ArrayXd& squares) {
  double out = squares.mean();
  for (int round = 0; round < kRoundsOfScale; ++round)
    out = (weights_of(squares, out) * squares).mean();
  return out;
}

double rounded_log(double value) {
  return std::nearbyint(std::log(value) * 0x1p20) * 0x1p-20;
}

/// The mean log density of Student's t distribution with this scale.
double mean_log_density(const ArrayXd& values, double squared_scale) {
  const double nu = kDegreesOfFreedom;
  const double constant = std::lgamma((nu + 1) / 2) - std::lgamma(nu / 2) -
                          0.5 * std::log(nu * std::numbers::pi * squared_scale);
  return constant - (nu + 1) / 2 * (values.square() / (nu * squared_scale)).log1p().mean();
}

using Rows = std::vector<Index>;

constexpr std::size_t kPlacesAtOnce = 32;

/// Visits places in fixed blocks, so that sums by block do not depend on the number of threads.
void for_each_place(std::size_t places, std::size_t threads,
                    const std::function<void(std::size_t block, std::size_t place)>& visit) {
  parallel_for((places + kPlacesAtOnce - 1) / kPlacesAtOnce, threads,
               [&](std::size_t block) {
                 const std::size_t begin = block * kPlacesAtOnce;
                 for (std::size_t i = begin; i < std::min(begin + kPlacesAtOnce, places); ++i)
                   visit(block, i);
               });
}

double count_pairs(const std::vector<Rows>& places) {
  double out = 0;
  for (const Rows& rows : places)
    out += static_cast<double>(rows.size() * rows.size()) / 2;
  return out;
}

}  // namespace

double weigh_runs(MergedRows& rows, std::span<const Index> chosen, const RowErrors& errors,
                  double noise) {
  double sum = 0;
  for (Index i = 0; i < index(chosen.size()); ++i) {
    const Index row = chosen[static_cast<std::size_t>(i)];
    const ArrayXd squares =
        (rows.runs_of(row).array() - rows.y[row] + errors.mean[i]).square() + errors.variance[i];
    const VectorXd weights = weights_of(squares, noise).unaryExpr(&rounded_weight);
    rows.weigh(row, weights);
    sum += weights.dot(squares.matrix());
  }
  return sum;
}

void weigh_rows(const Inputs& coordinates, const std::vector<Index>& chosen, const Kernel& kernel,
                std::size_t threads, MergedRows& rows) {
  const HyperLayout layout{CodedInputs(coordinates)};
  weigh_in_rounds(coordinates, chosen, threads, layout.position(kernel), rows, [](double) {});
}

void weigh_by_level(const Inputs& coordinates, const std::vector<Index>& chosen, MergedRows& rows) {
  for (int round = 0; round < kRoundsOfScale; ++round) {
    const Observations seen = observed(coordinates, rows, chosen);
    const VectorXd off = seen.y.array() - seen.runs.dot(seen.y) / seen.runs.sum();
    const double noise = std::exp(rounded_log(square_of_scale(off.array().square())));
    weigh_runs(rows, chosen, {.mean = off, .variance = VectorXd::Zero(off.size())}, noise);
  }
}

bool weigh_within_rows(MergedRows& rows) {
  std::vector<Index> repeated;
  std::vector<double> off;  // of equal variance, though few runs pull their mean along
  std::vector<double> from_median;
  for (Index row = 0; row < rows.rows(); ++row) {
    const VectorXd runs = rows.runs_of(row);
    const auto count = static_cast<double>(runs.size());
    if (count < 2)
      continue;
    repeated.push_back(row);
    const double middle = sample_median(runs);
    for (const double run : runs) {
      off.push_back((run - runs.mean()) * std::sqrt(count / (count - 1)));
      from_median.push_back(run - middle);
    }
  }
  const auto values = [](const std::vector<double>& of) {
    return Eigen::Map<const VectorXd>(of.data(), index(of.size()));
  };
  if (repeated.empty() || !has_heavy_tails(values(off)))
    return false;
  const double free = static_cast<double>(off.size() - repeated.size());
  double noise = square_of_scale(values(from_median).array().square()) + kLeastSpread;
  RowErrors errors{.mean = VectorXd(index(repeated.size())),
                   .variance = VectorXd::Zero(index(repeated.size()))};
  for (std::size_t i = 0; i < repeated.size(); ++i)
    errors.mean[index(i)] = rows.y[repeated[i]] - sample_median(rows.runs_of(repeated[i]));
  for (int round = 0; round < kRoundsOfScale; ++round) {
    noise = weigh_runs(rows, repeated, errors, std::exp(rounded_log(noise))) / free;
    errors.mean.setZero();
  }
  return true;
}

void weigh_rows_and_noise(const Inputs& coordinates, const std::vector<Index>& chosen,
                          std::size_t threads, VectorXd& hyper, MergedRows& rows) {
  const HyperLayout layout{CodedInputs(coordinates)};
  weigh_in_rounds(coordinates, chosen, threads, hyper, rows,
                  [&](double noise) { hyper[layout.noise()] = rounded_log(noise); });
}

LeftOut left_out(const Observations& rows, const VectorXd& hyper, std::size_t threads) {
  LeftOut out{.off = VectorXd::Zero(rows.y.size()), .deviation = VectorXd::Ones(rows.y.size())};
  if (const auto factors = PositiveMatrix::factorised(
          covariance(rows, hyper, correlations_at(rows, hyper, threads), threads), threads)) {
    const VectorXd precisions = factors->inverse_diagonal();
    out.off = factors->solve(rows.y).col(0).cwiseQuotient(precisions);
    out.deviation = precisions.cwiseInverse().cwiseSqrt();
  }
  return out;
}

bool has_heavy_tails(const VectorXd& values) {
  const ArrayXd squares = values.array().square();
  const double variance = squares.mean();
  if (!(variance > 0))
    return false;
  const double normal = -0.5 * (std::log(2 * std::numbers::pi * variance) + 1);
  const double gain = mean_log_density(values, square_of_scale(squares)) - normal;
  return static_cast<double>(values.size()) * gain > kTwentyTimes;
}

LeftOutPosterior::LeftOutPosterior(const KnownRows& rows, std::vector<Rows> places,
                                   HyperPrior prior, std::size_t threads)
    : rows_(rows),
      places_(std::move(places)),
      layout_(rows.inputs),
      prior_(std::move(prior)),
      rows_per_place_(static_cast<double>(rows.inputs.rows) / static_cast<double>(places_.size())),
      pair_count_(count_pairs(places_)),
      threads_(threads),
      correlations_(places_.size()),
      solved_(places_.size()) {}

double LeftOutPosterior::cost(const VectorXd& hyper) {
  hyper_ = hyper;
  const Kernel kernel = layout_.kernel(hyper);
  const PairTables pairs(kernel, rows_.inputs, pair_count_);
  VectorXd costs(index(places_.size()));
  for_each_place(places_.size(), threads_, [&](std::size_t, std::size_t i) {
    const Rows& rows = places_[i];
    const Index last = index(rows.size()) - 1;
    correlations_[i] = pairs.among(rows);
    MatrixXd covariance = kernel.variance * correlations_[i];
    covariance.diagonal() += kernel.noise * rows_.runs(rows).cwiseInverse();
    const auto factors = PositiveMatrix::factorised(std::move(covariance));
    if (!factors) {
      costs[index(i)] = std::numeric_limits<double>::infinity();
      solved_[i].resize(0, 0);
      return;
    }
    solved_[i].resize(last + 1, 2);
    solved_[i] << factors->inverse_last(), factors->solve(rows_.residual(rows));
    // Leave-one-out error and variance are r / s and 1 / s (Rasmussen and Williams 2006, eq. 5.12).
    const double s = solved_[i](last, 0);
    const double r = solved_[i](last, 1);
    costs[index(i)] = (r * r / s - std::log(s)) / 2;
  });
  return rows_per_place_ * costs.sum() + prior_.squares(hyper) / 2;
}

VectorXd LeftOutPosterior::slopes_of(std::size_t place, const Kernel& kernel,
                                     const PairSlopes& pairs) const {
  const Rows& rows = places_[place];
  const Index count = index(rows.size());
  const auto u = solved_[place].col(0);
  const auto r = solved_[place].col(1);
  const double error = r[count - 1] / u[count - 1];
  // d cost = sum_ab (of_u u_a u_b - of_r (u_a r_b + r_a u_b)) d covariance_ab
  const double of_u = (1 / u[count - 1] + error * error) / 2;
  const double of_r = error / 2;
  const VectorXd diagonal = u.cwiseProduct(of_u * u - 2 * of_r * r);
  // Weight of each pair's d ln(correlation), for both halves of the symmetric matrix.
  VectorXd weights(count * (count - 1) / 2);
  Index first = 0;
  for (Index k = 0; k < count; ++k) {
    const Index below = count - k - 1;
    weights.segment(first, below) = correlations_[place].col(k).tail(below).cwiseProduct(
        2 * kernel.variance * (of_u * u[k] - of_r * r[k]) * u.tail(below) -
        2 * kernel.variance * of_r * u[k] * r.tail(below));
    first += below;
  }
  VectorXd out(layout_.size());
  out.head(layout_.variance()) = pairs.sums(rows, weights);
  out[layout_.variance()] = kernel.variance * diagonal.sum() + weights.sum();
  out[layout_.noise()] = kernel.noise * diagonal.cwiseQuotient(rows_.runs(rows)).sum();
  return out;
}

bool LeftOutPosterior::is_finite() const {
  return std::all_of(
      solved_.begin(), solved_.end(), [](const MatrixXd& solved) { return solved.size() > 0; });
}

double LeftOutPosterior::mean_relative_error() const {
  if (!is_finite())
    return std::numeric_limits<double>::infinity();
  double sum = 0;
  for (const MatrixXd& solved : solved_) {
    const auto last = solved.row(solved.rows() - 1);
    sum += std::abs(std::exp(-last[1] / last[0]) - 1);  // the ratio is ln(time / prediction)
  }
  return sum / static_cast<double>(solved_.size());
}

VectorXd LeftOutPosterior::slopes() const {
  if (!is_finite())
    return prior_.slopes(hyper_);
  const Kernel kernel = layout_.kernel(hyper_);
  const PairSlopes pairs(kernel, rows_.inputs, pair_count_);
  std::vector<VectorXd> sums((places_.size() + kPlacesAtOnce - 1) / kPlacesAtOnce,
                             VectorXd::Zero(layout_.size()));
  for_each_place(places_.size(), threads_, [&](std::size_t block, std::size_t i) {
    sums[block] += slopes_of(i, kernel, pairs);
  });
  VectorXd out = VectorXd::Zero(layout_.size());
  for (const VectorXd& sum : sums)
    out += sum;
  return rows_per_place_ * out + prior_.slopes(hyper_);
}

}  // namespace perfmodel::gp
