#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <vector>

#include "perfmodel/columns.hpp"
#include "perfmodel/design.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/table.hpp"
#include "suggest/plan.hpp"

namespace perfmodel::test {

/// Runs whose true constants are known: random configurations of the paper's Table 2, timed by Eq.
/// (4) with the constants of its Table 3 (means over ten fits).
struct PaperRuns {
  Table table;  ///< the columns of Table 2 and time_s
  ModelSpec spec;
  Design design;              ///< all rows
  Eigen::VectorXd constants;  ///< in the order of Eq4Layout
};

enum class Framework { mxnet, pytorch, tensorflow };

/// `noise` is the standard deviation of ln(time): 0.05 for five percent.
PaperRuns paper_runs(Framework framework, std::size_t rows, double noise, std::uint64_t seed);

/// The paper's Table 2 as the space of configurations that a plan draws from.
plan::Space paper_space();

/// Spec and design of a table whose roles are inferred, all rows for training.
PaperRuns runs_of(Table table, const RoleRequest& request = {});

/// Eq. (4) with these --bounds.
Eq4Options within(const std::vector<std::string>& bounds);

}  // namespace perfmodel::test
