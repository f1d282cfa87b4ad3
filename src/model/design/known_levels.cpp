#include "model/design/known_levels.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "model/design/level_matching.hpp"

namespace perfmodel {

KnownLevelRows rows_of_known_levels(const Table& table, const ModelSpec& spec) {
  KnownLevelRows out;
  std::vector<bool> known(table.rows(), true);
  for (const CategoricalInput& input : spec.categorical) {
    const Column* column = table.find(input.column);
    if (column == nullptr || column->is_numeric())
      continue;
    const LevelMatcher matcher(input);
    std::vector<std::optional<UnknownLevel>> unknown(column->levels.size());
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const std::uint32_t code = column->codes[row];
      const std::string& level = column->levels[code];
      if (level.empty() || (!unknown[code] && matcher.match(level)))
        continue;
      if (!unknown[code])
        unknown[code] = UnknownLevel{input.column, level, 0, table.lines[row]};
      ++unknown[code]->rows;
      known[row] = false;
    }
    for (const auto& level : unknown)
      if (level)
        out.unknown.push_back(*level);
  }
  for (std::size_t row = 0; row < table.rows(); ++row)
    if (known[row])
      out.rows.push_back(row);
  return out;
}

std::string because_of(const std::vector<UnknownLevel>& unknown) {
  constexpr std::size_t shown = 10;
  std::string text = "the runs that the model is fitted to have no ";
  for (std::size_t k = 0; k < std::min(unknown.size(), shown); ++k) {
    const UnknownLevel& level = unknown[k];
    text += (k == 0 ? "" : ", ") + level.column + " = " + quoted_cell(level.level) + " (" +
            (level.rows == 1 ? "line " + std::to_string(level.line)
                             : std::to_string(level.rows) + " rows, from line " +
                                   std::to_string(level.line) + " on") +
            ")";
  }
  return unknown.size() > shown
             ? text + " and " + std::to_string(unknown.size() - shown) + " levels more"
             : text;
}

}  // namespace perfmodel
