#include "perfmodel/data/table.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {

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
  return source + ":" + std::to_string(lines[row]);
}

}  // namespace perfmodel
