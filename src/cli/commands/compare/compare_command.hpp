#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/gates.hpp"
#include "cli/options/output_format.hpp"
#include "cli/options/search_options.hpp"
#include "cli/options/split_options.hpp"
#include "cli/runs/sharing_options.hpp"
#include "cli/terminal/console.hpp"

namespace perfmodel::cli {

class OptionSet;

/// A column that is extrapolated, and the last value that trains.
struct ExtrapolateArgument {
  std::string column;
  std::optional<double> limit;
};

struct CompareArguments {
  std::vector<std::string> runs;
  std::string output = "-";
  RoleRequest roles;
  std::optional<char> separator;  ///< nothing: recognised
  SearchArguments search;
  SplitArguments split;
  std::optional<std::string> test;
  std::optional<ExtrapolateArgument> extrapolate;
  OutputFormat format = OutputFormat::text;
  std::vector<Gate> gates;
  SharingArguments sharing;
};

/// `perfmodel compare RUNS.csv [MORE.csv ...]`: our expressions against black boxes on the same
/// rows.
void setup_compare(OptionSet& command, CompareArguments& arguments);

int run_compare(const CompareArguments& arguments, Console& console);

}  // namespace perfmodel::cli
