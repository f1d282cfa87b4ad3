#pragma once

#include <Eigen/Core>
#include <string>

#include "cli/runs/judged_runs.hpp"

namespace perfmodel::cli {

/// An older model's predictions for the runs that are judged.
struct BaselineRuns {
  FittedModel model;
  Eigen::VectorXd predicted;
};

/// The model of `file` on the runs that `arguments` name and `model` is judged on; it may know
/// other columns. Rows that it gives no time are left out of both.
BaselineRuns judge_baseline(const std::string& file, const JudgedRunsArguments& arguments,
                            const FittedModel& model, JudgedRuns& runs, bool strict_range,
                            Console& console);

}  // namespace perfmodel::cli
