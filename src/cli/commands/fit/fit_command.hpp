#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands/fit/bootstrap_options.hpp"
#include "cli/options/gates.hpp"
#include "cli/options/large_options.hpp"
#include "cli/options/search_options.hpp"
#include "cli/runs/held_out_options.hpp"
#include "cli/runs/sharing_options.hpp"
#include "cli/terminal/console.hpp"
#include "perfmodel/data/split.hpp"
#include "perfmodel/model/columns/roles.hpp"
#include "perfmodel/pipeline/fit_runs.hpp"

namespace perfmodel::cli {

class OptionSet;

struct FitArguments {
  std::string command_line;  ///< as a shell takes it
  std::vector<std::string> runs;
  std::optional<std::string> output;
  RoleRequest roles;
  bool keep_totals = false;       ///< `auto` does not count them per worker
  std::optional<char> separator;  ///< nothing: recognised
  LargeRowsArguments large;
  SearchArguments search;
  std::optional<std::size_t> repeats;
  std::optional<SplitShares> split;
  std::optional<std::uint64_t> split_seed;
  std::optional<std::string> test;
  BootstrapArguments bootstrap;
  HeldOutRequest held_out;
  std::vector<Gate> gates;
  std::vector<std::string> by;  ///< a model per group
  std::optional<std::string> target_name;
  bool share_form = false;             ///< one form for all groups
  std::optional<std::string> total;    ///< what the others add up to
  std::vector<std::string> ranked_at;  ///< settings of the ranking
  SharingArguments sharing;
};

/// `perfmodel fit RUNS.csv`: from measured runs to model.json.
void setup_fit(OptionSet& command, FitArguments& arguments);

/// Returns the exit code: 0, or 128 plus the signal that ended the search early.
int run_fit(const FitArguments& arguments, Console& console);

}  // namespace perfmodel::cli
