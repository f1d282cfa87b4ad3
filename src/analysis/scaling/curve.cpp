#include "analysis/scaling/curve.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.hpp"
#include "model/columns/cell_problems.hpp"
#include "model/columns/role_values.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel::scaling {
namespace {

using perfmodel::to_text;

std::vector<double> positive_numbers(const Table& table, const std::string& name,
                                     CellProblems& problems) {
  const Column& column = table.at(name);
  std::vector<double> values(table.rows());
  for (std::size_t row = 0; row < values.size(); ++row) {
    const auto number =
        column.is_numeric() ? std::optional(column.numbers[row]) : parse_number(column.text(row));
    if (!number || std::isnan(*number))
      problems.add_not_a_number(row, column);
    else if (*number <= 0)
      problems.add_too_small(row, column, false);
    else
      values[row] = *number;
  }
  return values;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// Scale -> times of one configuration.
using Times = std::map<double, std::vector<double>>;

std::map<std::string, Times> times_by_configuration(const Table& table,
                                                    const CurveColumns& columns) {
  CellProblems problems(table);
  const auto scales = positive_numbers(table, columns.scale, problems);
  const auto targets = positive_numbers(table, columns.target, problems);
  problems.set_remedy(table.at(columns.scale), "a scale is a number > 0");
  problems.set_remedy(table.at(columns.target),
                      remedy_of_measured(columns.target_is_throughput ? "throughput" : "time",
                                         table, table.at(columns.target)));
  if (!problems.empty())
    throw InputError(problems.text());
  std::map<std::string, Times> configurations;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::string key;
    for (const Column& column : table.columns) {
      const bool shared = column.name != columns.scale && column.name != columns.target &&
                          !columns.ignore.contains(column.name);
      key += shared ? column.text(row) + '\0' : "";
    }
    configurations[key][scales[row]].push_back(columns.target_is_throughput ? 1 / targets[row]
                                                                            : targets[row]);
  }
  return configurations;
}

}  // namespace

Curve curve_of(const Table& table, const CurveColumns& columns) {
  const auto configurations = times_by_configuration(table, columns);
  std::set<double> scales;
  for (const auto& [key, times] : configurations)
    for (const auto& [scale, runs] : times)
      scales.insert(scale);
  if (scales.size() < 2) {
    throw InputError(table.source + ": column '" + columns.scale + "' has the value " +
                     to_text(*scales.begin()) + " only; scaling needs at least two");
  }
  Curve curve;
  curve.relative = configurations.size() > 1;
  const double first = *scales.begin();
  for (const double scale : scales) {
    double log_sum = 0;
    std::size_t both = 0;
    for (const auto& [key, times] : configurations) {
      const auto here = times.find(scale);
      const auto there = times.find(first);
      if (here != times.end() && there != times.end() && times.size() > 1) {
        const double reference = curve.relative ? median(there->second) : 1;
        log_sum += std::log(median(here->second) / reference);
        ++both;
      }
    }
    if (both > 0)
      curve.timings.push_back({scale, std::exp(log_sum / static_cast<double>(both)), both});
  }
  if (curve.timings.size() < 2) {
    throw InputError(
        table.source + ": no two rows differ in '" + columns.scale +
        "' alone, so nothing can be compared with " + columns.scale + " = " + to_text(first) +
        "; fit a model and pass that instead, or leave columns out with " + Field{"ignore"});
  }
  return curve;
}

}  // namespace perfmodel::scaling
