#include "analysis/rearrangement.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "base/message.hpp"
#include "base/text.hpp"
#include "perfmodel/error.hpp"
#include "table/spec.hpp"
#include "table/table.hpp"

namespace perfmodel {
namespace {

using Eigen::VectorXd;

constexpr std::size_t kMostDirections = 3;
constexpr std::size_t kPointsOfRange = 17;
constexpr std::size_t kMostTimes = 1'000'000;  // of one group of rows

/// Ascending points of an axis: the values of the rows and points of the measured range.
std::vector<double> axis_of(const NumericInput& input, const std::vector<double>& values,
                            std::span<const std::size_t> rows) {
  std::vector<double> out;
  for (const std::size_t row : rows)
    out.push_back(values[row]);
  for (std::size_t k = 0; k < kPointsOfRange; ++k) {
    const double share = static_cast<double>(k) / (kPointsOfRange - 1);
    out.push_back(input.low > 0 ? input.low * std::pow(input.high / input.low, share)
                                : input.low + share * (input.high - input.low));
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// Times at the points of a grid; the last axis is the fastest.
class Grid {
 public:
  Grid(const FittedModel& model, const Table& rows, std::span<const std::size_t> group,
       std::span<const Monotone> directions)
      : directions_(directions) {
    std::size_t points = 1;
    for (const Monotone& direction : directions) {
      axes_.push_back(axis_of(*input_called(model.spec, direction.column),
                              rows.at(direction.column).numbers, group));
      points *= axes_.back().size();
    }
    if (points > kMostTimes)
      throw UsageError(
          message("{} needs {} predictions for rows that differ in these columns "
                  "alone, more than {}; name fewer columns, or pass fewer rows",
                  Field{"monotone"}, points, kMostTimes));
    Table all = take_rows(rows, std::vector<std::size_t>(points, group.front()));
    for (std::size_t axis = 0; axis < axes_.size(); ++axis)
      for (Column& column : all.columns)
        for (std::size_t point = 0; column.name == directions[axis].column && point < points;
             ++point)
          column.numbers[point] = axes_[axis][point / stride(axis) % axes_[axis].size()];
    times_ = predict(model, make_design(all, model.spec, Target::absent));
  }

  bool has_times() const { return std::ranges::all_of(times_, is_time); }

  void rearrange() {
    std::vector<std::size_t> order(axes_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    VectorXd sum = VectorXd::Zero(times_.size());
    double orders = 0;
    do {
      VectorXd times = times_;
      for (const std::size_t axis : order)
        sort_along(axis, times);
      sum += times;
      ++orders;
    } while (std::next_permutation(order.begin(), order.end()));
    times_ = sum / orders;
  }

  double at(const Table& rows, std::size_t row) const {
    std::size_t point = 0;
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      const double value = rows.at(directions_[axis].column).numbers[row];
      const auto place = std::ranges::lower_bound(axes_[axis], value) - axes_[axis].begin();
      point += static_cast<std::size_t>(place) * stride(axis);
    }
    return times_[index(point)];
  }

 private:
  std::span<const Monotone> directions_;
  std::vector<std::vector<double>> axes_;
  VectorXd times_;

  std::size_t stride(std::size_t axis) const {
    std::size_t out = 1;
    while (++axis < axes_.size())
      out *= axes_[axis].size();
    return out;
  }

  void sort_along(std::size_t axis, VectorXd& times) const {
    const std::size_t step = stride(axis);
    const std::size_t length = axes_[axis].size();
    std::vector<double> line(length);
    for (std::size_t first = 0; first < to_size(times.size()); ++first) {
      if (first / step % length != 0)
        continue;
      for (std::size_t k = 0; k < length; ++k)
        line[k] = times[index(first + k * step)];
      if (directions_[axis].rises)
        std::ranges::sort(line);
      else
        std::ranges::sort(line, std::greater());
      for (std::size_t k = 0; k < length; ++k)
        times[index(first + k * step)] = line[k];
    }
  }
};

}  // namespace

void check_directions(const ModelSpec& spec, std::span<const Monotone> directions) {
  if (directions.size() > kMostDirections)
    throw UsageError(message("{} takes {} columns at most", Field{"monotone"}, kMostDirections));
  std::vector<std::string> known;
  for (const auto* inputs : {&spec.extrinsic, &spec.intrinsic})
    for (const NumericInput& input : *inputs)
      if (!spec.is_derived(input.column))
        known.push_back(input.column);
  for (std::size_t k = 0; k < directions.size(); ++k) {
    const std::string& column = directions[k].column;
    if (std::ranges::find(known, column) == known.end())
      throw UsageError(message("{}: '{}' is no numeric input of the model{}", Field{"monotone"},
                               column, did_you_mean_one_of(column, known)));
    for (std::size_t other = 0; other < k; ++other)
      if (directions[other].column == column)
        throw UsageError(message("{} names '{}' twice", Field{"monotone"}, column));
  }
}

void rearrange(const FittedModel& model, const Table& rows, std::span<const Monotone> directions,
               VectorXd& times) {
  std::vector<std::string> others = required_columns(model.spec);
  std::erase_if(others, [&](const std::string& column) {
    return std::ranges::find(directions, column, &Monotone::column) != directions.end();
  });
  for (const TableGroup& group : groups_of(rows, others)) {
    Grid grid(model, rows, group.rows, directions);
    if (!grid.has_times())
      continue;
    grid.rearrange();
    for (const std::size_t row : group.rows)
      times[index(row)] = grid.at(rows, row);
  }
}

}  // namespace perfmodel
