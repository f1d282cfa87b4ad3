#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/large/line_layout.hpp"

namespace perfmodel {

/// A line as the key of its configuration and its time.
struct CutRow {
  std::string_view key;  ///< of all cells that play a part; until the next row
  double time = 0;
  bool odd = false;  ///< not as many fields as the header, or no time > 0
  /// Of as many fields, that of the time without blanks around it; until the next row.
  std::optional<std::string_view> time_cell = {};
};

/// Cuts lines without looking at more than it must: a file of 4 GB has them by the hundred million.
class RowCutter {
 public:
  explicit RowCutter(LineLayout layout);

  CutRow cut(std::string_view line);
  /// A field of a line that is not odd, or all; until the next row.
  std::string_view cell(std::string_view line, std::size_t field);
  const std::vector<std::string_view>& cells(std::string_view line);
  /// Of a cell; nothing where it is no number.
  std::optional<double> number(std::string_view cell) const;
  const LineLayout& layout() const { return layout_; }

 private:
  LineLayout layout_;
  bool all_play_a_part_ = true;
  std::string key_;
  std::string copy_;
  std::vector<std::string_view> fields_;

  CutRow cut_quoted(std::string_view line);
  CutRow with_time(std::string_view cell) const;
};

}  // namespace perfmodel
