#include "fit/task/weighted_rows.hpp"

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/index.hpp"
#include "fit/task/loss_value.hpp"
#include "model/design/row_groups.hpp"

namespace perfmodel {
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
