#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/error.hpp"
#include "perfmodel/table.hpp"

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

/// Excluded runs: those with this cell in the measured column, which says that they failed.
struct FailedRuns {
  std::string file;  ///< base name
  std::string cell;  ///< "NA", "0"; may be blank
  std::size_t rows = 0;
  std::vector<std::uint32_t> lines;  ///< the first five
};

/// True for blank, NA, nan, none, failed, error, oom, timeout and the like, and numbers <= 0. What
/// may be a typing error ("1,5") is none, to be rejected later.
bool says_failed(const std::string& cell);
/// The same of cells that are no numbers.
bool tells_failure(const std::string& cell);
/// Whether some of the runs were ended at a limit of what was measured: of time, or of memory.
bool were_cut(const std::vector<FailedRuns>& failed, const Column& measured);

/// Separates the rows with a time or throughput in this column from those that failed: whose cell,
/// if it is no number > 0, is such a one.
struct WithoutFailed {
  Table table;
  std::vector<FailedRuns> failed;
  Table failed_rows;  ///< the rows that were separated
};
WithoutFailed without_failed_runs(const Table& table, const std::string& column,
                                  const std::set<std::string>& text_columns,
                                  bool (*is_failed)(const std::string& cell) = says_failed);

/// "runs.csv: 3 of 20 rows failed and are left out: 'time_s' is blank in 2 (lines 4 and 9) and
/// \"NA\" in 1 (line 7)". `rows`: number of rows including the failed ones.
std::string words_for(const std::vector<FailedRuns>& failed, const std::string& column,
                      std::size_t rows);

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

/// What becomes of the runs whose time says that they failed. Told: those with no number (blank,
/// "OOM") are dropped, those with a number <= 0 refused. Censored: those that were ended at a limit
/// count as longer than it, the others are dropped.
enum class FailedRunsAre { told, refused, dropped, censored };

constexpr auto texts_of(FailedRunsAre) {
  using enum FailedRunsAre;
  return std::to_array<EnumText<FailedRunsAre>>(
      {{told, "told"}, {refused, "refuse"}, {dropped, "drop"}, {censored, "censor"}});
}

/// The cells of the runs that are dropped: tells_failure() or says_failed().
constexpr auto dropped_if(FailedRunsAre how) {
  return how == FailedRunsAre::told ? tells_failure : says_failed;
}

/// How files of runs are read and which of their runs count. The fit keeps it in the model, for
/// which further runs are read likewise.
struct ReadingRules {
  InputOptions input = {};
  FailedRunsAre failed = FailedRunsAre::told;
  std::optional<std::string> limit = {};   ///< as in RoleRequest
  std::optional<std::string> status = {};  ///< as in RoleRequest

  /// Whether nothing was asked for.
  bool empty() const {
    return !input.separator && !input.decimal && !input.format && input.study.empty() &&
           input.experiment.empty() && input.sql.empty() && input.facts.empty() &&
           failed == FailedRunsAre::told && !limit && !status;
  }
};

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
  std::vector<DerivedColumn> derived;  ///< the table has them already
  /// The inputs are the columns of this formula, and all of them: constant ones and those that
  /// follow from others, too.
  std::optional<OwnFormula> formula = {};
  /// label_runs() replaces a total that was set per worker by the value per worker.
  bool totals_per_worker = false;
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

/// The column of the measured time or throughput: the one in the request, or else the one that
/// resolve_roles() would take; nullopt if it cannot be inferred.
std::optional<std::string> measured_column(const Table& table, const RoleRequest& request);

/// The column of the measured throughput, by its name, if the request names no target and no column
/// is a time.
std::optional<std::string> measured_rate(const Table& table, const RoleRequest& request);

/// How a column that contains 0 enters a product of powers, where a factor of 0 would be useless.
struct ZeroValue {
  double unit = 1;     ///< the smallest value above 0
  bool apart = false;  ///< true: 0 has a factor of its own; false: x enters as 1 + x / unit
};

/// A numeric input of the model and its range in the training rows.
struct NumericInput {
  std::string column;
  double low = 0;
  double high = 0;
  std::optional<ZeroValue> zero = {};  ///< nullopt: all values are > 0
  std::string unit = {};               ///< "s", "B" or "%" if the cells of the runs have units

  /// The base of the power for this value, which is > 0 also for 0.
  double counted(double value) const;
  bool allows(double value) const { return value > 0 || (zero && value == 0); }
};

/// A categorical input of the model and its known levels, sorted.
struct CategoricalInput {
  std::string column;
  std::vector<std::string> levels;
  /// Indices of the levels in the order of display; empty: the order of `levels`.
  std::vector<std::size_t> shown = {};

  std::size_t shown_level(std::size_t place) const { return shown.empty() ? place : shown[place]; }
};

/// A column that is no input itself, but that derived columns are computed from.
struct SourceColumn {
  std::string column;
  double typical = 0;  ///< its value in the central training run
};

/// A numeric column that moves with a scale in every run, or in all but a few: if the scale is
/// multiplied by x, the column is multiplied by x^power. Example: "global_batch" = local_batch *
/// num_gpus moves with num_gpus.
///
/// A column moves in steps if it is ceil(product / divisor) in every run, as "nodes" =
/// ceil(num_gpus / 8); the sign of `power` then says whether it grows or falls with the scale.
struct Tie {
  std::string scale;
  std::string column;
  int power = 1;
  std::vector<Factor> factors = {};  ///< of that product; empty if it does not move in steps
  double divisor = 1;

  bool in_steps() const { return !factors.empty(); }
  /// ceil(product / divisor); `value_of` returns the values of the factors.
  double step(const std::function<double(const std::string&)>& value_of) const;
};

/// Inputs and output of a model. The order of inputs is the order of the constants.
struct ModelSpec {
  std::string target;
  std::string unit;
  std::optional<Throughput> throughput;  ///< from which the target is computed
  std::string shown_unit = {};           ///< in which its cells were written, "GiB"; may be empty
  std::vector<NumericInput> intrinsic;
  std::vector<CategoricalInput> categorical;
  std::vector<NumericInput> extrinsic;
  std::vector<DerivedColumn> derived;  ///< for its inputs, in the order of computation
  std::vector<SourceColumn> sources;   ///< empty if the model file does not contain them
  std::vector<Tie> ties;               ///< among the inputs

  std::size_t level_count() const;
  /// Whether all inputs are extrinsic; the sum that they scale is then a single constant.
  bool has_scales_only() const;
  /// Whether any numeric input may be 0.
  bool has_zeros() const;
  bool is_derived(const std::string& column) const;
  /// Whether a derived column is computed from this one.
  bool is_derived_from(const std::string& column) const;
  /// Whether the column moves with a scale.
  bool is_tied(const std::string& column) const;
  /// Whether other columns determine this one, so that it is no scale of its own: it is derived or
  /// moves in steps with a scale.
  bool follows(const std::string& column) const;
  /// Whether other inputs change with this one: derived columns, and columns tied to it.
  bool moves_others(const std::string& column) const;
};

/// The columns that a configuration must have: inputs that are not derived, and columns from which
/// derived ones are computed.
std::vector<std::string> required_columns(const ModelSpec& spec);

/// Levels and ties are determined from all rows of the table, ranges from `training_rows`. The
/// typical values of source columns are not set, see set_typical_values().
ModelSpec make_spec(const Table& table, const Roles& roles,
                    std::span<const std::size_t> training_rows);

/// Sets the typical values of source columns to those of this row.
void set_typical_values(const Table& table, std::size_t row, ModelSpec& spec);

/// The values of a numeric column over the rows of a design. Columns of few distinct values are
/// coded, so that work can be done once per distinct value; others have a value per row.
struct NumericFactor {
  /// Columns of at most this many distinct values are coded.
  static constexpr std::size_t most_coded = 4096;

  std::vector<double> values;        ///< coded: distinct values, ascending; else one per row
  std::vector<std::uint32_t> codes;  ///< row -> index into `values`; empty if not coded

  bool coded() const { return !codes.empty(); }
  double value(std::size_t row) const { return coded() ? values[codes[row]] : values[row]; }
};

/// The level of a categorical column in each row.
struct LevelFactor {
  std::size_t levels = 0;
  std::vector<std::uint32_t> codes;  ///< row -> index of the level in the spec
};

/// The rows as inputs of the model: one factor per input of the spec, in its order.
struct Design {
  std::size_t rows = 0;
  std::vector<NumericFactor> intrinsic;
  std::vector<LevelFactor> categorical;
  std::vector<NumericFactor> extrinsic;
  Eigen::VectorXd time;  ///< measured target, one per row; empty if not required
  /// Per row, the time at which the run would have been ended, infinite if never; empty: no limits.
  Eigen::VectorXd limit{};

  /// Whether the run of this row was ended at its limit, and would have taken longer.
  bool is_cut(std::size_t row) const {
    const auto at = static_cast<Eigen::Index>(row);
    return limit.size() > 0 && time[at] >= limit[at];
  }
};

/// Whether a design needs the measured target (fit, evaluate) or not (predict).
enum class Target { required, absent };

/// The chosen rows of a table (nullopt: all) as inputs of the model, with derived columns computed.
///
/// Throws InputError with file, line and column for a missing column, an unknown level (listing the
/// known ones), and a value that is no number, negative, or 0 if no training row has 0.
Design make_design(const Table& table, const ModelSpec& spec, Target target,
                   std::optional<std::span<const std::size_t>> rows = std::nullopt);

/// The chosen rows of a design, in the order of `rows`.
Design take_rows(const Design& design, std::span<const std::size_t> rows);

/// One value of every input of a model, in the order of its spec.
struct Configuration {
  std::vector<double> intrinsic;
  std::vector<std::uint32_t> levels;
  std::vector<double> extrinsic;
};

/// The configuration of a row.
Configuration configuration_of(const Design& design, std::size_t row);

/// The configuration with another value of the extrinsic column of this index: tied columns move
/// with it, derived columns are computed anew, and columns that only derived columns use have their
/// typical value. nullopt if a derived value is no valid input or a source column is unknown.
std::optional<Configuration> with_scale(const ModelSpec& spec, const Configuration& configuration,
                                        std::size_t extrinsic, double value);

/// A design of one row, without a time.
Design design_of(const Configuration& configuration, const ModelSpec& spec);

/// The run that represents all runs of a fit: results that need a configuration are given for it.
struct CentralRun {
  Configuration configuration;
  std::uint32_t line = 0;  ///< in the runs file
  double time = 0;         ///< measured
};

/// The medoid of the rows, which has the smallest sum of distances to all others. The distance of
/// two rows is the sum over numeric columns of |ln x - ln y| over the standard deviation of the
/// column's logarithms, plus 1 for each categorical column that differs; a column that may be 0
/// counts as 1 + x / unit.
///
/// Ties are broken by the smallest numbers and first levels, column by column, and among runs of
/// one configuration by the median time, so that the order of rows and columns and the units do not
/// matter. O(rows log(rows)) per column; at least one row.
std::size_t central_row(const ModelSpec& spec, const Design& training);

/// The configuration of central_row().
Configuration central_configuration(const ModelSpec& spec, const Design& training);

/// How far runs of the same configuration are from each other: a lower bound of the error of any
/// model of the configurations.
struct NoiseFloor {
  std::size_t rows = 0;    ///< whose configuration occurs in another row, too
  std::size_t groups = 0;  ///< configurations of two rows or more
  /// Mean of |t - m| / t over these rows, m being the median of the configuration, in percent.
  /// Divided by what it is for a normal sample of as many rows: a median is closer to its rows than
  /// the truth.
  double mape_percent = 0;
};

/// nullopt if no configuration has two rows. The design must have times.
std::optional<NoiseFloor> noise_floor(const Design& design);

/// One side of a region: a range of a numeric column, or one level of a categorical column.
struct RegionPart {
  std::string column;
  double low = 0;
  double high = 0;
  std::string level;  ///< empty for a numeric column
};

/// A region within the measured ranges of the columns that contains no measurement: a level without
/// training rows, or a combination of values of two columns.
struct UnmeasuredRegion {
  std::vector<RegionPart> parts;  ///< one or two; a configuration must lie in all of them
};

/// "activation = gelu", "gpus in 4 .. 8 with batch_size = 8"
std::string to_text(const UnmeasuredRegion& region);

/// Examines all pairs of columns. A numeric column is divided into a cell per value if it has up to
/// 6, else into 4 cells of about equally many rows; a categorical column has a cell per level. A
/// pair of cells without a row is a region if at least 6 rows would be expected there for
/// independent columns: the probability of none is then e^-6 = 0.25 %. Adjacent cells are joined.
/// For a pair of numeric columns without such a region, corners are examined: a region where no row
/// is as far out in both columns, and none within half of the measured range (in ln x) of both. Of
/// two texts of few levels, or a text and a number, of which one follows from the other, every pair
/// of levels without a row is a region.
std::vector<UnmeasuredRegion> find_unmeasured(const ModelSpec& spec, const Design& training);

/// The pairs of texts, or of a text and a number, of few values that each follow from the other:
/// what each of them does cannot be told.
std::vector<std::pair<std::string, std::string>> confounded_texts(const ModelSpec& spec,
                                                                  const Design& training);

/// Per row of the design: whether it lies in the region.
std::vector<bool> rows_in_region(const UnmeasuredRegion& region, const ModelSpec& spec,
                                 const Design& design);

}  // namespace perfmodel
