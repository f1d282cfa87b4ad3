#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/eigen.hpp"
#include "cli/console.hpp"
#include "cli/model_sets.hpp"
#include "effects/effects.hpp"
#include "page/page.hpp"
#include "perfmodel/fit.hpp"

namespace perfmodel::cli {

Option add_strict_range(OptionSet& app, bool& strict);

/// Warns of the text and its consequence or, if `strict`, throws InputError with the text.
void warn_or_refuse(const std::string& text, const std::string& consequence, bool strict,
                    Console& console);

/// Warns of every finding or, if `strict`, throws InputError with all of them.
void report_range(const RangeCheck& check, bool strict, Console& console);

/// The model, the runs that judge it, and how they are read.
struct JudgedRunsArguments {
  std::string model;
  std::string pick;
  std::vector<std::string> runs;      ///< files, which are read as one
  std::optional<std::string> target;  ///< nullopt: the model's
  ReadingRules reading;               ///< what differs from the fit of the model
  /// Number of runs to which the file is thinned for a model with a residual process, whose
  /// predictions are slow.
  std::optional<std::size_t> most_of_gp;
};

/// Adds the arguments MODEL.json and RUNS.csv (several), --target and those of add_reading().
void add_judged_runs(OptionSet& command, JudgedRunsArguments& arguments, bool needs_runs = true);

struct Predictions {
  VectorXd values;
  std::vector<std::size_t> without_time;  ///< rows whose value is no valid time, ascending
};

/// Measured runs and their predictions.
struct JudgedRuns {
  RunsFile file;
  std::optional<std::size_t> sampled_from;  ///< number of rows of the file if the table is a sample
  std::vector<std::size_t> rows;            ///< judged rows of the table
  std::vector<std::uint32_t> lines;         ///< of the judged rows
  Design design;                            ///< of the judged rows
  VectorXd predicted;                       ///< per judged row
  RangeCheck range;                         ///< of all rows
  std::size_t without_time = 0;             ///< rows left out, which have no valid predicted time
  std::optional<std::string> left_out_text;  ///< about those of the model
  page::UsedRows used;                       ///< by the fit, see set_rows_of_fit_aside()

  /// Judges all rows of the table that have a valid predicted time. Throws InputError if none has.
  void judge(const Predictions& predictions);
  /// Removes judged rows, with everything that belongs to them. `some`: ascending indices into
  /// `rows`. Throws InputError if no row is left.
  void leave_out(const std::vector<std::size_t>& some);
};

/// Reads the runs that judge the model of a one-line set: the rows that match the line's key. Warns
/// of rows out of range, and of rows without a valid predicted time, which are left out.
///
/// Throws InputError for rows that the model cannot take, if no row is left and, with
/// `strict_range`, for rows that are out of range or have no valid predicted time.
JudgedRuns judge_runs(const ModelSet& set, const JudgedRunsArguments& arguments, bool strict_range,
                      Console& console);

/// As for_each_with_rows(). Runs that do not count are left out, of which the console warns
/// afterwards, and models without other runs are not visited.
void for_each_with_counted_rows(const ModelSet& set, const RunsFile& runs, Console& console,
                                const std::function<void(ModelRows part)>& visit);

/// Leaves out the rows that the model was fitted to, by their content, unless these are all rows or
/// each row is `listed`. Returns the indices of the others in `runs.rows`.
std::vector<std::size_t> set_rows_of_fit_aside(const FittedModel& model, JudgedRuns& runs,
                                               bool listed = false);

/// The content of a page that follows from the judged runs.
page::Source page_source(const FittedModel& model, const std::string& model_file,
                         const page::FileFacts& runs, const JudgedRuns& judged);

/// The predictions of the older model of `file` for the judged runs; it may use other columns than
/// `model`. Rows without a valid predicted time are left out for both.
VectorXd judge_baseline(const std::string& file, const JudgedRunsArguments& arguments,
                        const FittedModel& model, JudgedRuns& runs, bool strict_range,
                        Console& console);

/// Throws InputError if the table already has one of these columns.
void refuse_taken_names(const Table& table, const std::vector<std::string>& names);

/// Writes the lines of the file unchanged, each followed by the cells of new columns: numbers, or
/// words without blanks, with the file's separator and decimal commas. Returns the exit code: 0, or
/// 128 plus the signal that ended the work.
int append_columns(std::string_view bytes, const Table& table,
                   const std::vector<std::string>& names,
                   const std::function<std::vector<std::string>(std::size_t row)>& cells,
                   OutputFile& output);

/// Reads runs as the fit of a model did but for what is asked; what was decided about the format of
/// the files is a notice.
RunsFile read_noted(const std::vector<std::string>& paths,
                    const std::set<std::string>& text_columns, const ReadingRules& asked,
                    const ReadingRules& of_fit, Console& console);

/// Leaves out the runs that do not count for a model, with warnings. Returns how many lack a value
/// of an input.
std::size_t leave_out_noted(RunsFile& runs, const ModelSpec& spec, Console& console);

Predictions predictions_of(const FittedModel& model, const Design& design);

/// Warns of rows without a valid time, followed by `consequence`; if `strict`, throws InputError.
void report_without_time(const Predictions& predictions, const Table& table,
                         const std::string& consequence, bool strict, Console& console);

/// Warns if there were no more training rows than constants.
void report_few_rows(const FittedModel& model, Console& console);

/// Warns of rows in which an input of 0 cancels every growing term, so that only the constant of
/// the formula is left, whatever the other inputs. `lines` are named if there are several rows.
void report_constants(const FittedModel& model, const Design& design,
                      const std::vector<std::uint32_t>& lines, Console& console);

/// The predicted time of every row, for single configurations and for callers that need all rows.
/// Throws InputError, with the places that `where` returns, if some are no valid times.
VectorXd predicted_times(const FittedModel& model, const Design& design,
                         const std::function<std::string(std::size_t row)>& where);

}  // namespace perfmodel::cli
