#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/runs/range_check.hpp"
#include "cli/terminal/console.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"
#include "perfmodel/model/design/design.hpp"

#include "perfmodel/pipeline/runs_file.hpp"

namespace perfmodel::cli {

class OptionSet;

/// The arguments MODEL.json and RUNS.csv, and --target.
void add_judged_runs(OptionSet& command, std::string& model, std::string& runs,
                     std::optional<std::string>& target);

/// Measured runs beside what a model says of them.
struct JudgedRuns {
  RunsFile file;
  std::vector<std::size_t> rows;             ///< of the file that are judged
  std::vector<std::uint32_t> lines;          ///< of these
  Design design;                             ///< of these
  Eigen::VectorXd predicted;                 ///< one per row that is judged
  RangeCheck range;                          ///< of all rows
  std::optional<std::string> left_out_text;  ///< of the rows that the model gives no time

  std::size_t left_out() const { return file.table.rows() - rows.size(); }
  /// Of the rows of the design, and all that goes with them, keeps those that are not in `some`.
  void leave_out(const std::vector<std::size_t>& some);
};

/// Reads runs for a model to be judged on; `target` is the measured time where the file has another
/// name for it. Warns of rows that are out of range and leaves out, with a warning, those of which
/// the model gives no time.
///
/// Throws InputError for rows that the model cannot take, where no row is left, and with
/// `strict_range` for rows that are out of range or have no time.
JudgedRuns judge_runs(const FittedModel& model, const std::string& path,
                      const std::optional<std::string>& target, bool strict_range,
                      Console& console);

}  // namespace perfmodel::cli
