#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>

#include "cli/console.hpp"
#include "cli/range_check.hpp"
#include "cli/runs_file.hpp"
#include "perfmodel/fit/fitted_model.hpp"
#include "perfmodel/model/design.hpp"

namespace CLI {
class App;
}

namespace perfmodel::cli {

/// The arguments MODEL.json and RUNS.csv, and --target.
void add_judged_runs(CLI::App& command, std::string& model, std::string& runs,
                     std::optional<std::string>& target);

/// Measured runs beside what a model says of them.
struct JudgedRuns {
  RunsFile file;
  Design design;
  Eigen::VectorXd predicted;  ///< one per row
  Metrics metrics;
  RangeCheck range;
};

/// Reads runs for a model to be judged on; `target` is the measured time where the file has another
/// name for it. Warns of rows that are out of range.
///
/// Throws InputError for rows that the model cannot take, for predictions that are too large for
/// numbers, and with `strict_range` for rows that are out of range.
JudgedRuns judge_runs(const FittedModel& model, const std::string& path,
                      const std::optional<std::string>& target, bool strict_range,
                      Console& console);

}  // namespace perfmodel::cli
