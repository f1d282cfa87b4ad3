#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perfmodel {

/// A cell that is not a number in a column that began with numbers.
struct BadCell {
  std::size_t row;   ///< index of the row in the table
  std::string text;  ///< as it stands in the file
};

/// One named column. Numeric columns hold `numbers`; text columns hold `codes` into `levels`.
struct Column {
  enum class Kind { numeric, text };

  std::string name;
  Kind kind = Kind::numeric;
  std::vector<double> numbers;       ///< one per row; NaN where a bad cell stands
  std::vector<std::uint32_t> codes;  ///< one per row, index into `levels`
  std::vector<std::string> levels;   ///< distinct texts in order of first appearance
  std::vector<BadCell> bad_cells;    ///< numeric columns only: every cell that is not a number
  std::string formula{};  ///< of a derived column; empty where the column stands in the file

  bool is_numeric() const { return kind == Kind::numeric; }
  /// The cell as text: the level, or the shortest form of the number.
  std::string text(std::size_t row) const;
};

/// How the cells of a file were written, for output that repeats its lines.
struct CellStyle {
  char separator = ',';
  std::string decimal_comma{};  ///< a number that was read with one: "0,5"; empty: there is none
};

/// Measured runs or configurations: named columns of equal length, and where each row stood.
/// Nothing here knows which column is the time; that is the business of `Roles`.
struct Table {
  std::string source;  ///< file name for messages
  std::vector<Column> columns;
  std::vector<std::uint32_t> lines;    ///< line number (from 1) in the source of each row
  CellStyle style{};                   ///< of the first file
  std::vector<std::string> sources{};  ///< of a table from several files, these
  std::vector<std::uint32_t> file{};   ///< and of each row the index of its file; else empty
  /// Of a table whose equal rows are merged: how many runs each row stands for; else empty.
  std::vector<std::uint64_t> runs{};

  std::size_t rows() const { return lines.size(); }
  /// The rows of the file, merged ones counted one by one.
  std::size_t measured_runs() const;
  /// Null where there is no such column.
  const Column* find(std::string_view name) const;
  /// Throws InputError: "no column 'batchsize' in runs.csv; did you mean 'batch_size'?"
  const Column& at(std::string_view name) const;
  std::vector<std::string> names() const;
  /// The sentence that `at` throws, for those who gather several.
  std::string no_column(std::string_view name) const;
  /// "runs.csv:41"
  std::string where(std::size_t row) const;
};

/// The chosen rows of a table, in that order. Levels that none of them has are gone.
Table take_rows(const Table& table, std::span<const std::size_t> rows);

}  // namespace perfmodel
