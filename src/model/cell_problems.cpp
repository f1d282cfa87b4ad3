#include "model/cell_problems.hpp"

#include "perfmodel/base/text.hpp"

namespace perfmodel {

void CellProblems::add_not_a_number(std::size_t row, const Column& column) {
  add(row, column, [&] {
    const std::string text = column.text(row);
    return text.empty() ? "the cell is blank" : quoted_cell(text) + " is not a number";
  });
}

void CellProblems::add_not_positive(std::size_t row, const Column& column) {
  add(row, column, [&] { return column.text(row) + " is not > 0"; });
}

}  // namespace perfmodel
