#include "scaling/scaling.hpp"

#include <fmt/format.h>
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>

#include "base/statistics.hpp"
#include "base/text.hpp"
#include "columns/spec.hpp"
#include "perfmodel/error.hpp"
#include "roles/roles.hpp"
#include "table/table.hpp"
#include "trust/turning.hpp"

namespace perfmodel::scaling {
namespace {

using perfmodel::to_text;

std::vector<double> positive_numbers(const Table& table, const std::string& name,
                                     CellProblems& problems) {
  const Column& column = table.at(name);
  std::vector<double> values = numbers_of(column);
  for (std::size_t row = 0; row < values.size(); ++row)
    problems.check(row, column, values[row], false);
  return values;
}

constexpr double kUnlike = 2;  // ratio of times: the mean of two such values describes neither

/// Scale -> times of one configuration.
using Times = std::map<double, std::vector<double>>;

/// Rows that agree in all columns but the scale, the target and the ignored ones.
struct Measured {
  std::vector<std::size_t> rows;
  Times times;

  bool is_comparable(double first) const { return times.size() > 1 && times.contains(first); }
};

/// By the texts of the columns in which they agree.
using Configurations = std::map<std::vector<std::string>, Measured>;

std::vector<const Column*> other_columns(const Table& table, const CurveColumns& columns) {
  std::vector<const Column*> out;
  for (const Column& column : table.columns)
    if (column.name != columns.scale && column.name != columns.target &&
        !columns.ignore.contains(column.name))
      out.push_back(&column);
  return out;
}

Configurations configurations_of(const Table& table, const CurveColumns& columns) {
  CellProblems problems(table);
  const auto scales = positive_numbers(table, columns.scale, problems);
  const auto targets = positive_numbers(table, columns.target, problems);
  problems.set_remedy(table.at(columns.scale), "a scale is a number > 0");
  problems.set_remedy(table.at(columns.target),
                      remedy_of_measured(columns.target_is_throughput ? "throughput" : "time",
                                         table, table.at(columns.target)));
  if (!problems.empty())
    throw InputError(problems.text());
  const std::vector<const Column*> others = other_columns(table, columns);
  Configurations out;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::vector<std::string> cells =
        mapped(others, [&](const Column* column) { return column->text(row); });
    Measured& measured = out[cells];
    measured.rows.push_back(row);
    measured.times[scales[row]].push_back(columns.target_is_throughput ? 1 / targets[row]
                                                                       : targets[row]);
  }
  return out;
}

/// Mean change of ln(time) from one scale to another, over the configurations that have both.
struct Link {
  double change = 0;
  std::size_t configurations = 0;
};

Link link_between(const std::vector<const Times*>& some, double from, double to) {
  Link out;
  for (const Times* times : some) {
    if (!times->contains(from) || !times->contains(to))
      continue;
    out.change += std::log(sample_median(times->at(to)) / sample_median(times->at(from)));
    ++out.configurations;
  }
  if (out.configurations > 0)
    out.change /= static_cast<double>(out.configurations);
  return out;
}

/// Times of the configurations, geometric means; relative to the first scale if there are several
/// in the file. Each scale is compared with an earlier one over the configurations that have both
/// (chained relatives): a mean over other configurations than at the scale before would take their
/// difference for an effect of the scale.
std::vector<Timing> mean_times(const std::vector<const Measured*>& some, double first,
                               bool relative) {
  std::vector<const Times*> comparable;
  std::map<double, std::size_t> counts;
  for (const Measured* each : some) {
    if (!each->is_comparable(first))
      continue;
    comparable.push_back(&each->times);
    for (const auto& [scale, runs] : each->times)
      ++counts[scale];
  }
  std::vector<Timing> out;
  for (const auto& [scale, count] : counts) {
    double log_time =
        relative || !out.empty() ? 0 : std::log(sample_median(comparable.front()->at(scale)));
    Link best;  // of the latest scale that shares most
    for (auto earlier = out.rbegin(); earlier != out.rend(); ++earlier) {
      const Link link = link_between(comparable, earlier->scale, scale);
      if (link.configurations <= best.configurations)
        continue;
      best = link;
      log_time = std::log(earlier->time) + link.change;
    }
    out.push_back({scale, std::exp(log_time), count});
  }
  return out;
}

constexpr double kMostChanceOfLevels = 0.01;  // of all values together
constexpr double kUnlikeTexts = 1.1;          // as kUnlike, if it is beyond noise
constexpr std::size_t kMostCells = 1 << 20;   // of a regression

/// Whether relative times differ between the values of column `c` by more than noise: ln t of all
/// runs, regressed on configurations and scales, and on a further slope and curvature of a value.
bool differ_beyond_noise(std::size_t c, const Configurations& configurations) {
  std::map<double, Eigen::Index> scales;
  std::size_t rows = 0;
  for (const auto& [cells, measured] : configurations)
    for (const auto& [scale, times] : measured.times) {
      scales.try_emplace(scale, 0);
      rows += times.size();
    }
  Eigen::Index width = 0;
  for (auto& [scale, place] : scales)
    place = width++;
  const auto columns = to_size(width) + configurations.size();
  if (rows * columns > kMostCells)
    return false;
  Eigen::MatrixXd known = Eigen::MatrixXd::Zero(index(rows), index(columns));
  Eigen::VectorXd logs(index(rows));
  Eigen::VectorXd slope(index(rows));
  std::map<std::string, std::vector<Eigen::Index>> rows_of;
  Eigen::Index row = 0;
  for (const auto& [cells, measured] : configurations) {
    for (const auto& [scale, times] : measured.times)
      for (const double time : times) {
        known(row, scales.at(scale)) = known(row, width) = 1;
        logs[row] = std::log(time);
        slope[row] = std::log(scale);
        rows_of[cells[c]].push_back(row++);
      }
    ++width;
  }
  double least = 1;
  for (const auto& [value, own] : rows_of)
    for (const double power : {1.0, 2.0}) {
      Eigen::VectorXd added = Eigen::VectorXd::Zero(index(rows));
      added(own) = slope(own).array().pow(power);
      if (const auto found = regression_with(known, added, logs))
        least = std::min(least, found->chance);
    }
  return least * static_cast<double>(2 * rows_of.size()) <= kMostChanceOfLevels;
}

/// The largest difference between two values of column `c` of the configurations.
std::optional<Unlike> unlike_values(const Column& column, std::size_t c,
                                    const Configurations& configurations,
                                    const std::string& scale_name, double first) {
  std::map<std::string, std::vector<const Measured*>> by_value;
  for (const auto& [cells, measured] : configurations)
    by_value[cells[c]].push_back(&measured);
  std::map<double, std::vector<std::pair<double, std::string>>> at;
  for (const auto& [value, some] : by_value)
    for (const Timing& timing : mean_times(some, first, true))
      at[timing.scale].emplace_back(timing.time, value);
  std::optional<Unlike> out;
  double most =
      !column.is_numeric() && differ_beyond_noise(c, configurations) ? kUnlikeTexts : kUnlike;
  for (const auto& [scale, times] : at) {
    const auto [low, high] = std::ranges::minmax(times);
    if (!(high.first > most * low.first))
      continue;
    most = high.first / low.first;
    out = {column.name, !column.is_numeric(),
           fmt::format("at {} = {}, {} = {} takes {} times as long as at {}, {} takes {} times",
                       scale_name, to_text(scale), column.name, low.second, rounded(low.first),
                       to_text(first), high.second, rounded(high.first))};
  }
  return out;
}

}  // namespace

Curve curve_of(const Table& table, const CurveColumns& columns) {
  const Configurations configurations = configurations_of(table, columns);
  std::set<double> scales;
  std::vector<const Measured*> all;
  for (const auto& [cells, measured] : configurations) {
    all.push_back(&measured);
    for (const auto& [scale, runs] : measured.times)
      scales.insert(scale);
  }
  if (scales.size() < 2)
    throw InputError(
        fmt::format("{}: column '{}' has the value {} only; scaling needs at least two",
                    table.source, columns.scale, to_text(*scales.begin())));
  const double first = *scales.begin();
  Curve curve;
  curve.relative = configurations.size() > 1;
  curve.timings = mean_times(all, first, curve.relative);
  if (curve.timings.size() < 2)
    throw InputError(fmt::format(
        "{0}: no two rows differ in '{1}' alone, so nothing can be compared with {1} = {2}; fit a "
        "model and pass that instead, or leave columns out with --ignore",
        table.source, columns.scale, to_text(first)));
  for (const Measured* each : all)
    for (const std::size_t row : each->rows)
      if (!each->is_comparable(first))
        curve.left_out.push_back(table.lines[row]);
  std::ranges::sort(curve.left_out);
  const std::vector<const Column*> others = other_columns(table, columns);
  for (std::size_t c = 0; c < others.size(); ++c)
    if (auto found = unlike_values(*others[c], c, configurations, columns.scale, first))
      if (!curve.unlike || found->is_text > curve.unlike->is_text)
        curve.unlike = std::move(found);
  return curve;
}

}  // namespace perfmodel::scaling
