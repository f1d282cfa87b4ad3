#include "fit/process/likelihood.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "base/index.hpp"
#include "base/tasks/stripes.hpp"
#include "fit/process/matrix/triangular.hpp"

namespace perfmodel::process {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr Index kColumnsOfStripe = 64;        ///< columns that a thread works on
constexpr Index kFewestRowsForThreads = 250;  ///< of fewer rows, threads take longer to start

}  // namespace

HyperLayout::HyperLayout(const Observations& rows)
    : HyperLayout(index(rows.inputs.numbers.size()), index(rows.inputs.levels.size()),
                  rows.trend.group_count) {}

Kernel HyperLayout::kernel(const VectorXd& hyper) const {
  Kernel out{.inverse_lengths = VectorXd(numbers),
             .shares = VectorXd(numbers),
             .rates = hyper.segment(2 * numbers, levels).array().exp(),
             .variance = std::exp(hyper[variance()]),
             .noise = std::exp(hyper[noise()])};
  for (Index j = 0; j < numbers; ++j) {
    out.inverse_lengths[j] = std::exp(hyper[length(j)]);
    out.shares[j] = 1 / (1 + std::exp(-hyper[share(j)]));
  }
  return out;
}

VectorXd HyperLayout::group_deviations(const VectorXd& hyper) const {
  return (hyper.tail(groups) / 2).array().exp();
}

VectorXd HyperLayout::position(const Kernel& kernel, const VectorXd& group_deviations) const {
  VectorXd out(size());
  for (Index j = 0; j < numbers; ++j) {
    out[length(j)] = std::log(kernel.inverse_lengths[j]);
    out[share(j)] = std::log(kernel.shares[j] / (1 - kernel.shares[j]));
  }
  out.segment(2 * numbers, levels) = kernel.rates.array().log();
  out[variance()] = std::log(kernel.variance);
  out[noise()] = std::log(kernel.noise);
  out.tail(groups) = 2 * group_deviations.array().log();
  return out;
}

MatrixXd covariance(const Observations& rows, const VectorXd& hyper, const MatrixXd& correlations,
                    std::size_t threads) {
  const HyperLayout layout(rows);
  const double variance = std::exp(hyper[layout.variance()]);
  const double of_level = kLevelVariance * rows.spread;
  MatrixXd out(correlations.rows(), correlations.cols());
  for_each_stripe(out.cols(), kColumnsOfStripe, threads, [&](Index begin, Index end) {
    out.middleCols(begin, end - begin) =
        variance * correlations.middleCols(begin, end - begin).array() + of_level;
  });
  MatrixXd trend = rows.trend.slopes;
  for (Index k = 0; k < trend.cols(); ++k)
    trend.col(k) *=
        std::exp(hyper[layout.group(rows.trend.groups[static_cast<std::size_t>(k)])] / 2);
  add_outer_product(trend, out, {.threads = threads});
  out.diagonal().array() += std::exp(hyper[layout.noise()]) / rows.runs.array();
  return out;
}

HyperPosterior::HyperPosterior(const Observations& rows, HyperPrior prior, std::size_t threads)
    : rows_(rows),
      layout_(rows),
      prior_(std::move(prior)),
      threads_(rows.y.size() < kFewestRowsForThreads ? 1 : threads) {}

double HyperPosterior::cost(const VectorXd& hyper) {
  hyper_ = hyper;
  correlations_ = correlations_among(layout_.kernel(hyper), rows_.inputs, threads_);
  covariance_ =
      PositiveMatrix::factorised(covariance(rows_, hyper, correlations_, threads_), threads_);
  if (!covariance_)
    return std::numeric_limits<double>::infinity();
  weights_ = covariance_->solve(rows_.y);
  const double log_noise = hyper[layout_.noise()];
  const double repeats = rows_.repeated_runs * log_noise + rows_.scatter * std::exp(-log_noise);
  const VectorXd off = hyper - prior_.mean;
  return (rows_.y.dot(weights_) + covariance_->log_determinant() + repeats +
          off.cwiseProduct(prior_.precision).dot(off)) /
         2;
}

VectorXd HyperPosterior::slopes() const {
  VectorXd out = prior_.precision.cwiseProduct(hyper_ - prior_.mean);
  if (!covariance_)
    return out;
  // Half the trace of (A^-1 - a a') dA / dp, a = A^-1 y.
  MatrixXd inner = covariance_->inverse_lower();
  const Index n = inner.rows();
  const double variance = std::exp(hyper_[layout_.variance()]);
  VectorXd diagonal(n);
  VectorXd sums(n);  // below the diagonal, by column
  for_each_stripe(n, kColumnsOfStripe, threads_, [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      auto column = inner.col(k).tail(n - k);
      column -= weights_[k] * weights_.tail(n - k);
      diagonal[k] = column[0];
      column.array() *= variance * correlations_.col(k).tail(n - k).array();
      sums[k] = column.tail(n - k - 1).sum();
    }
  });
  const double noise = std::exp(hyper_[layout_.noise()]);
  out[layout_.noise()] += (noise * diagonal.cwiseQuotient(rows_.runs).sum() + rows_.repeated_runs -
                           rows_.scatter / noise) /
                          2;
  const MatrixXd& slopes = rows_.trend.slopes;
  const VectorXd squares = covariance_->whitened(slopes).colwise().squaredNorm();
  const VectorXd along = slopes.transpose() * weights_;
  for (Index k = 0; k < slopes.cols(); ++k) {
    const Index place = layout_.group(rows_.trend.groups[static_cast<std::size_t>(k)]);
    out[place] += std::exp(hyper_[place]) * (squares[k] - along[k] * along[k]) / 2;
  }
  out.head(layout_.variance()) +=
      log_correlation_slopes(layout_.kernel(hyper_), rows_.inputs, inner, threads_) / 2;
  double sum = inner.diagonal().sum();
  for (const double of_column : sums)
    sum += 2 * of_column;
  out[layout_.variance()] += sum / 2;
  return out;
}

}  // namespace perfmodel::process
