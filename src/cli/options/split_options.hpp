#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/terminal/console.hpp"
#include "perfmodel/data/split.hpp"
#include "perfmodel/pipeline/prepared_runs.hpp"

namespace perfmodel::cli {

class OptionSet;

/// Which rows train and which judge, as the command line says it.
struct SplitArguments {
  std::optional<SplitShares> shares;
  std::optional<std::uint64_t> seed;
};

/// `--split` and `--split-seed`, for commands that split where nothing is said.
void add_split_options(OptionSet& app, SplitArguments& arguments);

/// The split that was asked for, else 60:20:20.
Split split_of(const LabelledRuns& runs, const SplitArguments& arguments);

/// Reads files of runs as one table and settles the parts of its columns; notices go to the
/// console.
/// Says what they have to say of themselves.
LabelledRuns told(LabelledRuns runs, Console& console);
LabelledRuns read_labelled_runs(const std::vector<std::string>& paths, const RoleRequest& request,
                                std::optional<char> separator, Console& console,
                                const ReadProgress& progress = {});

}  // namespace perfmodel::cli
