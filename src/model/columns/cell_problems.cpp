#include "model/columns/cell_problems.hpp"

#include "base/text.hpp"

namespace perfmodel {

void CellProblems::add_blank(std::size_t row, const Column& column) {
  add(
      row, column, [] { return "the cell is blank"; });
}

void CellProblems::add_not_a_number(std::size_t row, const Column& column) {
  const std::string text = column.text(row);
  if (text.empty())
    add_blank(row, column);
  else
    add(row, column, [&] { return quoted_cell(text) + " is not a number"; });
}

void CellProblems::add_too_small(std::size_t row, const Column& column, bool may_be_zero) {
  add(
      row, column,
      [&] { return column.text(row) + (may_be_zero ? " is not >= 0" : " is not > 0"); });
}

}  // namespace perfmodel
