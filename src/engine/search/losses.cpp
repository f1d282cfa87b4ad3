#include "search/losses.hpp"

#include <cmath>
#include <numeric>

#include "base/statistics.hpp"
#include "base/text.hpp"
#include "columns/replicates.hpp"
#include "table/table.hpp"

namespace perfmodel {

namespace {

/// Errors of predictions on the scale of the loss.
ArrayXd errors_of(Loss loss, const VectorXd& measured, const VectorXd& predicted) {
  switch (facts_of(loss).of) {
    case ErrorOf::time:
      break;
    case ErrorOf::relative:
      return (measured - predicted).array() / measured.array();
    case ErrorOf::logarithm:
      return measured.array().log() - predicted.array().log();
  }
  return measured - predicted;
}

/// For a loss with a second derivative: scores are divided by its mean.
Curvature smooth_curvature(Loss loss, const VectorXd& measured, const VectorXd& safe) {
  const Bend bend = facts_of(loss).bend(errors_of(loss, measured, safe));
  const VectorXd per_time =
      is_logarithmic(loss) ? VectorXd(safe.cwiseInverse()) : deviation_weights(loss, measured);
  return {per_time.cwiseAbs2(), bend.slope / bend.curvature.mean()};
}

/// Cost of evaluating a weighted row, relative to an unweighted one.
constexpr double kCostOfWeight = 1.1;

/// difference() of two times on the scale of a squared loss; shifted() is the inverse. Both are
/// exact for equal times.
double difference(Loss loss, double time, double from) {
  return is_logarithmic(loss) ? std::log(time / from) : time - from;
}

double shifted(Loss loss, double from, double difference) {
  return is_logarithmic(loss) ? from * std::exp(difference) : from + difference;
}

}  // namespace

ArrayXd row_losses(const SignedLoss& loss, const VectorXd& measured, const VectorXd& predicted) {
  const ArrayXd errors = errors_of(loss.loss, measured, predicted);
  const ArrayXd out = facts_of(loss.loss).count(errors);
  return loss.tilt == 0 ? out : ArrayXd(out + loss.tilt * errors);
}

RowDerivatives row_derivatives(Loss loss, const VectorXd& measured, const VectorXd& predicted) {
  const Bend bend = facts_of(loss).bend(errors_of(loss, measured, predicted));
  if (!is_logarithmic(loss)) {
    const ArrayXd per_time = deviation_weights(loss, measured);
    return {-bend.slope * per_time, {}, bend.curvature * per_time.square()};
  }
  const ArrayXd y = predicted.array();
  return {-bend.slope / y, (bend.curvature + bend.slope) / y.square(), bend.curvature / y.square()};
}

double loss_value(const SignedLoss& loss, const VectorXd& measured, const VectorXd& predicted) {
  const double mean = row_losses(loss, measured, predicted).mean();
  return facts_of(loss.loss).is_root ? std::sqrt(mean) : mean;
}

double loss_of_time(Loss loss, double time) {
  if (facts_of(loss).of != ErrorOf::time)
    return 1;
  return is_squared(loss) ? time * time : time;
}

bool is_absolute(Loss loss) {
  return facts_of(loss).shape == ErrorShape::absolute;
}

bool is_squared(Loss loss) {
  return facts_of(loss).shape == ErrorShape::squared;
}

bool is_logarithmic(Loss loss) {
  return facts_of(loss).of == ErrorOf::logarithm;
}

VectorXd deviation_weights(Loss loss, const VectorXd& measured) {
  return facts_of(loss).of == ErrorOf::relative ? VectorXd(measured.cwiseInverse())
                                                : VectorXd::Ones(measured.size());
}

Curvature curvature_of(Loss loss, const Design& runs, const VectorXd& predicted) {
  const VectorXd& measured = runs.time;
  const VectorXd safe = predicted.cwiseMax(1e-6 * measured);
  const VectorXd residual = measured - predicted;
  if (is_absolute(loss)) {
    const double sparsity = 2 * median(residual.cwiseQuotient(safe).cwiseAbs());
    if (facts_of(loss).of == ErrorOf::time)
      return {safe.cwiseInverse(), sparsity * safe.cwiseSqrt()};
    return {measured.array().square().inverse(), VectorXd::Constant(measured.size(), sparsity)};
  }
  if (is_squared(loss) && is_logarithmic(loss))
    return {measured.array().square().inverse(), residual.cwiseQuotient(measured)};
  if (is_squared(loss))
    return {VectorXd::Ones(measured.size()), residual};
  return smooth_curvature(loss, measured, safe);
}

WeightedRows::WeightedRows(const Design& design)
    : measured_(&design), total_weight_(static_cast<double>(design.rows)) {}

WeightedRows WeightedRows::merged(const Design& design, Loss loss) {
  WeightedRows out(design);
  const RowGroups groups =
      is_squared(loss) ? configuration_groups(design) : equal_row_groups(design);
  if (kCostOfWeight * static_cast<double>(groups.count) > static_cast<double>(design.rows))
    return out;

  std::vector<std::size_t> first_rows;
  VectorXd runs = VectorXd::Zero(index(groups.count));
  VectorXd shift = runs;
  for (std::size_t row = 0; row < design.rows; ++row) {
    const std::size_t group = groups.of_row[row];
    if (group == first_rows.size())
      first_rows.push_back(row);
    const double off =
        difference(loss, design.time[index(row)], design.time[index(first_rows[group])]);
    shift[index(group)] += off;
    ++runs[index(group)];
  }
  out.own_ = take_rows(design, first_rows);
  for (std::size_t group = 0; group < groups.count; ++group) {
    double& time = out.own_->time[index(group)];
    time = shifted(loss, time, shift[index(group)] / runs[index(group)]);
  }
  VectorXd scatter;
  if (is_squared(loss)) {
    scatter = VectorXd::Zero(index(groups.count));
    for (std::size_t row = 0; row < design.rows; ++row) {
      const Index group = index(groups.of_row[row]);
      const double off = difference(loss, design.time[index(row)], out.own_->time[group]);
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
