#pragma once

#include <string>
#include <vector>

#include "export/formula_code.hpp"

namespace perfmodel {

/// The text as a literal of `python`, `c` or `spreadsheet`.
std::string quoted(const std::string& text, FormulaLanguage language);

/// How a spreadsheet finds out which level a cell has.
enum class CellMatch {
  text,    ///< as it stands
  exact,   ///< '=' does not tell SGD from sgd
  number,  ///< a cell into which one types 8 holds a number, which equals no text
  joined,  ///< the same where other levels are no numbers; a typed true is no text either
};

CellMatch cell_match(const std::vector<std::string>& levels);

/// The condition that the cell `name` has this level.
std::string cell_has(const std::string& name, const std::string& level, CellMatch match);

}  // namespace perfmodel
