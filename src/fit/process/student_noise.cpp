#include "fit/process/student_noise.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>

#include "base/index.hpp"

namespace perfmodel::process {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kRounds = 3;
constexpr int kRoundsOfScale = 30;
constexpr double kLeastRidge = 1e-6;  ///< columns of a trend need not be independent
/// Of the likelihood, as a logarithm: twenty times as likely.
const double kTwentyTimes = std::log(20);

/// Other units of the time shall give the same to the last bit.
double rounded_weight(double weight) {
  return std::max(1.0, std::nearbyint(weight * 0x1p20)) * 0x1p-20;
}

ArrayXd weights_of(const ArrayXd& squares, double noise) {
  return (kDegreesOfFreedom + 1) / (kDegreesOfFreedom + squares / noise);
}

MatrixXd correlations_at(const Observations& rows, const VectorXd& hyper, std::size_t threads) {
  return correlations_among(HyperLayout(rows).kernel(hyper), rows.inputs, threads);
}

RowErrors errors_of(const PositiveMatrix& covariance, const VectorXd& y, const ArrayXd& noise) {
  return {.mean = noise * covariance.solve(y).array(),
          .variance = (noise - noise.square() * covariance.inverse_diagonal().array()).max(0)};
}

/// Calls with the noise that suits the errors after each round in which the covariance is not
/// numerically singular. `hyper` may change by that: its noise alone.
void weigh_in_rounds(const Inputs& coordinates, const Trend& trend,
                     const std::vector<Index>& chosen, std::size_t threads, const VectorXd& hyper,
                     MergedRows& rows, const std::function<void(double noise)>& weighed) {
  Observations seen = observed(coordinates, rows, trend, chosen);
  const MatrixXd correlations = correlations_at(seen, hyper, threads);
  for (int round = 0; round < kRounds; ++round) {
    if (round > 0)
      seen = observed(coordinates, rows, trend, chosen);
    const auto factors =
        PositiveMatrix::factorised(covariance(seen, hyper, correlations, threads), threads);
    if (!factors)
      return;  // nor would it be in the next
    const double noise = std::exp(hyper[HyperLayout(seen).noise()]);
    const double squares =
        weigh_runs(rows, chosen, errors_of(*factors, seen.y, noise / seen.runs.array()), noise);
    weighed(squares / (static_cast<double>(chosen.size()) + seen.repeated_runs));
  }
}

/// The likeliest, of values with these squares.
double square_of_scale(const ArrayXd& squares) {
  double out = squares.mean();
  for (int round = 0; round < kRoundsOfScale; ++round)
    out = (weights_of(squares, out) * squares).mean();
  return out;
}

double rounded_log(double value) {
  return std::nearbyint(std::log(value) * 0x1p20) * 0x1p-20;
}

/// What is left of the rows beside the trend that suits them best, as far as it is linear.
VectorXd off_trend(const Observations& rows) {
  MatrixXd columns(rows.y.size(), rows.trend.slopes.cols() + 1);
  columns << rows.trend.slopes, VectorXd::Ones(rows.y.size());
  MatrixXd squares = columns.transpose() * rows.runs.asDiagonal() * columns;
  squares.diagonal() *= 1 + kLeastRidge;
  squares.diagonal().array() += kLeastRidge;
  const VectorXd fitted =
      squares.ldlt().solve(columns.transpose() * rows.runs.cwiseProduct(rows.y));
  return rows.y - columns * fitted;
}

/// The mean logarithm of the density of Student's t distribution with this scale.
double mean_log_density(const ArrayXd& values, double squared_scale) {
  const double nu = kDegreesOfFreedom;
  const double constant = std::lgamma((nu + 1) / 2) - std::lgamma(nu / 2) -
                          0.5 * std::log(nu * std::numbers::pi * squared_scale);
  return constant - (nu + 1) / 2 * (values.square() / (nu * squared_scale)).log1p().mean();
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

void weigh_rows(const Inputs& coordinates, const Trend& trend, const std::vector<Index>& chosen,
                const Kernel& kernel, const VectorXd& group_deviations, std::size_t threads,
                MergedRows& rows) {
  const HyperLayout layout(coordinates.numbers.cols(), coordinates.levels.cols(),
                           trend.group_count);
  weigh_in_rounds(coordinates, trend, chosen, threads, layout.position(kernel, group_deviations),
                  rows, [](double) {});
}

void weigh_by_trend(const Inputs& coordinates, const Trend& trend, const std::vector<Index>& chosen,
                    MergedRows& rows) {
  for (int round = 0; round < kRoundsOfScale; ++round) {
    const Observations seen = observed(coordinates, rows, trend, chosen);
    const VectorXd off = off_trend(seen);
    const double noise = std::exp(rounded_log(square_of_scale(off.array().square())));
    weigh_runs(rows, chosen, {.mean = off, .variance = VectorXd::Zero(off.size())}, noise);
  }
}

void weigh_rows_and_noise(const Inputs& coordinates, const Trend& trend,
                          const std::vector<Index>& chosen, std::size_t threads, VectorXd& hyper,
                          MergedRows& rows) {
  const HyperLayout layout(coordinates.numbers.cols(), coordinates.levels.cols(),
                           trend.group_count);
  weigh_in_rounds(coordinates, trend, chosen, threads, hyper, rows,
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

}  // namespace perfmodel::process
