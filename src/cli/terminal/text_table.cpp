#include "cli/terminal/text_table.hpp"

#include <algorithm>

#include "base/printable.hpp"

namespace perfmodel::cli {

void TextTable::add(std::vector<std::string> cells) {
  std::transform(cells.begin(), cells.end(), cells.begin(), printable_word);
  rows_.push_back(std::move(cells));
}

std::vector<std::string> TextTable::lines(std::size_t indentation) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], display_width(row[i]));
  std::vector<std::string> lines;
  for (const auto& row : rows_) {
    std::string line(indentation, ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - display_width(row[i]), ' ');
      line += i == 0 ? "" : "  ";
      line += columns_[i] == Align::left ? row[i] + padding : padding + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string TextTable::text(std::size_t indentation) const {
  std::string text;
  for (const auto& line : lines(indentation))
    text += line + "\n";
  return text;
}

std::string TextTable::markdown() const {
  std::string text;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    text += "|";
    for (const auto& cell : rows_[r])
      text += " " + cell + " |";
    text += "\n";
    if (r == 0) {
      text += "|";
      for (const Align align : columns_)
        text += align == Align::left ? " --- |" : " ---: |";
      text += "\n";
    }
  }
  return text;
}

}  // namespace perfmodel::cli
