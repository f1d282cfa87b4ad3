#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/runs/range_check.hpp"
#include "cli/runs/set_lines.hpp"
#include "cli/terminal/console.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"
#include "perfmodel/model/design/design.hpp"

#include "perfmodel/pipeline/runs_file.hpp"

namespace perfmodel::cli {

class OptionSet;

/// Which runs judge a model, and how they are read.
struct JudgedRunsArguments {
  std::string model;
  std::string pick;
  std::string runs;
  std::optional<std::string> target;  ///< nothing: the model's
  std::optional<char> separator;      ///< nothing: recognised
  bool drop_failed = false;
  /// Of more runs a model with a residual process, whose predictions take long, judges so many.
  std::optional<std::size_t> most_of_process;
};

/// The arguments MODEL.json and RUNS.csv, --target, --separator and --failed.
void add_judged_runs(OptionSet& command, JudgedRunsArguments& arguments);

/// Measured runs beside what a model says of them.
struct JudgedRuns {
  RunsFile file;
  std::optional<std::size_t> sampled_from;   ///< rows of the file, of which the table has a sample
  std::vector<std::size_t> rows;             ///< of the table that are judged
  std::vector<std::uint32_t> lines;          ///< of these
  Design design;                             ///< of these
  Eigen::VectorXd predicted;                 ///< one per row that is judged
  RangeCheck range;                          ///< of all rows
  std::optional<std::string> left_out_text;  ///< of the rows that the model gives no time

  std::size_t left_out() const { return file.table.rows() - rows.size(); }
  /// Of the rows of the design, and all that goes with them, keeps those that are not in `some`.
  void leave_out(const std::vector<std::size_t>& some);
};

/// Reads the runs of `arguments` for a model to be judged on. Warns of rows that are out of range
/// and leaves out, with a warning, those of which the model gives no time.
///
/// Throws InputError for rows that the model cannot take, where no row is left, and with
/// `strict_range` for rows that are out of range or have no time.
/// Of a set the rows that its only line is about.
JudgedRuns judge_runs(const SetLines& set, const JudgedRunsArguments& arguments, bool strict_range,
                      Console& console);

/// The same rows with these columns read as text.
Table read_again(const FittedModel& model, const JudgedRunsArguments& arguments,
                 const std::set<std::string>& text_columns);

/// So many rows of a file, evenly spread over it.
std::vector<std::size_t> evenly_chosen(std::size_t rows, std::size_t count);

/// What they are judged by: the model's columns, and the measured time of `arguments`.
ModelSpec judging_spec(const FittedModel& model, const JudgedRunsArguments& arguments);

}  // namespace perfmodel::cli
