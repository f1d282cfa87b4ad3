#include "fit/task/curvature.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>

#include "base/index.hpp"
#include "data/median.hpp"
#include "fit/task/loss_value.hpp"

namespace perfmodel {

using Eigen::VectorXd;

namespace {

/// Of the loss sqrt(u^2 + s^2) of u = ln(measured / predicted).
Curvature soft_curvature(const VectorXd& measured, const VectorXd& predicted) {
  const VectorXd safe = predicted.cwiseMax(1e-6 * measured);
  const Eigen::ArrayXd residual = (measured.array() / safe.array()).log();
  const double s = kSoftness;
  const Eigen::ArrayXd size = (residual.square() + s * s).sqrt();
  const double curvature = (s * s / size.cube()).mean();
  return {safe.array().square().inverse(), residual / size / curvature};
}

/// Of all runs |r / y|, found between two values whose shares of the runs are known.
double median_error(const Design& runs, const VectorXd& predicted) {
  constexpr int kHalvings = 60;
  const std::size_t half = runs.total_runs() / 2;
  const auto runs_within = [&](double error) {
    std::size_t out = 0;
    for (std::size_t row = 0; row < runs.rows; ++row) {
      const TimeList& own = *runs.time_lists[row];
      const double y = predicted[index(row)];
      const auto first = std::lower_bound(own.times.begin(), own.times.end(), y - error * y);
      const auto last = std::upper_bound(first, own.times.end(), y + error * y);
      out += std::accumulate(own.runs.begin() + (first - own.times.begin()),
                             own.runs.begin() + (last - own.times.begin()), std::size_t{0});
    }
    return out;
  };
  double below = 0;
  double above = 1;
  while (runs_within(above) <= half)
    above *= 2;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = 0.5 * (below + above);
    (runs_within(middle) > half ? above : below) = middle;
  }
  return above;
}

/// Of an absolute loss, from the times of each row.
Curvature curvature_of_lists(Loss loss, const Design& runs, const VectorXd& predicted,
                             double sparsity) {
  Curvature out{predicted.cwiseInverse(), sparsity * predicted.cwiseSqrt()};
  for (std::size_t row = 0; row < runs.rows && loss == Loss::mape; ++row) {
    const TimeList& own = *runs.time_lists[row];
    double sum = 0;
    for (std::size_t i = 0; i < own.times.size(); ++i)
      sum += own.runs[i] / (own.times[i] * own.times[i]);
    out.weights[index(row)] = sum / static_cast<double>(runs.runs[row]);
    out.scores[index(row)] = sparsity;
  }
  return out;
}

VectorXd safe_prediction(const VectorXd& measured, const VectorXd& predicted) {
  return predicted.cwiseMax(1e-6 * measured);
}

/// Rows count `runs` times in the median, once where that is empty.
double sparsity_of_rows(const VectorXd& measured, const VectorXd& predicted,
                        std::span<const std::uint64_t> runs) {
  const VectorXd safe = safe_prediction(measured, predicted);
  return 2 * median((measured - predicted).cwiseQuotient(safe).cwiseAbs(), runs);
}

Curvature curvature_of_rows(Loss loss, const VectorXd& measured, const VectorXd& predicted,
                            double sparsity) {
  const VectorXd safe = safe_prediction(measured, predicted);
  const VectorXd residual = measured - predicted;
  switch (loss) {
    case Loss::mae:
      return {safe.cwiseInverse(), sparsity * safe.cwiseSqrt()};
    case Loss::mape:
      return {measured.array().square().inverse(), VectorXd::Constant(measured.size(), sparsity)};
    case Loss::mse:
      return {VectorXd::Ones(measured.size()), residual};
    case Loss::soft_l1:
      return soft_curvature(measured, predicted);
    case Loss::rmsle:
      break;
  }
  return {measured.array().square().inverse(), residual.cwiseQuotient(measured)};
}

}  // namespace

Curvature curvature_of(Loss loss, const VectorXd& measured, const VectorXd& predicted) {
  return curvature_of_rows(loss, measured, predicted, sparsity_of_rows(measured, predicted, {}));
}

double sparsity_of(const Design& runs, const VectorXd& predicted) {
  return runs.time_lists.empty() ? sparsity_of_rows(runs.time, predicted, runs.runs)
                                 : 2 * median_error(runs, predicted);
}

Curvature curvature_of(Loss loss, const Design& runs, const VectorXd& predicted) {
  return curvature_of(loss, runs, predicted, sparsity_of(runs, predicted));
}

Curvature curvature_of(Loss loss, const Design& runs, const VectorXd& predicted, double sparsity) {
  Curvature out = runs.time_lists.empty() ? curvature_of_rows(loss, runs.time, predicted, sparsity)
                                          : curvature_of_lists(loss, runs, predicted, sparsity);
  for (std::size_t row = 0; row < runs.moments.size(); ++row) {
    const TimeMoments& own = runs.moments[row];
    const double variance =
        (loss == Loss::rmsle ? own.log_squares : own.squares) / static_cast<double>(runs.runs[row]);
    out.scores[index(row)] = std::sqrt(std::pow(out.scores[index(row)], 2) + variance);
  }
  for (std::size_t row = 0; row < runs.runs.size(); ++row)
    out.weights[index(row)] *= static_cast<double>(runs.runs[row]);
  return out;
}

}  // namespace perfmodel
