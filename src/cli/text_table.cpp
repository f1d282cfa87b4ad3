#include "cli/text_table.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace perfmodel::cli {
namespace {

bool starts_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

}  // namespace

std::vector<std::string> TextTable::lines(std::size_t indentation) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
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
  for (const auto& line : lines(indentation)) {
    text += line + "\n";
  }
  return text;
}

std::string TextTable::markdown() const {
  std::string text;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    text += "|";
    for (const auto& cell : rows_[r]) {
      text += " " + cell + " |";
    }
    text += "\n";
    if (r == 0) {
      text += "|";
      for (const Align align : columns_) {
        text += align == Align::left ? " --- |" : " ---: |";
      }
      text += "\n";
    }
  }
  return text;
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

std::string clipped(const std::string& text, std::size_t width) {
  if (display_width(text) <= width) {
    return text;
  }
  std::vector<std::string> characters;
  for (const char byte : text) {
    if (starts_character(byte) || characters.empty()) {
      characters.emplace_back();
    }
    characters.back() += byte;
  }
  const std::size_t head = (width - 1) / 2;
  const std::size_t tail = width - 1 - head;
  std::string result;
  for (std::size_t i = 0; i < characters.size(); ++i) {
    if (i < head || i + tail >= characters.size()) {
      result += characters[i];
    } else if (i == head) {
      result += "\u2026";
    }
  }
  return result;
}

std::string short_number(double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : name + " [" + unit + "]";
}

std::string percent(double value) {
  std::array<char, 400> text{};  // the largest double has 309 digits
  std::snprintf(text.data(), text.size(), "%.1f %%", value);
  return text.data();
}

}  // namespace perfmodel::cli
