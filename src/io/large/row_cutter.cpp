#include "io/large/row_cutter.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/text.hpp"
#include "io/csv/cell_style.hpp"
#include "io/csv/csv_fields.hpp"

namespace perfmodel {
namespace {

std::string_view without_blanks(std::string_view cell) {
  while (!cell.empty() && (cell.front() == ' ' || cell.front() == '\t'))
    cell.remove_prefix(1);
  while (!cell.empty() && (cell.back() == ' ' || cell.back() == '\t'))
    cell.remove_suffix(1);
  return cell;
}

/// The upper bit of each of eight bytes that are this character.
std::uint64_t bytes_equal_to(char character, std::uint64_t word) {
  constexpr std::uint64_t low_bits = 0x7f7f7f7f7f7f7f7fU;
  const std::uint64_t off = word ^ (0x0101010101010101U * static_cast<unsigned char>(character));
  return ~(((off & low_bits) + low_bits) | off | low_bits);
}

}  // namespace

RowCutter::RowCutter(LineLayout layout) : layout_(std::move(layout)) {
  layout_.plays_no_part.resize(layout_.names.size(), false);
  layout_.plays_no_part[layout_.time] = true;
  all_play_a_part_ =
      std::count(layout_.plays_no_part.begin(), layout_.plays_no_part.end(), true) == 1;
}

CutRow RowCutter::cut(std::string_view line) {
  fields_.clear();
  const char* begin = line.data();
  const char* const end = begin + line.size();
  const char separator = layout_.style.separator;
  const auto end_field = [&](const char* at) {
    fields_.emplace_back(begin, static_cast<std::size_t>(at - begin));
    begin = at + 1;
  };
  const char* at = begin;
  if constexpr (std::endian::native == std::endian::little) {
    for (; end - at >= 8; at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, sizeof word);
      if (bytes_equal_to('"', word) != 0)
        return cut_quoted(line);
      for (std::uint64_t found = bytes_equal_to(separator, word); found != 0; found &= found - 1)
        end_field(at + std::countr_zero(found) / 8);
    }
  }
  for (; at != end; ++at)
    if (*at == separator)
      end_field(at);
    else if (*at == '"')
      return cut_quoted(line);
  fields_.emplace_back(begin, static_cast<std::size_t>(end - begin));
  if (fields_.size() != layout_.names.size())
    return {.key = {}, .odd = true};
  const std::string_view time = fields_[layout_.time];
  CutRow row = with_time(time);
  if (all_play_a_part_) {
    key_.assign(line.data(), time.data());
    key_.append(time.data() + time.size(), end);
  } else {
    key_.clear();
    for (std::size_t i = 0; i < fields_.size(); ++i)
      if (!layout_.plays_no_part[i])
        key_.append(fields_[i]).push_back(separator);
  }
  row.key = key_;
  return row;
}

const std::vector<std::string_view>& RowCutter::cells(std::string_view line) {
  cut(line);
  return fields_;
}

std::string_view RowCutter::cell(std::string_view line, std::size_t field) {
  return cells(line)[field];
}

CutRow RowCutter::cut_quoted(std::string_view line) {
  copy_ = line;
  if (split_fields(copy_, layout_.style.separator, fields_) != FieldsEnd::complete ||
      fields_.size() != layout_.names.size())
    return {.key = {}, .odd = true};
  CutRow row = with_time(fields_[layout_.time]);
  key_.assign(1, '"');  // no key of a line without quotes has it
  for (std::size_t i = 0; i < fields_.size(); ++i)
    if (!layout_.plays_no_part[i])
      key_.append(fields_[i]).push_back('\n');
  row.key = key_;
  return row;
}

std::optional<double> RowCutter::number(std::string_view cell) const {
  cell = without_blanks(cell);
  std::optional<double> out = parse_number(cell);
  if (!out && !layout_.style.decimal_comma.empty() && is_comma_number(cell)) {
    std::string with_point(cell);
    with_point[with_point.find(',')] = '.';
    out = parse_number(with_point);
  }
  return out;
}

CutRow RowCutter::with_time(std::string_view cell) const {
  const std::optional<double> time = number(cell);
  return {.key = {},
          .time = time.value_or(0),
          .odd = !(time.value_or(0) > 0),
          .time_cell = without_blanks(cell)};
}

}  // namespace perfmodel
