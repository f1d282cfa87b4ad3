#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace perfmodel::cli {

enum class Align { left, right };

/// Rows of cells in aligned columns, two spaces apart.
class TextTable {
 public:
  explicit TextTable(std::vector<Align> columns) : columns_(std::move(columns)) {}

  /// Missing cells at the end are blank.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// One line per row, each after `indentation` spaces and without trailing ones.
  std::vector<std::string> lines(std::size_t indentation) const;
  /// The lines as one text, each with its end.
  std::string text(std::size_t indentation) const;
  /// The rows as a Markdown table; the first is its header.
  std::string markdown() const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Characters of a UTF-8 text, as columns on a terminal (wide and combining ones count as one).
std::size_t display_width(std::string_view text);

/// The text, shortened in its middle to at most `width` characters.
std::string clipped(const std::string& text, std::size_t width);

/// Four significant digits: "0.00917", "1.46", "1.235e+05".
std::string short_number(double value);

/// "MAE [s]", or the name alone where the unit is not known.
std::string with_unit(const std::string& name, const std::string& unit);

/// "42.5 %"
std::string percent(double value);

}  // namespace perfmodel::cli
