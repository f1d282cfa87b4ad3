#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfmodel/data/table.hpp"

namespace perfmodel {

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

}  // namespace perfmodel
