#include "model/columns/facts/log_columns.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace perfmodel {

bool is_same_everywhere(const std::vector<SignedColumn>& product, double agreement) {
  double low = 0;
  double high = 0;
  const std::size_t rows = product.front().column->logarithms.size();
  for (std::size_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (const SignedColumn& factor : product)
      sum += factor.power * factor.column->logarithms[row];
    low = row == 0 ? sum : std::min(low, sum);
    high = row == 0 ? sum : std::max(high, sum);
    if (high - low > 2 * agreement)
      return false;
  }
  return true;
}

std::vector<LogColumn> log_columns(const std::vector<const ColumnPart*>& parts) {
  std::vector<LogColumn> result;
  for (const ColumnPart* part : parts) {
    const Column& column = *part->column;
    if (!column.is_numeric() || !column.bad_cells.empty() || !part->facts.all_positive ||
        part->facts.constant)
      continue;
    std::vector<double> logarithms;
    logarithms.reserve(column.numbers.size());
    for (const double x : column.numbers)
      logarithms.push_back(std::log(x));
    result.push_back({part, std::move(logarithms), is_whole(column)});
  }
  std::sort(result.begin(), result.end(),
            [](const LogColumn& a, const LogColumn& b) { return a.name() < b.name(); });
  return result;
}

std::string product_text(const std::vector<Factor>& factors) {
  std::string above;
  std::string below;
  for (const Factor& factor : factors)
    if (factor.power > 0)
      above += (above.empty() ? "" : " * ") + factor.column;
    else
      below += " / " + factor.column;
  return (above.empty() ? "1" : above) + below;
}

std::size_t distinct_values(const Column& column) {
  if (!column.is_numeric())
    return column.levels.size();
  return std::set<double>(column.numbers.begin(), column.numbers.end()).size();
}

bool is_whole(const Column& column) {
  return std::all_of(
      column.numbers.begin(), column.numbers.end(), [](double x) { return x == std::floor(x); });
}

}  // namespace perfmodel
