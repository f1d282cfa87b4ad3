#pragma once

#include "analysis/central/range_check.hpp"
#include "cli/terminal/console.hpp"

namespace perfmodel::cli {

class Option;
class OptionSet;

/// `--strict-range`.
Option add_strict_range(OptionSet& app, bool& strict);

/// Warns of every finding; where it is strict, throws InputError with all of them.
void report_range(const RangeCheck& check, bool strict, Console& console);

}  // namespace perfmodel::cli
