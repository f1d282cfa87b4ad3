#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfmodel/table.hpp"

namespace perfmodel {

/// Calls a function with each line of a file, which it may change, and the line's number.
using EachLine = std::function<void(
    const std::function<void(std::span<char> line, std::uint32_t number)>& visit)>;

/// True for texts such as "1,884,602", "0,5" and "285,1 ms": numbers, maybe with a unit, that
/// parse_number() and parse_quantity() refuse for their marks.
bool has_number_marks(std::string_view cell);

/// The decimal marks of the columns of a file, and the marks of thousands in them: commas or
/// points, blanks, apostrophes and underscores between groups of three digits.
///
/// A cell with both marks ("1.092,9"), with several groups of thousands ("1,884,602") or without a
/// whole group ("0,5") tells the marks of its column. What can be read both ways ("1,024") follows
/// the other cells of its column, or else those of the file, in which programs and people keep to
/// one decimal mark, or else those of the other files of the table. A comma without evidence is
/// asked for, and a point if the column counts. Where commas separate, those within a cell are
/// decimal marks only if no number of the file has a decimal point: "640,480" may be a shape.
class NumberMarks {
 public:
  /// The style of a file, and the decimal mark of each of its columns.
  NumberMarks(CellStyle style, std::vector<char> decimals)
      : style_(std::move(style)), decimals_(std::move(decimals)) {}

  /// Changes the cell of the field, from 0, to a number that parse_number() or parse_quantity()
  /// reads if it is one. Returns what is left of it.
  std::string_view read(std::size_t field, std::span<char> cell) const;

  /// The style with an example of a decimal comma and of marks of thousands, if there are any.
  const CellStyle& style() const { return style_; }

 private:
  CellStyle style_;
  std::vector<char> decimals_;  ///< by field; '\0': the cells stay as they are
};

struct MarkedFile {
  std::string source;
  CellStyle style;
  EachLine each_line;
};

/// Judges all cells of the files of a table, except those of `text_columns`. Throws InputError for
/// all columns of a file that may be read both ways without evidence, or that need both.
std::vector<NumberMarks> marks_of_files(std::span<const MarkedFile> files,
                                        const std::set<std::string>& text_columns);

}  // namespace perfmodel
