#include "io/csv/column_builder.hpp"

#include <functional>
#include <limits>

#include "base/text.hpp"

namespace perfmodel {
namespace {

std::size_t slot_of(std::string_view text, std::size_t slots) {
  return std::hash<std::string_view>{}(text) & (slots - 1);
}

}  // namespace

ColumnBuilder::ColumnBuilder(std::string name, Kind kind)
    : undecided_(kind == Kind::first_cell_decides), slots_(64) {
  column_.name = std::move(name);
  column_.kind = Column::Kind::text;
}

void ColumnBuilder::add(std::string_view cell) {
  if (undecided_) {
    undecided_ = false;
    column_.kind = parse_number(cell) ? Column::Kind::numeric : Column::Kind::text;
  }
  if (column_.is_numeric())
    add_number(cell);
  else
    add_text(cell);
  ++rows_;
}

void ColumnBuilder::add_number(std::string_view cell) {
  if (const auto number = parse_number(cell)) {
    column_.numbers.push_back(*number);
  } else {
    column_.numbers.push_back(std::numeric_limits<double>::quiet_NaN());
    column_.bad_cells.push_back({rows_, std::string(cell)});
  }
}

void ColumnBuilder::add_text(std::string_view cell) {
  new_level_ = false;
  // Runs come in blocks of equal settings: most cells repeat the one above.
  if (!column_.codes.empty() && column_.levels[column_.codes.back()] == cell)
    column_.codes.push_back(column_.codes.back());
  else
    column_.codes.push_back(find_or_insert(cell));
}

std::uint32_t ColumnBuilder::find_or_insert(std::string_view text) {
  for (std::size_t slot = slot_of(text, slots_.size()); slots_[slot] != 0;
       slot = (slot + 1) & (slots_.size() - 1))
    if (column_.levels[slots_[slot] - 1] == text)
      return slots_[slot] - 1;
  const auto code = static_cast<std::uint32_t>(column_.levels.size());
  column_.levels.emplace_back(text);
  new_level_ = true;
  if (2 * column_.levels.size() > slots_.size())
    double_slots();
  else
    insert_slot(code);
  return code;
}

void ColumnBuilder::insert_slot(std::uint32_t code) {
  std::size_t slot = slot_of(column_.levels[code], slots_.size());
  while (slots_[slot] != 0)
    slot = (slot + 1) & (slots_.size() - 1);
  slots_[slot] = code + 1;
}

void ColumnBuilder::double_slots() {
  slots_.assign(2 * slots_.size(), 0);
  for (std::uint32_t code = 0; code < column_.levels.size(); ++code)
    insert_slot(code);
}

}  // namespace perfmodel
