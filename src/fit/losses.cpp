#include "fit/losses.hpp"

#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "base/text.hpp"
#include "table/replicates.hpp"
#include "table/table.hpp"

namespace perfmodel {

namespace {

/// Of so many runs the mean is rounded as that of rows which are not merged.
constexpr std::size_t kRunsOneByOne = std::size_t{1} << 22;

double loss_one_by_one(Loss loss, const Design& runs, const Eigen::VectorXd& predicted) {
  Eigen::VectorXd measured(index(runs.total_runs()));
  Eigen::VectorXd of_runs(measured.size());
  Eigen::Index next = 0;
  for (std::size_t row = 0; row < runs.rows; ++row) {
    const Eigen::Index count = index(runs.runs[row]);
    measured.segment(next, count).setConstant(runs.time[index(row)]);
    of_runs.segment(next, count).setConstant(predicted[index(row)]);
    next += count;
  }
  return loss_value(loss, measured, of_runs);
}

}  // namespace

Eigen::ArrayXd row_losses(Loss loss, const Eigen::VectorXd& measured,
                          const Eigen::VectorXd& predicted) {
  const auto residual = (measured - predicted).array();
  const auto log_ratio = measured.array().log() - predicted.array().log();
  switch (loss) {
    case Loss::mae:
      return residual.abs();
    case Loss::mape:
      return residual.abs() / measured.array();
    case Loss::mse:
      return residual.square();
    case Loss::soft_l1:
      return (log_ratio.square() + kSoftness * kSoftness).sqrt() - kSoftness;
    case Loss::rmsle:
      break;
  }
  return log_ratio.square();
}

double loss_value(Loss loss, const Eigen::VectorXd& measured, const Eigen::VectorXd& predicted) {
  const double mean = row_losses(loss, measured, predicted).mean();
  return loss == Loss::rmsle ? std::sqrt(mean) : mean;
}

double loss_value(Loss loss, const Design& runs, const Eigen::VectorXd& predicted) {
  if (runs.runs.empty())
    return loss_value(loss, runs.time, predicted);
  if (runs.total_runs() <= kRunsOneByOne)
    return loss_one_by_one(loss, runs, predicted);
  double sum = 0;
  const Eigen::ArrayXd losses = row_losses(loss, runs.time, predicted);
  for (std::size_t row = 0; row < runs.rows; ++row)
    sum += static_cast<double>(runs.runs[row]) * losses[index(row)];
  const double mean = sum / static_cast<double>(runs.total_runs());
  return loss == Loss::rmsle ? std::sqrt(mean) : mean;
}

double loss_of_time(Loss loss, double time) {
  switch (loss) {
    case Loss::mae:
      return time;
    case Loss::mse:
      return time * time;
    case Loss::mape:
    case Loss::rmsle:
    case Loss::soft_l1:
      break;
  }
  return 1;
}

bool is_absolute(Loss loss) {
  return loss == Loss::mae || loss == Loss::mape;
}

bool is_squared(Loss loss) {
  return loss == Loss::mse || loss == Loss::rmsle;
}

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

Curvature curvature_of(Loss loss, const Design& runs, const VectorXd& predicted) {
  Curvature out = curvature_of_rows(loss, runs.time, predicted,
                                    sparsity_of_rows(runs.time, predicted, runs.runs));
  for (std::size_t row = 0; row < runs.runs.size(); ++row)
    out.weights[index(row)] *= static_cast<double>(runs.runs[row]);
  return out;
}

namespace {

using Eigen::VectorXd;

/// What the evaluation of a row with a weight takes beside that of a row without.
constexpr double kCostOfWeight = 1.1;

/// How far a time is from another on the scale of a squared loss, and the way back. Both are exact
/// for equal times.
double difference(Loss loss, double time, double from) {
  return loss == Loss::rmsle ? std::log(time / from) : time - from;
}

double shifted(Loss loss, double from, double difference) {
  return loss == Loss::rmsle ? from * std::exp(difference) : from + difference;
}

}  // namespace

WeightedRows::WeightedRows(const Design& design)
    : measured_(&design), total_weight_(static_cast<double>(design.rows)) {}

/// Each run as a row.
WeightedRows WeightedRows::one_by_one(const Design& design) {
  WeightedRows out(design);
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < design.rows; ++row)
    rows.insert(rows.end(), design.runs[row], row);
  out.own_ = take_rows(design, rows);
  out.own_->runs.clear();
  out.total_weight_ = static_cast<double>(rows.size());
  return out;
}

WeightedRows WeightedRows::merged(const Design& design, Loss loss) {
  WeightedRows out(design);
  const RowGroups groups =
      is_squared(loss) ? configuration_groups(design) : equal_row_groups(design);
  if (kCostOfWeight * static_cast<double>(groups.count) > static_cast<double>(design.total_runs()))
    return design.runs.empty() ? out : one_by_one(design);

  std::vector<std::size_t> first_rows;
  VectorXd runs = VectorXd::Zero(index(groups.count));
  VectorXd shift = runs;
  for (std::size_t row = 0; row < design.rows; ++row) {
    const std::size_t group = groups.of_row[row];
    if (group == first_rows.size())
      first_rows.push_back(row);
    const double off =
        difference(loss, design.time[index(row)], design.time[index(first_rows[group])]);
    // One by one, as the sum over rows that are not merged rounds.
    for (std::size_t run = 0; run < design.runs_of(row); ++run)
      shift[index(group)] += off;
    runs[index(group)] += static_cast<double>(design.runs_of(row));
  }
  out.own_ = take_rows(design, first_rows);
  out.own_->runs.clear();
  for (std::size_t group = 0; group < groups.count; ++group) {
    double& time = out.own_->time[index(group)];
    time = shifted(loss, time, shift[index(group)] / runs[index(group)]);
  }
  VectorXd scatter;
  if (is_squared(loss)) {
    scatter = VectorXd::Zero(index(groups.count));
    for (std::size_t row = 0; row < design.rows; ++row) {
      const Eigen::Index group = index(groups.of_row[row]);
      const double off = difference(loss, design.time[index(row)], out.own_->time[group]);
      for (std::size_t run = 0; run < design.runs_of(row); ++run)
        scatter[group] += off * off;
    }
  }
  out.count(runs, scatter);
  return out;
}

WeightedRows WeightedRows::take(std::span<const std::size_t> rows) const {
  WeightedRows out(*measured_);
  out.own_ = take_rows(design(), rows);
  VectorXd runs(index(rows.size()));
  VectorXd scatter = scatter_.size() > 0 ? runs : VectorXd();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    runs[index(i)] = weight(rows[i]);
    if (scatter_.size() > 0)
      scatter[index(i)] = scatter_[index(rows[i])];
  }
  out.count(runs, scatter);
  return out;
}

WeightedRows WeightedRows::with(Design design) const {
  WeightedRows out = *this;
  out.own_ = std::move(design);
  return out;
}

double WeightedRows::weight(std::size_t row) const {
  return weights_.size() > 0 ? weights_[index(row)] : 1;
}

void WeightedRows::count(const VectorXd& runs, const VectorXd& scatter) {
  std::uint64_t divisor = 0;
  for (const double weight : runs)
    divisor = std::gcd(divisor, static_cast<std::uint64_t>(weight));
  weights_ = runs / static_cast<double>(divisor);
  scatter_ = scatter / static_cast<double>(divisor);
  total_weight_ = weights_.sum();
  total_scatter_ = scatter_.sum();
  if ((weights_.array() == 1).all())
    weights_.resize(0);
}

}  // namespace perfmodel
