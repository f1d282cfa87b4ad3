#pragma once

#include "cli/options/output_format.hpp"
#include "cli/terminal/console.hpp"

namespace perfmodel::cli {

class OptionSet;

struct SelftestArguments {
  OutputFormat format = OutputFormat::text;
};

/// `perfmodel selftest`: known answers, recomputed on this machine.
void setup_selftest(OptionSet& command, SelftestArguments& arguments);

/// Returns 1 where a figure has fewer matching digits than promised.
int run_selftest_command(const SelftestArguments& arguments, Console& console);

}  // namespace perfmodel::cli
