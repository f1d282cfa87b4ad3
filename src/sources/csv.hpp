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

#include "perfmodel/table.hpp"

namespace perfmodel {

/// A line of a file, without its end.
struct NumberedLine {
  std::string text;
  std::uint32_t number = 0;
};

/// The table of the header, which comes first, and some of the lines of a file, as parse_csv()
/// makes it of all. Throws what that does.
Table table_of_lines(std::span<const NumberedLine> lines, const std::string& source,
                     const std::set<std::string>& text_columns, const CellStyle& style);

/// What stands between the columns of a file, and whether its numbers have decimal commas.
///
/// The separator is the one of comma, semicolon, tab and '|' that gives the header and the first
/// row the same number of fields, the comma where it does. Where commas do not separate, "0,5" is
/// a number; a file in which each comma could be one of thousands ("1,024") beside decimal points
/// has no decimal commas.
CellStyle recognise_style(std::string_view bytes, std::optional<char> separator);

/// Whether this is a number with one decimal comma.
bool is_comma_number(std::string_view cell);

/// Grows one column cell by cell, without an allocation per cell: a number goes into the column, a
/// text is looked up among the levels seen so far.
class ColumnBuilder {
 public:
  enum class Kind { first_cell_decides, text };

  ColumnBuilder(std::string name, Kind kind);

  void add(std::string_view cell);

  const std::string& name() const { return column_.name; }
  /// Whether the last cell was a text not seen before in this column.
  bool new_level() const { return new_level_; }
  Column take() && { return std::move(column_); }

 private:
  void add_number(std::string_view cell);
  void add_text(std::string_view cell);
  std::uint32_t find_or_insert(std::string_view text);
  void insert_slot(std::uint32_t code);
  void double_slots();

  Column column_;
  std::size_t rows_ = 0;
  bool undecided_;
  bool new_level_ = false;
  /// A hash table with open addressing over `column_.levels`, which alone hold the texts: code + 1
  /// in each slot, 0 where it is free. A power of two of slots, at most half of them taken.
  std::vector<std::uint32_t> slots_;
};

/// How the splitting of a line ended.
enum class FieldsEnd {
  complete,
  open_quote,        ///< a quoted field is not closed on its line
  text_after_quote,  ///< something other than a separator follows the closing quote
};

/// Splits a line of CSV into its fields (RFC 4180), blanks and tabs around a field trimmed; a tab
/// that separates is no blank. The views point into the line; doubled quotes are made single in
/// place. `fields` is overwritten.
FieldsEnd split_fields(std::span<char> line, char separator, std::vector<std::string_view>& fields);

}  // namespace perfmodel
