#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/readable.hpp"

namespace perfmodel::cli {

enum class Align { left, right };

/// Rows of cells, the first of which is the header. For people they stand in aligned columns, two
/// spaces apart, with controls masked; output_tables.hpp has the other formats.
class TextTable {
 public:
  /// The first `keys` columns tell the rows apart.
  explicit TextTable(std::vector<Align> columns, std::size_t keys = 1)
      : columns_(std::move(columns)), keys_(keys) {}

  /// Missing cells at the end are blank.
  void add(std::vector<std::string> cells);
  /// One line per row, each after `indentation` spaces and without trailing ones. Where they would
  /// be wider than `width`, texts go on in further lines, and columns that still find no room stand
  /// below the others, beside the keys again.
  std::vector<std::string> lines(std::size_t indentation,
                                 std::optional<std::size_t> width = std::nullopt) const;
  /// The lines as one text, each with its end.
  std::string text(std::size_t indentation, std::optional<std::size_t> width = std::nullopt) const;

  const std::vector<Align>& columns() const { return columns_; }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }

 private:
  std::vector<Align> columns_;
  std::size_t keys_;
  std::vector<std::vector<std::string>> rows_;

  std::vector<std::size_t> widths() const;
  void add_lines(const std::vector<std::size_t>& shown, const std::vector<std::size_t>& widths,
                 std::size_t indentation, std::vector<std::string>& lines) const;
};

}  // namespace perfmodel::cli
