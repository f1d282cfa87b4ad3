#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/runs/sharing_options.hpp"
#include "cli/terminal/console.hpp"

namespace perfmodel::cli {

class OptionSet;

struct MergeArguments {
  std::vector<std::string> parts;
  std::vector<std::string> gates;      ///< of a set, or of the command that the results are for
  std::vector<std::string> ranked_at;  ///< COL=VALUE: where the models of a set are asked
  std::string output = "-";
  /// Runs these words of a command line with the results of its tasks; set by the program.
  std::function<int(const std::vector<std::string>&, const MergedTasks&, Console&)> run_merged;
};

/// `perfmodel merge PART.jsonl ...`: what a command writes, from what its shards
/// wrote.
void setup_merge(OptionSet& command, MergeArguments& arguments);

int run_merge(const MergeArguments& arguments, Console& console);

}  // namespace perfmodel::cli
