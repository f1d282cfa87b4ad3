#pragma once

#include <string>
#include <vector>

#include "cli/terminal/console.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel::cli {

class Option;
class OptionSet;

/// Which rows of a design lie within what a model was fitted on.
struct RangeCheck {
  std::vector<bool> in_range;         ///< per row
  std::vector<std::string> findings;  ///< a sentence per column or combination that leaves it
};

/// A row is in range where every number lies within its column's measured range and the row in none
/// of the regions where nothing was measured.
RangeCheck check_range(const FittedModel& model, const Design& design);

/// `--strict-range`.
Option add_strict_range(OptionSet& app, bool& strict);

/// Warns of every finding; where it is strict, throws InputError with all of them.
void report_range(const RangeCheck& check, bool strict, Console& console);

}  // namespace perfmodel::cli
