#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/sweep.hpp"
#include "cli/options/output_format.hpp"
#include "cli/options/search_options.hpp"
#include "cli/options/split_options.hpp"
#include "cli/runs/sharing_options.hpp"
#include "cli/terminal/console.hpp"

namespace perfmodel::cli {

class OptionSet;

struct SweepArguments {
  std::string runs;
  std::string output = "-";
  RoleRequest roles;
  std::optional<char> separator;  ///< nothing: recognised
  SearchArguments search;
  SplitArguments split;
  std::vector<PenaltyKind> penalties = {PenaltyKind::l1, PenaltyKind::l2};
  std::vector<double> lambdas = log_grid(1e-6, 1e2, 9);
  LambdaRule rule = LambdaRule::lowest;
  OutputFormat format = OutputFormat::text;
  SharingArguments sharing;
};

/// `perfmodel sweep RUNS.csv`: the regularisation path, and a lambda chosen on validation rows.
void setup_sweep(OptionSet& command, SweepArguments& arguments);

int run_sweep(const SweepArguments& arguments, Console& console);

}  // namespace perfmodel::cli
