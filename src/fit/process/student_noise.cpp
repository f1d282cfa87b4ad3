#include "fit/process/student_noise.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
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

std::optional<PositiveMatrix> covariance_at(const Observations& rows, const VectorXd& hyper) {
  const Kernel kernel = HyperLayout(rows).kernel(hyper);
  return PositiveMatrix::factorised(
      covariance(rows, hyper, correlations(kernel, rows.inputs, rows.inputs)));
}

RowErrors errors_of(const PositiveMatrix& covariance, const VectorXd& y, const ArrayXd& noise) {
  const MatrixXd inverse = covariance.inverse_lower();
  return {.mean = noise * covariance.solve(y).array(),
          .variance = (noise - noise.square() * inverse.diagonal().array()).max(0)};
}

/// One round; nothing where the covariance is numerically singular.
std::optional<double> weigh_once(const Inputs& coordinates, const Trend& trend,
                                 const std::vector<Index>& chosen, const VectorXd& hyper,
                                 MergedRows& rows) {
  const Observations seen = observed(coordinates, rows, trend, chosen);
  const auto factors = covariance_at(seen, hyper);
  if (!factors)
    return std::nullopt;
  const double noise = std::exp(hyper[HyperLayout(seen).noise()]);
  const double squares =
      weigh_runs(rows, chosen, errors_of(*factors, seen.y, noise / seen.runs.array()), noise);
  return squares / (static_cast<double>(chosen.size()) + seen.repeated_runs);
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
                const Kernel& kernel, const VectorXd& group_deviations, MergedRows& rows) {
  const HyperLayout layout(observed(coordinates, rows, trend, chosen));
  const VectorXd hyper = layout.position(kernel, group_deviations);
  for (int round = 0; round < kRounds; ++round)
    weigh_once(coordinates, trend, chosen, hyper, rows);
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
                          const std::vector<Index>& chosen, VectorXd& hyper, MergedRows& rows) {
  const HyperLayout layout(observed(coordinates, rows, trend, chosen));
  for (int round = 0; round < kRounds; ++round)
    if (const auto noise = weigh_once(coordinates, trend, chosen, hyper, rows))
      hyper[layout.noise()] = rounded_log(*noise);
}

LeftOut left_out(const Observations& rows, const VectorXd& hyper) {
  LeftOut out{.off = VectorXd::Zero(rows.y.size()), .deviation = VectorXd::Ones(rows.y.size())};
  if (const auto factors = covariance_at(rows, hyper)) {
    const VectorXd precisions = factors->inverse_lower().diagonal();
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
