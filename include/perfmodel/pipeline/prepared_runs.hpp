#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "perfmodel/data/split.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"
#include "perfmodel/model/columns/roles.hpp"
#include "perfmodel/model/columns/spec.hpp"
#include "perfmodel/model/design/design.hpp"
#include "perfmodel/pipeline/runs_file.hpp"

namespace perfmodel {

/// Where no seed of a split is given.
constexpr std::uint64_t kDefaultSplitSeed = 1;

/// Runs whose columns have their parts, with the derived columns behind their own.
struct LabelledRuns {
  RunsFile file;
  Roles roles;
  std::vector<std::size_t> rows;  ///< in the order of their content: what is drawn, is from these
  /// About failed runs that are left out, files with the same runs, numbers that are taken as
  /// texts.
  std::vector<Sentence> warnings{};
};

/// Leaves out failed runs and computes the time of a throughput where that is asked for.
///
/// Throws what derive_as_requested(), with_time_of() and resolve_roles() throw.
LabelledRuns label_runs(RunsFile file, const RoleRequest& request);

/// Runs with the parts that are trained and judged on. Parts without rows are empty.
struct PreparedRuns {
  Provenance provenance;
  ModelSpec spec;
  Design training;
  std::optional<Design> validation;
  std::optional<Design> test;
};

/// Throws InputError for numbers of a judging part that are too large to be squared.
PreparedRuns prepare_runs(const LabelledRuns& runs, const Split& split);

}  // namespace perfmodel
