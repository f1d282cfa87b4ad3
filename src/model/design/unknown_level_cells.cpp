#include "model/design/unknown_level_cells.hpp"

#include <algorithm>

#include "model/design/level_matching.hpp"

namespace perfmodel {

void UnknownLevelCells::add(std::size_t row, const Column& column, const CategoricalInput& input) {
  const auto [entry, is_new] = levels_.try_emplace({column.name, column.text(row)});
  Level& level = entry->second;
  if (is_new)
    level = {row, &column, &input, 0};
  ++level.rows;
  is_unknown_.resize(table_.rows());
  if (!is_unknown_[row]) {
    is_unknown_[row] = true;
    ++unknown_rows_;
  }
}

void UnknownLevelCells::add_to(CellProblems& problems) const {
  for (const auto& [name, level] : levels_) {
    problems.add(
        level.first_row, *level.column,
        [&, &text = name.second, &input = level.input] {
          return LevelMatcher(*input).reason(text, 1);
        });
  }
}

std::vector<UnknownLevelCells::Level> UnknownLevelCells::in_order_of_file() const {
  std::vector<Level> out;
  for (const auto& [name, level] : levels_)
    out.push_back(level);
  std::sort(out.begin(), out.end(), [](const Level& a, const Level& b) {
    return std::pair(a.first_row, a.column) < std::pair(b.first_row, b.column);
  });
  return out;
}

std::string UnknownLevelCells::text() const {
  std::string out = table_.source + ": " + std::to_string(unknown_rows_) + " of " +
                    std::to_string(looked_at_) +
                    " rows have levels that the model does not know; correct or remove them, or "
                    "fit such runs too:";
  const std::vector<Level> levels = in_order_of_file();
  for (std::size_t k = 0; k < std::min(levels.size(), shown); ++k) {
    const Level& level = levels[k];
    out += "\n" + table_.where(level.first_row) + ": column '" + level.column->name + "': " +
           LevelMatcher(*level.input).reason(level.column->text(level.first_row), level.rows);
  }
  if (levels.size() > shown)
    out += "\n... and " + std::to_string(levels.size() - shown) + " more";
  return out;
}

}  // namespace perfmodel
