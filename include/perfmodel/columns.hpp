#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/reading.hpp"

namespace perfmodel {

/// A column that is computed from others: "flops = filters * kernel_size^2".
struct DerivedColumn {
  std::string column;
  std::string formula;          ///< in the syntax of Formula
  std::vector<std::string> of;  ///< the columns that the formula uses

  /// "flops = filters * kernel_size^2"
  std::string definition() const { return column + " = " + formula; }
  bool operator==(const DerivedColumn&) const = default;
};

/// Throws UsageError, whose message begins with `where`, if `column` is no identifier, or if the
/// formula cannot be parsed, uses its own column or contains a quoted text.
DerivedColumn make_derived(const std::string& column, const std::string& formula,
                           const std::string& where);

/// Parses "flops = filters * kernel_size^2", the argument of --derive. Throws UsageError.
DerivedColumn parse_derived(const std::string& text);

/// A constant of a formula that has a value at each level of a column.
struct ConstantPerLevel {
  std::string column;
  std::string constant;

  bool operator==(const ConstantPerLevel&) const = default;
};

/// Parses "device:F". Throws UsageError.
ConstantPerLevel parse_per_level(const std::string& text);

/// A user's formula of the time: "t = max(flops / F, bytes / B) * n^p + C". Names that are no
/// columns are its constants.
struct OwnFormula {
  std::string target;  ///< the column left of '='
  std::string text;    ///< right of it, in the syntax of Formula
  std::vector<ConstantPerLevel> per = {};
};

/// Parses "t = a / gpus + C". Throws UsageError for anything but a column, '=' and a formula.
OwnFormula parse_own_formula(const std::string& text);

/// Appends derived columns to a table; a later one may use an earlier one. All derived columns of
/// tables are made here. Those that the table already has, by the same formula, are kept.
///
/// Throws InputError if a column is missing, contains texts, or has a name that the table already
/// has, and with file and line if a cell is not a number or a value is not finite.
Table with_derived_columns(const Table& table, const std::vector<DerivedColumn>& derived);

/// As with_derived_columns(), for columns that a user requests: throws UsageError for an unknown
/// column and for a name that the table or another derived column has.
Table derive_as_requested(const Table& table, const std::vector<DerivedColumn>& derived);

/// The derived columns named in `used`, and those that they are computed from.
std::vector<DerivedColumn> needed_columns(const std::vector<DerivedColumn>& derived,
                                          const std::vector<std::string>& used);

/// A factor of a product of columns, each to the power 1 or -1.
struct Factor {
  std::string column;
  int power = 1;
};

/// A column that is excluded from the inputs of a model, though the user did not name it.
struct LeftOut {
  enum class Because {
    result,      ///< a measurement other than the time: "samples_per_s"
    identity,    ///< given by other columns: "global_batch" by "local_batch" and "num_gpus"
    repetition,  ///< a counter of repetitions: "trial"
    label,       ///< a name of runs: a date, a path, an id
    constant,    ///< the same value in every row
    incomplete,  ///< without a usable number in some rows
  };

  std::string column;
  Because because = Because::result;
  std::string identity;              ///< "num_gpus * local_batch"; empty if there is none
  std::vector<Factor> factors = {};  ///< if the identity is a product
  std::string value = {};            ///< of a constant, may be blank; what an incomplete one lacks
};

constexpr auto texts_of(LeftOut::Because) {
  using enum LeftOut::Because;
  return std::to_array<EnumText<LeftOut::Because>>({{result, "result"},
                                                    {identity, "identity"},
                                                    {repetition, "repetition"},
                                                    {label, "label"},
                                                    {constant, "constant"},
                                                    {incomplete, "incomplete"}});
}

/// How probable it is that a column of the runs is no input, by the evidence.
struct ColumnDoubt {
  std::string column;
  double result = 0;  ///< the probability of a measurement other than the target
  double label = 0;   ///< that of a name of runs
};

/// A measured throughput, from which the time is computed: time = work / throughput.
struct Throughput {
  std::string column;
  std::string work;  ///< a column or a formula in the syntax of Formula; empty: 1

  bool operator==(const Throughput&) const = default;
};

/// The time computed from a throughput: from "samples_per_s" "time_per_sample" in "s", with work
/// "time_per_iteration". The unit is empty if the throughput's name does not contain one.
struct ThroughputTime {
  std::string column;
  std::string unit;
};
ThroughputTime time_of(const Throughput& throughput, const Table& table);

/// Whether a column name is one of a throughput: "samples_per_s", "images/sec", "throughput".
bool names_throughput(std::string_view name);

/// A warning if a target that is taken as a time is named like a throughput: a time falls where a
/// throughput grows, so that powers, shares and predictions would mean its inverse. Else nullopt.
std::optional<std::string> warning_of_throughput(const std::string& target);

/// The table with the time computed from the throughput in its column `target`, which is replaced
/// if it exists. If the table has the target but not the throughput, it is returned unchanged.
///
/// Throws InputError if throughput or work are missing or not > 0 in any row.
Table with_time_of(const Table& table, const Throughput& throughput, const std::string& target);

/// Describes the target: "... is 1 / samples_per_s: the time of one sample, in s".
std::string words_for(const Throughput& throughput, const ThroughputTime& time, const Table& table);

/// A warning if the work is named as that of one worker, but the throughput is that of all.
std::optional<std::string> warning_of_work(const Throughput& throughput, const Table& table);

/// What the user specified about columns; the rest is inferred.
///
/// Read the table with the names in `categorical` (and preferably also those in `ignore`) as
/// `text_columns`, which keeps their cells as they are in the file: the levels 1.1 and 1.10 differ.
struct RoleRequest {
  std::optional<std::string> target;
  /// Empty, or "none" if no column has that name: no column is a scale.
  std::optional<std::vector<std::string>> extrinsic;
  /// The numeric intrinsic columns. If given, columns in no list are ignored, with a notice.
  std::optional<std::vector<std::string>> intrinsic;
  std::vector<std::string> categorical;  ///< numeric columns to treat as categorical
  std::vector<std::string> ignore;
  std::optional<std::string> time_unit;  ///< a label; nothing is converted
  std::optional<Throughput> throughput;  ///< instead of `target`
  FailedRunsAre failed = FailedRunsAre::told;
  /// A column, or a number in the unit of the time: when a run would have been ended.
  std::optional<std::string> limit = {};
  /// A column of exit codes or states, of which 0 and "completed" mean that the run was not ended.
  std::optional<std::string> status = {};
  /// Columns that are results of the runs unless they are named above; label_runs() adds those that
  /// tell which runs failed.
  std::vector<std::string> results = {};
  std::vector<std::string> facts = {};  ///< columns that were known before the runs
  std::vector<DerivedColumn> derived;   ///< the table has them already
  /// The inputs are the columns of this formula, and all of them: constant ones and those that
  /// follow from others, too.
  std::optional<OwnFormula> formula = {};
  /// label_runs() replaces a total that was set per worker by the value per worker.
  bool totals_per_worker = false;
  bool needs_input = true;  ///< a comparison of repeats of one program does without
};

/// The role of each column in a model.
struct Roles {
  std::string target;
  std::string unit;                      ///< of the target; empty if unknown
  std::vector<std::string> intrinsic;    ///< numeric intrinsic columns, in the order of the file
  std::vector<std::string> categorical;  ///< categorical intrinsic columns
  std::vector<std::string> extrinsic;
  std::vector<std::string> ignored;      ///< on request, or in no list when `intrinsic` is given
  std::vector<LeftOut> left_out;         ///< constants, and columns that are no inputs
  std::vector<ColumnDoubt> doubts;       ///< of the columns that vary and that nothing names
  std::optional<Throughput> throughput;  ///< from which the target is computed
  std::vector<DerivedColumn> derived;
  std::vector<std::string> notices;  ///< sentences: what was inferred or excluded
};

/// Determines the role of every column and checks its values: target > 0, extrinsic columns > 0,
/// numeric intrinsic columns >= 0, no bad cell in a column that is used.
///
/// A column of texts is categorical. A column of numbers and texts is numeric, with bad cells, if
/// most of its cells are numbers; otherwise it must be named in `categorical`. Columns in no list
/// that are no inputs are excluded, with a notice: other measurements, names of runs, columns given
/// by others.
///
/// Throws UsageError if the request names an unknown column or contradicts itself, and InputError
/// (with file, line and column; all problems counted, the first ones shown) if a value cannot be
/// used or roles cannot be inferred.
Roles resolve_roles(const Table& table, const RoleRequest& request);

/// The column of what was measured.
struct MeasuredColumn {
  std::string name;
  bool is_rate = false;  ///< a throughput by its name, which the request does not name
};

/// The column in the request, or else the one that resolve_roles() would take, or a throughput,
/// which it would refuse; nullopt if it cannot be inferred.
std::optional<MeasuredColumn> measured_column(const Table& table, const RoleRequest& request);

}  // namespace perfmodel
