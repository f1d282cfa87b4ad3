#include "model/design/known_levels.hpp"

#include <optional>

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

}  // namespace perfmodel
