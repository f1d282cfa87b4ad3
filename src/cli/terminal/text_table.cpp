#include "cli/terminal/text_table.hpp"

#include <algorithm>
#include <numeric>

#include "base/printable.hpp"
#include "cli/terminal/lines_within.hpp"

namespace perfmodel::cli {
namespace {

constexpr std::size_t kGap = 2;            // between columns
constexpr std::size_t kShortestText = 12;  // that still says something

/// A text in lines of at most `width`, all indented as the text is; a longer word is clipped.
std::vector<std::string> clipped_lines(const std::string& text, std::size_t width) {
  const std::size_t indentation = std::min(text.find_first_not_of(' '), text.size());
  std::vector<std::string> lines = lines_within(text, width, indentation);
  for (std::string& line : lines)
    line = clipped(line, width);
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
      cells.push_back(clipped_lines(i < row.size() ? printable_word(row[i]) : "", widths[i]));
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
  const auto show = [&](std::size_t column) {
    taken += widths[column] + (shown.empty() ? 0 : kGap);
    shown.push_back(column);
  };
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (width && shown.size() > keys_ && taken + kGap + widths[i] > *width) {
      add_lines(shown, widths, indentation, lines);
      lines.emplace_back();
      shown.clear();
      taken = indentation;
      for (std::size_t key = 0; key < keys_; ++key)
        show(key);
    }
    show(i);
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
