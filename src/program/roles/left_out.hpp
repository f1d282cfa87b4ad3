#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/spec.hpp"
#include "roles/column_facts.hpp"

namespace perfmodel {

/// True if a column of this name usually holds another result of a run than the time: "throughput",
/// "samples_per_s", "gpu_util", "mfu", "test_acc", "forward_ms", "latency". Some are settings
/// ("requests_per_s" of a load), so the values must be checked as well.
bool is_by_product_name(std::string_view name);

/// True if a column of this name holds an amount that a run uses, memory or energy: "peak_rss",
/// "memory_gb", "energy_j". Without another result it is what was measured.
bool names_amount(std::string_view name);

/// "time_limit", "requested_mem": a setting with the name of a result.
bool is_asked_for(std::string_view name);

/// Whether it is the name of a time where no other column is one: "latency", "time_taken".
bool may_be_time_name(std::string_view name);

/// Whether a column of this name holds a measured rate where no other is a time, rather than one
/// that was asked for, or a quotient of rates: "qps", "tokens_per_s", "bandwidth_GBps".
bool may_be_rate_name(std::string_view name);

/// What a column is as a target, where no name says which one is: "score" rather than any other,
/// and these rather than what is computed from results, or counts them ("efficiency", "n").
enum class ResultRank { outcome, unknown, computed };
ResultRank rank_as_target(std::string_view name);

/// Whether two columns are statistics of one quantity, and the first tells more of a typical run:
/// the quantity itself rather than its mean or median ("time", "time_mean"), and these rather than
/// "time_max" or "p95".
bool is_better_statistic(std::string_view name, std::string_view other);

/// Whether a table has the columns of a known tool: those that are in each of its tables, and three
/// columns in all, since one name ("user", "min") may be an input's.
bool is_table_of_tool(const std::vector<std::string>& names);

/// True if the column has what a tool measures that runs benchmarks, or how it does.
bool is_measured_by_tool(const std::string& name, const std::vector<std::string>& names);

/// Why a column of this name is no input in a table of a known tool: it is a result ("realtime" and
/// "exit" of Nextflow, "MaxRSS" of Slurm) or a label. nullopt if it may be an input.
std::optional<LeftOut::Because> role_in_tool(const std::string& name,
                                             const std::vector<std::string>& names);

/// Finds results among the columns that no flag names, that do not have the name of a scale and are
/// not derived. A result either
/// - is a product or quotient of the time and up to two other columns, in every row to 1 % or to
///   half of the last digits that the two show,
/// - or has the name (is_by_product_name) or the unit of a result,
/// and looks measured: it has more than 20 distinct values, or more than half as many as rows,
/// since settings have few values that repeat. Columns of integers need the name. Results are also
/// - statistics ("stddev", "p95", "tput_err" beside "tput"), beside two of which a count is the
///   number of runs,
/// - and up to four measured columns of which the target is the sum, but for a tenth.
///
/// Returns them in the order of their names.
std::vector<LeftOut> find_by_products(const Table& table, const std::vector<ColumnPart>& parts);

/// The numeric inputs of a model that no formula computes from others.
std::vector<ColumnPart> numeric_parts(const Table& table, const ModelSpec& spec);

/// Numeric inputs that follow from the measured time, but are inputs because a flag names them or
/// no other is left. The errors of such a model are meaningless.
std::vector<LeftOut> inputs_given_by_target(const Table& table, const ModelSpec& spec);

/// Excludes the columns that are found to be no inputs although no flag excludes them, and
/// `results`; at least one input remains. Returns the excluded columns.
std::vector<LeftOut> leave_out_no_inputs(const Table& table, std::vector<ColumnPart>& parts,
                                         const std::vector<std::string>& results = {});

/// The reason, as the predicate of "Column 'x' ...": "numbers repetitions".
std::string words_for(const LeftOut& left_out);

/// "Column 'a'", "Columns 'a' and 'b'"
std::string columns_named(std::span<const std::string> names);

/// "fit a model per 'optimiser': --by optimiser", for the column of fewest texts that tell in which
/// rows another one has no value; empty if there is none.
std::string models_without_gaps(const Column& column, const Table& table);

/// One sentence per reason, with the flags that make the columns inputs.
std::vector<std::string> left_out_notices(const std::vector<LeftOut>& left_out,
                                          const std::vector<ColumnPart>& parts, const Table& table);

/// The numeric inputs that follow from others in every row:
/// - as a constant times a product or quotient of up to three,
/// - as a power (2, 3, 1/2) or a logarithm of one,
/// - as one times a constant per level of a text column.
///
/// The column of an identity that counts as dependent is chosen by name, the first of
/// - a total ("global_batch", "total_tokens") or a batch if another name is per worker,
/// - a number without the name of a scale, except "gpus_per_node" and the like,
/// - a coarse count ("nodes" beside "gpus"),
/// - a number per worker or other unit ("gpus_per_node"),
/// - any other scale;
/// among several of these the product of the others, then the one with most distinct values, then
/// the first in the alphabet. So a scale can vary while the remaining inputs are fixed.
///
/// Derived columns and columns that a flag names are never dependent.
std::vector<LeftOut> find_identities(const std::vector<ColumnPart>& parts);

/// The integer inputs that follow in steps from others, a scale among them, in every row: as
/// ceil(x / k) of one, or ceil(x) of a product x of up to three with powers 1 and -1. They remain
/// inputs, since the time may jump when they do. A step in one, two or three columns requires at
/// least 4, 6 or 8 distinct rows, and more than the column has values. The field `scale` of the
/// ties is empty.
std::vector<Tie> find_steps(const std::vector<ColumnPart>& parts);

/// Inputs that no flag names and that identify runs rather than configurations, in the order of the
/// file: first counters of repetitions, which are integers, or texts that differ only in digits,
/// with a name such as "rep", "run_id", "trial", "visit", "seed", or "iteration" if it counts from
/// 0 or 1; then labels, which are dates and times of day; paths and other texts that are unique in
/// most rows; numbers with names such as "config_id" and "timestamp".
std::vector<LeftOut> find_run_labels(const Table& table, const std::vector<ColumnPart>& parts);

}  // namespace perfmodel
