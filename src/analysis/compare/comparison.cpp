#include "perfmodel/analysis/compare/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

constexpr double kTrainingShare = 0.6;  // of the distinct values

double default_limit(const std::set<double>& values) {
  const auto count = static_cast<double>(values.size());
  const double kept = std::min(std::ceil(kTrainingShare * count), count - 1);
  return *std::next(values.begin(), static_cast<std::ptrdiff_t>(kept) - 1);
}

}  // namespace

Extrapolation split_by_value(const Table& table, std::span<const std::size_t> rows,
                             std::string_view column, std::optional<double> limit) {
  const Column& source = table.at(column);
  if (!source.is_numeric()) {
    throw InputError("column '" + source.name + "' in " + table.source +
                     " holds texts; only numbers can be extrapolated");
  }
  const std::set<double> values(source.numbers.begin(), source.numbers.end());
  if (values.size() < 2) {
    throw UsageError(Field{"extrapolate"} + " " + source.name + ": " + table.source +
                     " has only one value of it, so nothing is higher");
  }
  Extrapolation out;
  out.limit = limit.value_or(default_limit(values));
  for (const std::size_t row : rows)
    (source.numbers[row] <= out.limit ? out.split.train : out.split.test).push_back(row);
  if (out.split.train.empty() || out.split.test.empty()) {
    throw UsageError(Field{"extrapolate"} + " " + source.name + ":" + to_text(out.limit) + ": " +
                     table.source + " has values from " + to_text(*values.begin()) + " to " +
                     to_text(*values.rbegin()) + ", so one side would have no rows");
  }
  return out;
}

}  // namespace perfmodel
