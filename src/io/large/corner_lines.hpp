#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/plain_bytes.hpp"
#include "io/large/line_sample.hpp"
#include "io/large/merged_lines.hpp"
#include "io/large/row_cutter.hpp"

namespace perfmodel {

/// The first lines of a table that have the smallest and the largest number of each column, and
/// each of its texts: what must be known of lines that nobody has together. The same ones however
/// the table is cut into parts.
class CornerLines {
 public:
  /// `text_columns`: by field, where numbers are texts, too.
  CornerLines(LineLayout layout, std::vector<bool> text_columns);

  /// Lines of a part, in which `first` is the number of the first. Throws InputError for a column
  /// of too many texts.
  void add(const MergedLines& lines, std::uint64_t first);
  /// Of another part, whose lines are so much further behind.
  void append(const CornerLines& other, std::uint64_t behind);

  std::vector<LineSample::Line> lines() const;

  void write(ByteWriter& out) const;
  /// Those that were written by one of the same table.
  CornerLines read(ByteReader& in) const;

 private:
  struct Corner {
    double value = 0;
    LineSample::Line line;
  };
  struct OfField {
    std::optional<Corner> least;
    std::optional<Corner> largest;
    std::map<std::string, LineSample::Line, std::less<>> texts;
  };

  RowCutter cutter_;
  std::vector<bool> text_columns_;
  std::vector<OfField> fields_;

  void add_text(std::size_t field, std::string_view text, std::uint64_t number,
                std::string_view line);
  static void keep_least(double value, std::uint64_t number, std::string_view line,
                         std::optional<Corner>& kept);
};

}  // namespace perfmodel
