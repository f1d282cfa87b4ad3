#include "cli/terminal/text_table.hpp"

#include <algorithm>
#include <numeric>
#include <sstream>

#include "base/printable.hpp"

namespace perfmodel::cli {
namespace {

constexpr std::size_t kGap = 2;            // between columns
constexpr std::size_t kShortestText = 12;  // that still says something

/// A text in lines of at most `width`, cut at blanks; a longer word is clipped.
std::vector<std::string> words_within(const std::string& text, std::size_t width) {
  if (display_width(text) <= width)
    return {text};
  std::vector<std::string> lines;
  std::istringstream words(text);
  for (std::string word; words >> word;)
    if (!lines.empty() && display_width(lines.back()) + 1 + display_width(word) <= width)
      lines.back() += " " + word;
    else
      lines.push_back(clipped(word, width));
  return lines;
}

/// Takes from the widest texts what the columns are wider than the room for them.
void shorten_texts(const std::vector<Align>& columns, std::size_t room,
                   std::vector<std::size_t>& widths) {
  const auto taken = [&] {
    return std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
  };
  while (taken() > room) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (columns[i] == Align::left && widths[i] > kShortestText &&
          (widest == widths.size() || widths[i] > widths[widest]))
        widest = i;
    if (widest == widths.size())
      return;
    --widths[widest];
  }
}

}  // namespace

void TextTable::add(std::vector<std::string> cells) {
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> TextTable::widths() const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], display_width(printable_word(row[i])));
  return widths;
}

void TextTable::add_lines(const std::vector<std::size_t>& shown,
                          const std::vector<std::size_t>& widths, std::size_t indentation,
                          std::vector<std::string>& lines) const {
  for (const auto& row : rows_) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (const std::size_t i : shown) {
      cells.push_back(words_within(i < row.size() ? printable_word(row[i]) : "", widths[i]));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t l = 0; l < height; ++l) {
      std::string line(indentation, ' ');
      for (std::size_t k = 0; k < shown.size(); ++k) {
        const std::string cell = l < cells[k].size() ? cells[k][l] : "";
        const std::string padding(widths[shown[k]] - display_width(cell), ' ');
        line += k == 0 ? "" : std::string(kGap, ' ');
        line += columns_[shown[k]] == Align::left ? cell + padding : padding + cell;
      }
      line.erase(line.find_last_not_of(' ') + 1);
      lines.push_back(std::move(line));
    }
  }
}

std::vector<std::string> TextTable::lines(std::size_t indentation,
                                          std::optional<std::size_t> width) const {
  std::vector<std::size_t> widths = this->widths();
  if (width)
    shorten_texts(columns_, *width - indentation, widths);
  std::vector<std::string> lines;
  std::vector<std::size_t> shown;
  std::size_t taken = indentation;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (width && shown.size() > 1 && taken + kGap + widths[i] > *width) {
      add_lines(shown, widths, indentation, lines);
      lines.emplace_back();
      shown = {0};
      taken = indentation + widths[0];
    }
    taken += widths[i] + (shown.empty() ? 0 : kGap);
    shown.push_back(i);
  }
  add_lines(shown, widths, indentation, lines);
  return lines;
}

std::string TextTable::text(std::size_t indentation, std::optional<std::size_t> width) const {
  std::string text;
  for (const auto& line : lines(indentation, width))
    text += line + "\n";
  return text;
}

}  // namespace perfmodel::cli
