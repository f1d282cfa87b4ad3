#include "cli/terminal/text_table.hpp"

#include <algorithm>

#include "base/printable.hpp"

namespace perfmodel::cli {

void TextTable::add(std::vector<std::string> cells) {
  rows_.push_back(std::move(cells));
}

std::vector<std::string> TextTable::lines(std::size_t indentation) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  std::vector<std::vector<std::string>> rows = rows_;
  for (auto& row : rows)
    std::transform(row.begin(), row.end(), row.begin(), printable_word);
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], display_width(row[i]));
  std::vector<std::string> lines;
  for (const auto& row : rows) {
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

}  // namespace perfmodel::cli
