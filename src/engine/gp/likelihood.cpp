#include "gp/likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "base/text.hpp"

namespace perfmodel::gp {

namespace {

/// Negative, 0 or positive, as row a sorts before, equal to or after b.
int compared(const Inputs& inputs, Index a, Index b) {
  for (Index j = 0; j < inputs.numbers.cols(); ++j)
    if (inputs.numbers(a, j) != inputs.numbers(b, j))
      return inputs.numbers(a, j) < inputs.numbers(b, j) ? -1 : 1;
  for (Index j = 0; j < inputs.levels.cols(); ++j)
    if (inputs.levels(a, j) != inputs.levels(b, j))
      return inputs.levels(a, j) < inputs.levels(b, j) ? -1 : 1;
  return 0;
}

/// Rounds to 30 bits of the mantissa, however small the value.
double rounded(double value) {
  int exponent = 0;
  const double share = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(share * 0x1p30), exponent - 30);
}

constexpr Index kColumnsOfStripe = 64;        ///< columns per task
constexpr Index kFewestRowsForThreads = 250;  ///< with fewer, threads take longer to start

}  // namespace

MergedRows MergedRows::of(const Inputs& inputs, const VectorXd& y, const VectorXd& weights) {
  MergedRows out;
  std::vector<Index>& order = out.order;
  order = consecutive(0, inputs.rows());
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    const int inputs_first = compared(inputs, a, b);
    return inputs_first != 0 ? inputs_first < 0 : y[a] < y[b];
  });
  out.of_runs = y(order);
  if (weights.size() > 0)
    out.weights = weights(order);
  else
    out.weights = VectorXd::Ones(y.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && compared(inputs, order[i - 1], order[i]) == 0)
      continue;
    out.first.push_back(order[i]);
    out.begins.push_back(index(i));
  }
  out.begins.push_back(index(order.size()));
  const Index rows = index(out.first.size());
  out.y.resize(rows);
  out.runs.resize(rows);
  out.scatter.resize(rows);
  for (Index row = 0; row < rows; ++row)
    out.weigh(row,
              out.weights.segment(out.begins[static_cast<std::size_t>(row)], out.run_count(row)));
  return out;
}

VectorXd MergedRows::run_weights() const {
  VectorXd out(weights.size());
  out(order) = weights;
  return out;
}

Index MergedRows::run_count(Index row) const {
  const auto place = static_cast<std::size_t>(row);
  return begins[place + 1] - begins[place];
}

VectorXd MergedRows::runs_of(Index row) const {
  return of_runs.segment(begins[static_cast<std::size_t>(row)], run_count(row));
}

void MergedRows::weigh(Index row, const VectorXd& of_each) {
  const Index begin = begins[static_cast<std::size_t>(row)];
  weights.segment(begin, of_each.size()) = of_each;
  double count = 0;
  double sum = 0;
  for (Index i = 0; i < of_each.size(); ++i) {
    count += of_each[i];
    sum += of_each[i] * of_runs[begin + i];
  }
  const double mean = sum / count;
  double squares = 0;
  for (Index i = 0; i < of_each.size(); ++i)
    squares += of_each[i] * (of_runs[begin + i] - mean) * (of_runs[begin + i] - mean);
  y[row] = mean;
  runs[row] = count;
  scatter[row] = squares;
}

std::vector<Index> consecutive(Index begin, Index end) {
  std::vector<Index> out(to_size(end - begin));
  std::iota(out.begin(), out.end(), begin);
  return out;
}

std::vector<Index> sampled_rows(Index count, Index most, std::uint64_t seed) {
  std::vector<Index> out = consecutive(0, count);
  RandomStream(seed, "rows of the process").shuffle(std::span<Index>(out));
  out.resize(static_cast<std::size_t>(std::min(count, most)));
  return out;
}

double on_grid(double value) {
  return std::nearbyint(value * 0x1p30) * 0x1p-30;
}

std::vector<Index> at_places(const std::vector<Index>& all, std::span<const Index> chosen) {
  return mapped(
      chosen, [&](Index place) { return all[static_cast<std::size_t>(place)]; });
}

Observations observed(const Inputs& coordinates, const MergedRows& rows,
                      const std::vector<Index>& chosen) {
  Observations out{.inputs = CodedInputs(take_rows(coordinates, at_places(rows.first, chosen))),
                   .y = rows.y(chosen),
                   .runs = rows.runs(chosen)};
  out.y = (out.y.array() - out.y.mean()).unaryExpr(&on_grid).eval();
  out.spread = out.y.squaredNorm() / static_cast<double>(chosen.size()) + kLeastSpread;
  out.scatter = rounded(rows.scatter(chosen).sum());
  for (const Index row : chosen)
    out.repeated_runs += static_cast<double>(rows.run_count(row) - 1);
  return out;
}

HyperLayout::HyperLayout(const CodedInputs& inputs)
    : numbers(index(inputs.numbers.size())), levels(index(inputs.levels.size())) {}

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

VectorXd HyperPrior::off(const VectorXd& hyper) const {
  VectorXd out = hyper - mean;
  if (flat_above >= 0)
    out[flat_above] = std::min(out[flat_above], 0.0);
  return out;
}

VectorXd HyperLayout::position(const Kernel& kernel) const {
  VectorXd out(size());
  for (Index j = 0; j < numbers; ++j) {
    out[length(j)] = std::log(kernel.inverse_lengths[j]);
    out[share(j)] = std::log(kernel.shares[j] / (1 - kernel.shares[j]));
  }
  out.segment(2 * numbers, levels) = kernel.rates.array().log();
  out[variance()] = std::log(kernel.variance);
  out[noise()] = std::log(kernel.noise);
  return out;
}

MatrixXd covariance(const Observations& rows, const VectorXd& hyper, const MatrixXd& correlations,
                    std::size_t threads) {
  const HyperLayout layout(rows.inputs);
  const double variance = std::exp(hyper[layout.variance()]);
  const double of_level = kLevelVariance * rows.spread;
  MatrixXd out(correlations.rows(), correlations.cols());
  for_each_stripe(out.cols(), kColumnsOfStripe, threads, [&](Index begin, Index end) {
    out.middleCols(begin, end - begin) =
        variance * correlations.middleCols(begin, end - begin).array() + of_level;
  });
  out.diagonal().array() += std::exp(hyper[layout.noise()]) / rows.runs.array();
  return out;
}

HyperPosterior::HyperPosterior(const Observations& rows, HyperPrior prior, std::size_t threads)
    : rows_(rows),
      layout_(rows.inputs),
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
  return (rows_.y.dot(weights_) + covariance_->log_determinant() + repeats +
          prior_.squares(hyper)) /
         2;
}

VectorXd HyperPosterior::slopes() const {
  VectorXd out = prior_.slopes(hyper_);
  if (!covariance_)
    return out;
  // Half the trace of (A^-1 - a a') dA / dp, a = A^-1 y (Rasmussen and Williams 2006, eq. 5.9).
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
  out.head(layout_.variance()) +=
      log_correlation_slopes(layout_.kernel(hyper_), rows_.inputs, inner, threads_) / 2;
  double sum = inner.diagonal().sum();
  for (const double of_column : sums)
    sum += 2 * of_column;
  out[layout_.variance()] += sum / 2;
  return out;
}

}  // namespace perfmodel::gp
