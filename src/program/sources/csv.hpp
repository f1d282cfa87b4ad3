#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/numbering.hpp"
#include "perfmodel/reading.hpp"

namespace perfmodel {

/// More columns indicate a transposed table or the samples of a profile, not settings of a run.
inline constexpr std::size_t kMostColumns = 1000;

/// A line of a file, without its line end.
struct NumberedLine {
  std::string text;
  std::uint32_t number = 0;
};

/// Parses the header, which comes first, and some lines of a file as parse_csv() parses a whole
/// file, and throws the same errors.
Table table_of_lines(std::span<const NumberedLine> lines, const std::string& source,
                     const std::set<std::string>& text_columns, const CellStyle& style);

/// A table, and its cells as texts: as they were written, but for the numbers in place of those
/// with decimal commas or marks of thousands.
struct TableAndCells {
  Table table;
  std::vector<Column> cells{};
};

/// As parse_csv(), with the cells.
TableAndCells parse_csv_with_cells(std::span<const CsvText> files, std::optional<char> separator);

/// What a file is that is no text, or no table, and what to do with it: "is a PDF; ..."; empty if
/// its bytes do not tell.
std::string verdict_on(std::string_view bytes);

/// The separator of a file: the one of comma, semicolon, tab and '|' that gives the header and the
/// first row the same number of fields; the comma takes precedence.
char separator_of(std::string_view bytes);

/// Builds a column cell by cell without an allocation per cell: numbers are appended, texts are
/// looked up among the levels seen so far.
class ColumnBuilder {
 public:
  enum class Kind { first_cell_decides, text };

  ColumnBuilder(std::string name, Kind kind);

  void add(std::string_view cell);

  const std::string& name() const { return column_.name; }
  /// True if the last cell was a text not seen before in this column.
  bool new_level() const { return new_level_; }
  Column take() &&;

 private:
  void add_number(std::string_view cell);
  void add_text(std::string_view cell);

  Column column_;
  std::size_t rows_ = 0;
  std::size_t decimals_ = 0;  ///< the most of a cell
  bool bare_zero_ = false;    ///< a cell is "0"
  bool undecided_;
  bool new_level_ = false;
  Numbering levels_;
};

/// The bytes of a file after the mark of UTF-8 that may stand at its beginning.
std::string_view without_byte_order_mark(std::string_view bytes);

/// Takes the first line off a text. Returns it without its line end.
std::string_view take_csv_line(std::string_view& text);

enum class FieldsEnd {
  complete,
  open_quote,        ///< a quoted field is not closed on its line
  text_after_quote,  ///< something other than a separator follows the closing quote
};

/// Splits a line of CSV into its fields (RFC 4180). Blanks, and tabs unless they are the separator,
/// are trimmed around a field. The views point into the line, in which doubled quotes are made
/// single. `fields` is overwritten.
FieldsEnd split_fields(std::span<char> line, char separator, std::vector<std::string_view>& fields);

}  // namespace perfmodel
