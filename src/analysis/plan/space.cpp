#include "analysis/plan/space.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>

#include "base/text.hpp"
#include "model/columns/cell_problems.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel::plan {
namespace {

/// Six significant digits: what a reader of the plan can type again.
double rounded(double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return parse_number(text.data()).value_or(value);
}

double in_range(const SpaceColumn& column, double u) {
  if (column.whole && !column.logarithmic)
    return std::min(column.low + std::floor(u * (column.high - column.low + 1)), column.high);
  const double value = column.logarithmic ? column.low * std::pow(column.high / column.low, u)
                                          : column.low + u * (column.high - column.low);
  return std::clamp(column.whole ? std::round(value) : rounded(value), column.low, column.high);
}

/// The choice or number that a cell of a file is; nothing where the space does not have it.
std::optional<double> value_of_cell(const SpaceColumn& column, const std::string& text) {
  if (column.is_text()) {
    const auto found = std::find(column.levels.begin(), column.levels.end(), text);
    return found == column.levels.end()
               ? std::nullopt
               : std::optional(static_cast<double>(found - column.levels.begin()));
  }
  const auto number = parse_number(text);
  if (!number)
    return std::nullopt;
  const bool known = column.is_range() ? *number >= column.low && *number <= column.high
                                       : std::find(column.values.begin(), column.values.end(),
                                                   *number) != column.values.end();
  return known ? number : std::nullopt;
}

std::string expectation(const SpaceColumn& column) {
  if (column.is_range())
    return "a number from " + to_text(column.low) + " to " + to_text(column.high);
  if (column.is_text())
    return "one of " + quoted_list(column.levels);
  std::string list;
  for (const double value : column.values)
    list += (list.empty() ? "" : ", ") + to_text(value);
  return "one of " + list;
}

}  // namespace

double SpaceColumn::value_at(double u) const {
  if (is_range())
    return in_range(*this, u);
  const auto index =
      std::min(static_cast<std::size_t>(u * static_cast<double>(choices())), choices() - 1);
  return is_text() ? static_cast<double>(index) : values[index];
}

std::string SpaceColumn::text(double value) const {
  return is_text() ? levels[static_cast<std::size_t>(value)] : to_text(value);
}

std::vector<std::string> Space::names() const {
  std::vector<std::string> names;
  for (const SpaceColumn& column : columns)
    names.push_back(column.name);
  return names;
}

std::vector<std::string> Space::cells(const std::vector<double>& configuration) const {
  std::vector<std::string> cells;
  for (std::size_t c = 0; c < columns.size(); ++c)
    cells.push_back(columns[c].text(configuration[c]));
  return cells;
}

std::optional<double> Space::size() const {
  double size = 1;
  for (const SpaceColumn& column : columns) {
    if (column.is_range())
      return std::nullopt;
    size *= static_cast<double>(column.choices());
  }
  return size <= 0x1p53 ? std::optional(size) : std::nullopt;
}

Space space_of_values(const Table& table, const std::vector<std::string>& columns) {
  Space space;
  space.source = table.source;
  for (const std::string& name : columns) {
    const Column& cells = table.at(name);
    SpaceColumn column;
    column.name = name;
    if (cells.is_numeric()) {
      const std::set<double> values(cells.numbers.begin(), cells.numbers.end());
      column.values.assign(values.begin(), values.end());
    } else {
      column.levels = cells.levels;
      std::sort(column.levels.begin(), column.levels.end());
    }
    space.columns.push_back(std::move(column));
  }
  return space;
}

std::vector<double> formula_values(const Space& space, TextCodes& codes,
                                   const Configuration& configuration) {
  std::vector<double> values = configuration;
  for (std::size_t c = 0; c < space.columns.size(); ++c)
    if (space.columns[c].is_text())
      values[c] = codes.code(space.columns[c].text(configuration[c]));
  return values;
}

Conditions::Conditions(const Space& space) : space_(space) {
  for (const std::string& text : space.where)
    formulas_.emplace_back(text, space.names(), codes_, space.source + ": where");
}

bool Conditions::hold(const Configuration& configuration) const {
  if (formulas_.empty())
    return true;
  const auto values = formula_values(space_, codes_, configuration);
  return std::all_of(formulas_.begin(), formulas_.end(), [&](const Formula& formula) {
    const double value = formula(values);
    return value != 0 && !std::isnan(value);
  });
}

Table table_of(const Space& space, const std::vector<Configuration>& configurations) {
  Table table;
  table.source = space.source;
  for (std::size_t row = 0; row < configurations.size(); ++row)
    table.lines.push_back(static_cast<std::uint32_t>(row + 2));
  for (std::size_t c = 0; c < space.columns.size(); ++c) {
    const SpaceColumn& from = space.columns[c];
    Column column;
    column.name = from.name;
    column.kind = from.is_text() ? Column::Kind::text : Column::Kind::numeric;
    column.levels = from.levels;
    for (const Configuration& configuration : configurations)
      if (from.is_text())
        column.codes.push_back(static_cast<std::uint32_t>(configuration[c]));
      else
        column.numbers.push_back(configuration[c]);
    table.columns.push_back(std::move(column));
  }
  return table;
}

std::vector<Configuration> configurations_of(const Space& space, const Table& table) {
  std::vector<Configuration> configurations(table.rows(), Configuration(space.columns.size()));
  CellProblems problems(table);
  for (std::size_t c = 0; c < space.columns.size(); ++c) {
    const SpaceColumn& column = space.columns[c];
    const Column& cells = table.at(column.name);
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const auto value = value_of_cell(column, cells.text(row));
      if (value) {
        configurations[row][c] = *value;
      } else {
        problems.add(
            row, cells,
            [&] {
              return quoted_cell(cells.text(row)) + " is not in the space, which has " +
                     expectation(column);
            });
      }
    }
  }
  if (!problems.empty())
    throw InputError(problems.text());
  return configurations;
}

}  // namespace perfmodel::plan
