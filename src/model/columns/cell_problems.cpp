#include "model/columns/cell_problems.hpp"

#include <algorithm>
#include <vector>

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

void CellProblems::set_remedy(const Column& column, const Sentence& remedy) {
  const auto found = columns_.find(static_cast<std::size_t>(&column - table_.columns.data()));
  if (found != columns_.end())
    found->second.remedy = remedy;
}

Sentence CellProblems::text() const {
  Sentence text;
  for (const auto& [order, column] : columns_) {
    const std::string name = ": column '" + table_.columns[order].name + "': ";
    if (!text.empty())
      text += "\n";
    if (column.count == 1)
      text += table_.where(column.first.begin()->first) + name + column.first.begin()->second;
    else
      text += table_.source + name + cells(column);
    if (!column.remedy.empty())
      text += "; " + column.remedy;
  }
  return text;
}

std::string CellProblems::place(std::size_t row) const {
  return table_.file.empty() ? std::to_string(table_.lines[row]) : table_.where(row);
}

/// "12 cells: "?" is not a number (lines 3, 4 and 7), the cell is blank (line 9), ... 8 more".
std::string CellProblems::cells(const OfColumn& column) const {
  std::vector<std::string> reasons;
  for (const auto& [row, reason] : column.first)
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end())
      reasons.push_back(reason);
  std::string text = std::to_string(column.count) + " cells";
  for (std::size_t k = 0; k < reasons.size(); ++k) {
    std::vector<std::string> places;
    for (const auto& [row, reason] : column.first)
      if (reason == reasons[k])
        places.push_back(place(row));
    const std::string lines = table_.file.empty() ? places.size() == 1 ? "line " : "lines " : "";
    text += (k == 0 ? ": " : ", ") + reasons[k] + " (" + lines + enumerated(places, places.size()) +
            ")";
  }
  const std::size_t more = column.count - column.first.size();
  return more == 0 ? text : text + " and " + std::to_string(more) + " more";
}

}  // namespace perfmodel
