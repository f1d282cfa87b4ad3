#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace perfmodel {

/// Whether a cell is a number, maybe with a unit and marks of thousands.
bool is_written_number(std::string_view cell);

/// A line of a file that is not blank, and its cells.
struct SheetRow {
  std::size_t line;  ///< from 1
  std::string text;
  std::vector<std::string> cells{};

  std::size_t width() const { return cells.size(); }
  std::size_t filled() const { return width() - to_size(std::ranges::count(cells, std::string())); }
  std::size_t numbers() const { return to_size(std::ranges::count_if(cells, is_written_number)); }
};

using SheetRows = std::vector<SheetRow>;

/// The rows of a table as people write it, and what is told about its differences from plain CSV.
struct Sheet {
  std::string source;
  std::optional<char> separator;  ///< of CSV
  SheetRows rows;                 ///< with the header
  std::size_t width = 0;          ///< that of most rows
  std::vector<std::string> notices{};

  /// The cells of a column from a row on; blank where a row has fewer.
  std::vector<std::string> column(std::size_t i, std::size_t first_row) const;
  /// How many numbers half of the rows have, or more.
  std::size_t usual_numbers() const;
  void tell(const std::string& sentence);
  /// Throws InputError for a line with as many numbers that stands `where` no row is expected.
  [[noreturn]] void refuse(const SheetRow& row, const std::string& where) const;
  /// Tells that rows, which are `what`, are left out.
  void tell_unread(std::span<const SheetRow> unread, const std::string& what);
  /// The same, and removes them.
  void drop(std::size_t begin, std::size_t end, const std::string& what);
};

/// The lines of a file that are not blank, with their cells between bars, separators or blanks, at
/// least two rows; nullopt if most lines have one cell, or quotes are malformed. `separator`: of
/// CSV, if the user names it. Throws InputError for several tables with bars, and for columns that
/// blanks do not separate.
///
/// Lines that begin with "#" are comments and left out. If the first of the others has numbers, the
/// comments right above it are its header.
std::optional<Sheet> sheet_of_lines(std::string_view bytes, const std::string& source,
                                    std::optional<char> separator);

/// Splits the rows of a sheet whose columns are separated by blanks: by two or more, so that "Step
/// Time (ms)" is one name, or else by single ones. Where the columns stand apart in all rows, up to
/// three lines are one header, names over several columns belong to each of them, and cells may be
/// blank. Returns false if the lines are no such rows; throws InputError for the first line of a
/// table that does not fit in.
bool split_at_blanks(Sheet& sheet);

/// A cell of Markdown without its marks: bold text, code, tags of HTML, and the address of a link.
std::string without_markup(std::string_view cell);

/// Box-drawing characters as "|", "-" and "+", so that tables of terminals are those of psql.
std::string without_boxes(std::string_view text);

/// A column "Unit" tells what the numbers of a column "Score", "Value" or of a time are. One unit
/// for all rows becomes a part of the name, but not in CSV, where scripts use the names; for
/// several, see take_unit_columns().
void take_units(Sheet& sheet);

/// Columns of numbers with an uncertainty ("12.5 +- 0.3", "12.5 (± 2 %)") become columns of
/// numbers, from the second row on. So do those with one word behind all numbers ("181 t/s"), which
/// becomes a part of their name; not in CSV, and words that quantities have stay.
void take_numbers(Sheet& sheet);

}  // namespace perfmodel
