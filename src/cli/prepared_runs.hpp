#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/runs_file.hpp"
#include "perfmodel/data/split.hpp"
#include "perfmodel/model/design.hpp"
#include "perfmodel/model/roles.hpp"
#include "perfmodel/model/spec.hpp"

namespace CLI {
class App;
}

namespace perfmodel::cli {

/// Of commands that judge on rows that were not trained on, where no split is asked for.
constexpr auto default_shares = "60:20:20";
constexpr std::uint64_t default_split_seed = 1;

/// Which rows train and which judge, as the command line says it.
struct SplitArguments {
  std::optional<SplitShares> shares;
  std::optional<std::uint64_t> seed;
};

/// `--split` and `--split-seed`, for commands that split where nothing is said.
void add_split_options(CLI::App& app, SplitArguments& arguments);

/// Runs with the parts that commands work on. Parts without rows are empty.
struct PreparedRuns {
  Provenance provenance;
  ModelSpec spec;
  Design training;
  std::optional<Design> validation;
  std::optional<Design> test;
};

/// A runs file with roles settled; `notices` of them go to the console.
struct LabelledRuns {
  RunsFile file;
  Roles roles;
  std::vector<std::size_t> rows;  ///< in the order of their content: what is drawn, is from these
};

LabelledRuns read_labelled_runs(const std::string& path, const RoleRequest& request,
                                Console& console);

PreparedRuns prepare(const std::string& path, const LabelledRuns& runs, const Split& split);

/// The split that was asked for, else that of `default_shares`.
Split split_of(const LabelledRuns& runs, const SplitArguments& arguments);

}  // namespace perfmodel::cli
