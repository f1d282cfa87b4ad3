#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/message.hpp"
#include "perfmodel/error.hpp"
#include "sources/csv.hpp"
#include "sources/large_csv.hpp"

namespace perfmodel {

CountedLines::CountedLines(LineKey key, std::size_t most)
    : key_(std::move(key)),
      most_(most),
      as_written_(std::ranges::find(key_.counts, false) == key_.counts.end()) {}

void CountedLines::add(std::string_view lines, std::uint64_t) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    std::string_view line = lines.substr(0, end);
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    if (line.find_first_not_of(" \t") != std::string_view::npos)
      count(key_of(line), line, lines_, 1);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    ++lines_;
  }
}

void CountedLines::append(const CountedLines& next) {
  for (const Counted* counted : next.in_order())
    count(counted->first, text_of(*counted), lines_ + counted->second.number, counted->second.runs);
  lines_ += next.lines_;
}

std::vector<const CountedLines::Counted*> CountedLines::in_order() const {
  std::vector<const Counted*> out;
  for (const Counted& counted : known_)
    out.push_back(&counted);
  std::ranges::sort(
      out, [](const Counted* a, const Counted* b) { return a->second.number < b->second.number; });
  return out;
}

std::string_view CountedLines::key_of(std::string_view line) {
  if (as_written_)
    return line;
  copy_ = line;
  if (split_fields(copy_, key_.separator, fields_) != FieldsEnd::complete ||
      fields_.size() != key_.names.size())
    return line;  // A malformed line, reported when the table is parsed.
  joined_.clear();
  for (std::size_t i = 0; i < fields_.size(); ++i)
    if (key_.counts[i])
      joined_.append(fields_[i]).push_back('\n');  // occurs in no line
  return joined_;
}

void CountedLines::count(std::string_view key, std::string_view line, std::uint64_t number,
                         std::uint64_t runs) {
  if (const auto known = known_.find(key); known != known_.end()) {
    known->second.runs += runs;
    return;
  }
  if (known_.size() == most_) {
    const std::string column = most_different_column();
    throw InputError(message(
        "more than {} different rows are too many to merge: '{}' has the most different values; "
        "leave columns out that are no inputs ({}), or use {}",
        most_, column, Field{"ignore", {column}}, Field{"sample_rows"}));
  }
  known_.emplace(key, Line{as_written_ ? std::string() : std::string(line), number, runs});
}

std::string CountedLines::most_different_column() const {
  std::vector<std::set<std::string>> values(key_.names.size());
  std::vector<std::string_view> fields;
  for (const Counted& counted : known_) {
    std::string line = text_of(counted);
    if (split_fields(line, key_.separator, fields) != FieldsEnd::complete ||
        fields.size() != values.size())
      continue;
    for (std::size_t i = 0; i < fields.size(); ++i)
      if (key_.counts[i])
        values[i].emplace(fields[i]);
  }
  const auto most = std::ranges::max_element(
      values, [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return key_.names[static_cast<std::size_t>(most - values.begin())];
}

}  // namespace perfmodel
