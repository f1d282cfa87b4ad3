#include "perfmodel/data/table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/text.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

Column chosen_numbers(const Column& column, std::span<const std::size_t> rows) {
  Column out;
  out.name = column.name;
  out.formula = column.formula;
  out.numbers.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out.numbers.push_back(column.numbers[rows[i]]);
    if (std::isnan(out.numbers.back()))
      out.bad_cells.push_back({i, column.text(rows[i])});
  }
  return out;
}

Column chosen_texts(const Column& column, std::span<const std::size_t> rows) {
  Column out;
  out.name = column.name;
  out.kind = Column::Kind::text;
  out.formula = column.formula;
  constexpr auto unseen = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> code_of(column.levels.size(), unseen);
  out.codes.reserve(rows.size());
  for (const std::size_t row : rows) {
    std::uint32_t& code = code_of[column.codes[row]];
    if (code == unseen) {
      code = static_cast<std::uint32_t>(out.levels.size());
      out.levels.push_back(column.levels[column.codes[row]]);
    }
    out.codes.push_back(code);
  }
  return out;
}

}  // namespace

std::string Column::text(std::size_t row) const {
  if (!is_numeric())
    return levels[codes[row]];
  const auto bad =
      std::lower_bound(bad_cells.begin(), bad_cells.end(), row,
                       [](const BadCell& cell, std::size_t r) { return cell.row < r; });
  if (bad != bad_cells.end() && bad->row == row)
    return bad->text;
  return to_text(numbers[row] + 0.0);  // -0 is written "0", as it is equal to it
}

std::size_t Table::measured_runs() const {
  return runs.empty() ? rows() : std::accumulate(runs.begin(), runs.end(), std::size_t{0});
}

const Column* Table::find(std::string_view name) const {
  const auto column =
      std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
  return column == columns.end() ? nullptr : &*column;
}

const Column& Table::at(std::string_view name) const {
  if (const Column* column = find(name))
    return *column;
  throw InputError(no_column(name));
}

std::string Table::no_column(std::string_view name) const {
  const std::vector<std::string> known = names();
  return "no column '" + std::string(name) + "' in " + source + did_you_mean(name, known);
}

std::vector<std::string> Table::names() const {
  std::vector<std::string> result;
  result.reserve(columns.size());
  for (const Column& column : columns)
    result.push_back(column.name);
  return result;
}

std::string Table::where(std::size_t row) const {
  return (file.empty() ? source : sources[file[row]]) + ":" + std::to_string(lines[row]);
}

Table take_rows(const Table& table, std::span<const std::size_t> rows) {
  Table out;
  out.source = table.source;
  out.style = table.style;
  out.sources = table.sources;
  for (const std::size_t row : rows) {
    out.lines.push_back(table.lines[row]);
    if (!table.file.empty())
      out.file.push_back(table.file[row]);
    if (!table.runs.empty())
      out.runs.push_back(table.runs[row]);
  }
  for (const Column& column : table.columns)
    out.columns.push_back(column.is_numeric() ? chosen_numbers(column, rows)
                                              : chosen_texts(column, rows));
  return out;
}

}  // namespace perfmodel
