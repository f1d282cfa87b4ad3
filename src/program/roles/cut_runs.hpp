#pragma once

#include <optional>
#include <string>
#include <vector>

#include "forms/failure_model.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

/// What a run was ended for, by a word in place of a measurement: "timeout", "CUDA OOM".
enum class RanOutOf { nothing, time, memory };
RanOutOf ran_out_of(const std::string& cell);
/// Of what a run reaches its limit: of time or, in a column of memory, of memory.
RanOutOf limit_in(const Column& measured);

/// The text after the sign of a cell such as ">3600", "> 2h" or ">=3600", of a run that was ended
/// there; nullopt for others.
std::optional<std::string> least_of(const std::string& cell);

/// Whether a word says how a run ended: "COMPLETED", "oom".
bool is_outcome(const std::string& word);

/// Whether a column says how each run ended, and that some failed: states ("COMPLETED", "OOM"),
/// truth values of a column such as "success", or exit codes.
bool tells_failures(const Column& column);

/// A word for the failure that an exit code or a state of a job tells of: "timeout" of "TIMEOUT",
/// 124 (of timeout(1)), 142 and 152 (128 + SIGALRM, SIGXCPU); "oom" of 137 (128 + SIGKILL, as the
/// kernel's out-of-memory killer and container runtimes end processes); empty for 0 and
/// "COMPLETED".
std::string failure_of(const std::string& status);

/// Replaces the measured cells of runs that did not complete, according to the column `status`, by
/// words that say so. Throws UsageError if there is no such column.
void tell_failures(const std::string& status, const std::string& measured, Table& table);

/// Blank measured cells of runs of which another column says that they ran out of memory or time,
/// as the cell of another result may, take its word.
void share_reasons(const std::string& measured, Table& table);

/// The columns that tell which runs failed, and so are their results: those without a value exactly
/// where `measured` has none, such as the memory of these runs, and those of their states.
std::vector<std::string> columns_of_failures(const std::string& measured, const Table& table);

/// Counts zeros in a measured column whose cells have decimals ("0.00") as half of its last digit,
/// if its least number > 0 has no more than two digits more: such runs were too short to measure.
/// Returns a sentence about them, nullopt if there are none.
std::optional<std::string> raise_to_resolution(const std::string& measured, Table& table);

/// Sets the limits of the runs and, for those that were ended at them, the measured cells: of
/// ">3600", of "timeout" in a column of times, and of "oom" in one of memory. `limit` is a column,
/// whose blank cells and "UNLIMITED" are no limits, or a number or quantity for all runs. Without
/// it, limits are known from cells such as ">3600"; if these all say the same and no run finished
/// later, it is the limit of all runs. A column and a quantity are converted to the unit of the
/// measured column, if names or cells tell both.
///
/// Returns a sentence about the runs that were cut off, nullopt if there are none. Throws
/// UsageError for a limit that is neither a column nor a number > 0, InputError, with lines, for
/// limits that are no numbers > 0, runs that finished after their limit, and words of a run without
/// a limit.
std::optional<std::string> set_limits(const std::string& measured,
                                      const std::optional<std::string>& limit, Table& table);

/// What the probability of failures depends on: the columns that the inputs of the model need, and
/// the left out ones that are constant in the runs that finished, but not in the others.
std::vector<FailureInput> failure_inputs(const FittedModel& model, const Table& failed);

}  // namespace perfmodel
