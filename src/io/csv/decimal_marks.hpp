#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "io/csv/cell_style.hpp"

namespace perfmodel {

/// Makes decimal points of decimal commas, and knows the columns that have both.
class DecimalMarks {
 public:
  /// Changes the cell where it is a number with a decimal comma.
  void read(std::size_t column, std::span<char> cell) {
    const std::string_view text(cell.data(), cell.size());
    const bool comma = is_comma_number(text);
    if (!comma && (text.find('.') == text.npos || !parse_number(text)))
      return;
    if (comma)
      cell[text.find(',')] = '.';
    if (marks_.size() <= column)
      marks_.resize(column + 1);
    (comma ? marks_[column].comma : marks_[column].point) = true;
  }

  /// A column with numbers of either kind.
  std::optional<std::size_t> mixed_column() const {
    for (std::size_t i = 0; i < marks_.size(); ++i)
      if (marks_[i].comma && marks_[i].point)
        return i;
    return std::nullopt;
  }

 private:
  struct Marks {
    bool comma = false;
    bool point = false;
  };

  std::vector<Marks> marks_;  // by column
};

}  // namespace perfmodel
