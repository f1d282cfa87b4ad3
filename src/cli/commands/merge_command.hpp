#pragma once

#include <string>
#include <vector>

#include "cli/options/gates.hpp"
#include "cli/terminal/console.hpp"

namespace perfmodel::cli {

class OptionSet;

struct MergeArguments {
  std::vector<std::string> parts;
  std::vector<Gate> gates;
  std::string output = "-";
};

/// `perfmodel merge PART.jsonl ...`: one file from what the shards of a fit wrote.
void setup_merge(OptionSet& command, MergeArguments& arguments);

int run_merge(const MergeArguments& arguments, Console& console);

}  // namespace perfmodel::cli
