#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "perfmodel/error.hpp"
#include "sources/csv.hpp"
#include "sources/large_csv.hpp"

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

namespace {

constexpr std::size_t kMostOddLines = 1000;
constexpr std::size_t kMostLinesOfFailed = 5;
constexpr std::size_t kMostFailures = 10'000;
constexpr std::size_t kAtOnce = 64;
constexpr std::uint64_t kMixer = 0x9e3779b97f4a7c15U;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  const std::uint64_t product = (hash ^ word) * kMixer;
  return product ^ (product >> 32);
}

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = text.size();
  while (text.size() >= sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), sizeof word);
    hash = mixed(hash, word);
    text.remove_prefix(sizeof word);
  }
  std::uint64_t rest = 0;
  std::memcpy(&rest, text.data(), text.size());
  return mixed(hash, rest);
}

std::uint64_t hash_of(const MergedLines::Times& times) {
  return mixed(mixed(times.configuration, std::bit_cast<std::uint64_t>(times.time)), kMixer);
}

bool is_blank_line(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

}  // namespace

MergedLines::MergedLines(LineLayout layout, MergeLimits limits)
    : cutter_(std::move(layout)), limits_(limits), slots_(1024), time_slots_(1024) {}

MergedLines::Configuration MergedLines::configuration(std::size_t i) const {
  const Known& known = known_[i];
  return {std::string_view(texts_).substr(known.key + known.key_size, known.line_size),
          known.number};
}

void MergedLines::add(std::string_view lines) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    std::string_view line = lines.substr(0, end);
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    add_line(line);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    ++lines_;
    if (waiting_.size() == kAtOnce || lines.empty())
      add_waiting();
  }
}

void MergedLines::add_line(std::string_view line) {
  const CutRow row = cutter_.cut(line);
  if (row.odd) {
    const LineLayout& layout = cutter_.layout();
    if (is_blank_line(line))
      return;
    if (row.time_cell && layout.is_failure && layout.is_failure(std::string(*row.time_cell)))
      add_failed(std::string(*row.time_cell), {1, {0}}, lines_);
    else
      add_odd(line, lines_);
    return;
  }
  waiting_.push_back(
      {line, keys_.size(), row.key.size(), hash_of(row.key), {row.time, 1, lines_, 0}});
  keys_.append(row.key);
  __builtin_prefetch(&slots_[waiting_.back().hash & (slots_.size() - 1)]);
}

void MergedLines::add_waiting() {
  const auto guess = [&](const Waiting& row) {
    return slots_[row.hash & (slots_.size() - 1)];  // + 1; most rows stand where they belong
  };
  for (const Waiting& row : waiting_)
    if (const std::uint32_t slot = guess(row); slot != 0)
      __builtin_prefetch(&known_[slot - 1]);
  for (const Waiting& row : waiting_)
    if (const std::uint32_t slot = guess(row); slot != 0)
      __builtin_prefetch(&texts_[known_[slot - 1].key]);
  for (Waiting& row : waiting_)
    row.times.configuration = find_or_add(std::string_view(keys_).substr(row.key, row.key_size),
                                          row.hash, row.line, row.times.line);
  for (const Waiting& row : waiting_)
    add_times(row.times);
  waiting_.clear();
  keys_.clear();
}

void MergedLines::add_odd(std::string_view line, std::uint64_t number) {
  if (odd_.size() < kMostOddLines)
    odd_.push_back({std::string(line), number});
}

/// `before`: lines before the part that has the lines of `failed`.
void MergedLines::add_failed(const std::string& cell, const Failed& failed, std::uint64_t before) {
  Failed& own = failed_[cell];
  own.runs += failed.runs;
  for (const std::uint64_t line : failed.lines)
    if (own.lines.size() < kMostLinesOfFailed)
      own.lines.push_back(before + line);
  if (failed_.size() > kMostFailures)
    throw InputError("runs failed with more than " + std::to_string(kMostFailures) +
                     " different texts in place of a time; take them out of the file");
}

void MergedLines::append(const MergedLines& next) {
  std::vector<std::uint32_t> own;
  own.reserve(next.known_.size());
  for (const Known& known : next.known_) {
    const std::string_view texts = next.texts_;
    own.push_back(find_or_add(texts.substr(known.key, known.key_size), known.hash,
                              texts.substr(known.key + known.key_size, known.line_size),
                              lines_ + known.number));
  }
  for (const Times& times : next.times_)
    add_times({times.time, times.runs, lines_ + times.line, own[times.configuration]});
  for (const OddLine& odd : next.odd_)
    add_odd(odd.line, lines_ + odd.number);
  for (const auto& [cell, failed] : next.failed_)
    add_failed(cell, failed, lines_);
  lines_ += next.lines_;
}

std::uint32_t MergedLines::find_or_add(std::string_view key, std::uint64_t hash,
                                       std::string_view line, std::uint64_t number) {
  std::size_t slot = hash & (slots_.size() - 1);
  for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
    const Known& known = known_[slots_[slot] - 1];
    if (known.hash == hash && std::string_view(texts_).substr(known.key, known.key_size) == key)
      return slots_[slot] - 1;
  }
  if (known_.size() == limits_.configurations) {
    throw InputError(
        "more than " + std::to_string(limits_.configurations) +
        " different configurations are too many to merge: '" + most_different_column() +
        "' has the most different values; leave columns out that are no inputs" + " (" +
        Field{"ignore", {most_different_column()}} + "), or use " + Field{"sample_rows"});
  }
  known_.push_back({hash, number, texts_.size(), static_cast<std::uint32_t>(key.size()),
                    static_cast<std::uint32_t>(line.size())});
  texts_.append(key).append(line);
  slots_[slot] = static_cast<std::uint32_t>(known_.size());
  const auto out = static_cast<std::uint32_t>(known_.size() - 1);
  if (2 * known_.size() > slots_.size())
    grow_slots();
  return out;
}

void MergedLines::grow_slots() {
  slots_.assign(2 * slots_.size(), 0);
  for (std::size_t i = 0; i < known_.size(); ++i) {
    std::size_t slot = known_[i].hash & (slots_.size() - 1);
    while (slots_[slot] != 0)
      slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = static_cast<std::uint32_t>(i + 1);
  }
}

void MergedLines::add_times(const Times& times) {
  std::size_t slot = hash_of(times) & (time_slots_.size() - 1);
  for (; time_slots_[slot] != 0; slot = (slot + 1) & (time_slots_.size() - 1)) {
    Times& known = times_[time_slots_[slot] - 1];
    if (known.configuration == times.configuration && known.time == times.time) {
      known.runs += times.runs;
      return;
    }
  }
  if (times_.size() == limits_.distinct) {
    throw InputError("more than " + std::to_string(limits_.distinct) +
                     " different pairs of a configuration and a time are too many to merge: use " +
                     Field{"sample_rows"});
  }
  times_.push_back(times);
  time_slots_[slot] = static_cast<std::uint32_t>(times_.size());
  if (4 * times_.size() > 3 * time_slots_.size())
    grow_time_slots();
}

void MergedLines::grow_time_slots() {
  time_slots_.assign(2 * time_slots_.size(), 0);
  for (std::size_t i = 0; i < times_.size(); ++i) {
    std::size_t slot = hash_of(times_[i]) & (time_slots_.size() - 1);
    while (time_slots_[slot] != 0)
      slot = (slot + 1) & (time_slots_.size() - 1);
    time_slots_[slot] = static_cast<std::uint32_t>(i + 1);
  }
}

std::string MergedLines::most_different_column() const {
  const LineLayout& layout = cutter_.layout();
  RowCutter cutter(layout);
  std::size_t best = 0;
  std::size_t most = 0;
  for (std::size_t field = 0; field < layout.names.size(); ++field) {
    if (layout.plays_no_part[field])
      continue;
    std::set<std::string> values;
    for (std::size_t i = 0; i < known_.size(); ++i)
      values.insert(std::string(cutter.cell(configuration(i).line, field)));
    if (values.size() > most) {
      most = values.size();
      best = field;
    }
  }
  return layout.names[best];
}

}  // namespace perfmodel
