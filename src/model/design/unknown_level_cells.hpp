#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/columns/cell_problems.hpp"
#include "perfmodel/data/table.hpp"
#include "perfmodel/model/columns/spec.hpp"

namespace perfmodel {

/// The cells of a table whose levels a model does not know. Each level is told once, with the
/// number of its rows: runs of another machine have the same unknown level in every row.
class UnknownLevelCells {
 public:
  static constexpr std::size_t shown = 5;

  /// `rows` is how many rows of the table are looked at.
  UnknownLevelCells(const Table& table, std::size_t rows) : table_(table), looked_at_(rows) {}

  /// A cell that is not blank and that none of the input's levels matches.
  void add(std::size_t row, const Column& column, const CategoricalInput& input);

  bool empty() const { return levels_.empty(); }
  /// Whether all stand in one row, which needs no summary.
  bool are_of_one_row() const { return unknown_rows_ == 1; }
  void add_to(CellProblems& problems) const;

  /// How many rows cannot be used and what to do about it, then one line for each level in the
  /// order of the file: the first 5, and "... and 35 more". No final newline.
  std::string text() const;

 private:
  struct Level {
    std::size_t first_row = 0;
    const Column* column = nullptr;
    const CategoricalInput* input = nullptr;
    std::size_t rows = 0;
  };

  const Table& table_;
  std::size_t looked_at_;
  std::size_t unknown_rows_ = 0;
  std::vector<bool> is_unknown_{};  ///< per row of the table; empty before the first
  std::map<std::pair<std::string, std::string>, Level> levels_{};  ///< by column and text

  std::vector<Level> in_order_of_file() const;
};

}  // namespace perfmodel
