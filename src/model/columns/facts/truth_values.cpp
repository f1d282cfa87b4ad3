#include "model/columns/facts/truth_values.hpp"

#include <array>
#include <cstdint>
#include <map>

#include "base/text.hpp"

namespace perfmodel {
namespace {

/// The levels that are truth values, if one of the values has several spellings.
std::vector<std::string> spellings(const Column& column) {
  std::array<std::size_t, 2> counts = {0, 0};
  std::vector<std::string> found;
  for (const std::string& level : column.levels) {
    if (const auto value = truth_value(level)) {
      ++counts[*value ? 1 : 0];
      found.push_back(level);
    }
  }
  return counts[0] > 1 || counts[1] > 1 ? found : std::vector<std::string>();
}

void respell(Column& column) {
  std::map<std::string, std::uint32_t> code_of;
  std::vector<std::uint32_t> new_code;
  std::vector<std::string> levels;
  for (const std::string& level : column.levels) {
    const auto value = truth_value(level);
    const std::string text = !value ? level : *value ? "true" : "false";
    const auto [entry, is_new] =
        code_of.try_emplace(text, static_cast<std::uint32_t>(levels.size()));
    if (is_new)
      levels.push_back(text);
    new_code.push_back(entry->second);
  }
  for (std::uint32_t& code : column.codes)
    code = new_code[code];
  column.levels = std::move(levels);
}

}  // namespace

std::optional<bool> truth_value(std::string_view text) {
  if (text.size() != 4 && text.size() != 5)
    return std::nullopt;
  const std::string word = folded(text);
  if (word == "true")
    return true;
  return word == "false" ? std::optional(false) : std::nullopt;
}

std::vector<std::string> unify_truth_values(Table& table) {
  std::vector<std::string> sentences;
  for (Column& column : table.columns) {
    if (const auto found = spellings(column); !found.empty()) {
      respell(column);
      sentences.push_back("Column '" + column.name + "' spells its truth values " +
                          quoted_list(found) + "; they are taken as 'true' and 'false'.");
    }
  }
  return sentences;
}

}  // namespace perfmodel
