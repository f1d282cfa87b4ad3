#pragma once

#include <Eigen/Core>
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
  std::string formula;          ///< as Formula takes it
  std::vector<std::string> of;  ///< the columns that the formula uses

  /// "flops = filters * kernel_size^2"
  std::string definition() const { return column + " = " + formula; }
  bool operator==(const DerivedColumn&) const = default;
};

/// Throws UsageError, which begins with `where`, for a name that is no identifier, a formula that
/// cannot be read, that uses its own column or quotes a text.
DerivedColumn make_derived(const std::string& column, const std::string& formula,
                           const Sentence& where);

/// "flops = filters * kernel_size^2", as it stands after --derive. Throws UsageError.
DerivedColumn parse_derived(const std::string& text);

/// The table with these columns behind its own; a later one may use an earlier one. The one place
/// where a table gets its derived columns. Those that it has already, by the same formula, stay.
///
/// Throws InputError for a column that is missing, whose name the table already has, or that holds
/// texts, and with file and line for a cell that is not a number and for a value that is not
/// finite.
Table with_derived_columns(const Table& table, const std::vector<DerivedColumn>& derived);

/// The same for what a user asks for. Throws UsageError for an unknown column and for a name that
/// the table or another derived column has.
Table derive_as_requested(const Table& table, const std::vector<DerivedColumn>& derived);

/// Those of the columns that `used` names, and those that they are computed from.
std::vector<DerivedColumn> needed_columns(const std::vector<DerivedColumn>& derived,
                                          const std::vector<std::string>& used);

/// Runs of which a cell says that they failed, and that are left out.
struct FailedRuns {
  std::string file;  ///< base name
  std::string cell;  ///< "NA", "0"; blank, too
  std::size_t rows = 0;
  std::vector<std::uint32_t> lines;  ///< the first five
};

/// The rows that have a time, or throughput, in this column and those that failed: blank, NA, nan,
/// none, failed, error, oom, timeout and their like, and numbers <= 0. What may be a slip ("1,5")
/// stays, for others to refuse.
struct WithoutFailed {
  Table table;
  std::vector<FailedRuns> failed;
};
WithoutFailed without_failed_runs(const Table& table, const std::string& column,
                                  const std::set<std::string>& text_columns);

/// "runs.csv: 3 of 20 rows failed and are left out: 'time_s' is blank in 2 (lines 4 and 9) and
/// \"NA\" in 1 (line 7)"; `rows`: with those.
std::string words_for(const std::vector<FailedRuns>& failed, const std::string& column,
                      std::size_t rows);

/// Of a product of powers with exponents 1 and -1.
struct Factor {
  std::string column;
  int power = 1;
};

/// A column that nobody named and that is no input of a model.
struct LeftOut {
  enum class Because {
    result,      ///< the runs had it as a result beside the time: "samples_per_s"
    identity,    ///< other columns give it: "global_batch" beside "local_batch" and "num_gpus"
    repetition,  ///< it numbers repetitions: "trial"
    label,       ///< it names runs: a date, a path, an id
    constant,    ///< it has one value in every row
  };

  std::string column;
  Because because = Because::result;
  std::string identity;              ///< "num_gpus * local_batch"; empty where there is none
  std::vector<Factor> factors = {};  ///< of a product that gives this one
  std::string value = {};            ///< of a constant; a cell may be blank
};

/// A measured throughput, of which the time is computed: time = work / throughput.
struct Throughput {
  std::string column;
  std::string work;  ///< a column or a formula, as Formula takes it; empty: 1

  bool operator==(const Throughput&) const = default;
};

/// The time that a throughput gives: "time_per_sample" in "s" of "samples_per_s"; with work,
/// "time_per_iteration". The unit is empty where the name does not tell it.
struct ThroughputTime {
  std::string column;
  std::string unit;
};
ThroughputTime time_of(const Throughput& throughput, const Table& table);

/// "samples_per_s", "images/sec", "throughput".
bool names_throughput(std::string_view name);

/// Of a target that is taken as a time: that it has the name of a throughput. A time falls where
/// that grows, so powers, shares and predictions would speak of its inverse.
std::optional<Sentence> warning_of_throughput(const std::string& target);

/// The table with that time as its column `target`, in place of one that it has; as it is where it
/// has the target and no throughput.
///
/// Throws InputError for a throughput that is missing or, in any row, no number > 0, and for work
/// that is not.
Table with_time_of(const Table& table, const Throughput& throughput, const std::string& target);

/// What the target is, for people: "... is 1 / samples_per_s: the time of one sample, in s".
Sentence words_for(const Throughput& throughput, const ThroughputTime& time, const Table& table);

/// Of work that is of one worker by its name, where the throughput counts that of all.
std::optional<Sentence> warning_of_work(const Throughput& throughput, const Table& table);

/// What the user said about the columns; everything left open is inferred.
///
/// Read the table with the names in `categorical` (and best also those in `ignore`) as
/// `text_columns`: their cells then stay as they stand in the file, so that the levels 1.1 and 1.10
/// are two.
struct RoleRequest {
  std::optional<std::string> target;
  /// Empty, or "none" where no column has that name: no column is a scale.
  std::optional<std::vector<std::string>> extrinsic;
  bool needs_scale = true;  ///< otherwise all columns may be inputs alike
  /// The numeric intrinsic columns. Where given, columns named in no list are ignored, with a
  /// notice.
  std::optional<std::vector<std::string>> intrinsic;
  std::vector<std::string> categorical;  ///< numeric columns to treat as levels
  std::vector<std::string> ignore;
  std::optional<std::string> time_unit;  ///< a label, never a conversion
  std::optional<Throughput> throughput;  ///< in place of `target`
  bool drop_failed = false;              ///< leave out runs whose time says that they failed
  /// The column of how many identical runs, their time included, a line stands for; no input.
  std::optional<std::string> weight = {};
  bool single_rows = false;            ///< label_runs() takes such lines apart: each run is a row
  std::vector<DerivedColumn> derived;  ///< the table has them already
  /// label_runs() puts what each worker has in place of a total that was set so.
  bool totals_per_worker = false;
};

/// Which column plays which part in the model.
struct Roles {
  std::string target;
  std::string unit;                      ///< of the target; empty where unknown
  std::vector<std::string> intrinsic;    ///< numeric intrinsic columns, in the order of the file
  std::vector<std::string> categorical;  ///< intrinsic columns that are levels
  std::vector<std::string> extrinsic;
  std::vector<std::string> ignored;      ///< on request, or in no list beside --intrinsic
  std::vector<LeftOut> left_out;         ///< constants, and what is no input
  std::optional<Throughput> throughput;  ///< of which the target is computed
  std::vector<DerivedColumn> derived;
  std::vector<Sentence> notices;  ///< whole sentences: what was inferred or dropped
};

/// Settles the part of every column and checks its values: the target > 0, extrinsic
/// columns > 0, numeric intrinsic ones >= 0, no bad cell in a column that is used.
///
/// A column of texts is categorical. A column of numbers and texts is a column of numbers with bad
/// cells where most cells are numbers; otherwise only `categorical` settles it. Columns in no list
/// that are no inputs are left out: results, names of runs, what others give; the notices say so.
///
/// Throws UsageError where a flag names an unknown column or flags contradict each other, and
/// InputError (with file, line and column; all offenders counted, the first shown) where a value
/// cannot be used or the parts cannot be inferred.
Roles resolve_roles(const Table& table, const RoleRequest& request);

/// The column of the measured time or throughput: the one that the request names, else the one that
/// resolve_roles() would take, as far as it can tell.
std::optional<std::string> measured_column(const Table& table, const RoleRequest& request);

/// How a column that may be 0 counts in a product of powers, of which 0 would be no factor.
struct ZeroValue {
  double unit = 1;     ///< the smallest value above 0
  bool apart = false;  ///< 0 has a factor of its own; otherwise x counts as 1 + x / unit
};

/// A numeric column of the model and the range of its values in the training rows.
struct NumericInput {
  std::string column;
  double low = 0;
  double high = 0;
  std::optional<ZeroValue> zero = {};  ///< nothing: all values are > 0

  /// What a value counts as in a product of powers; of 0 it is > 0, too.
  double counted(double value) const;
  bool allows(double value) const { return value > 0 || (zero && value == 0); }
};

/// A categorical column of the model and its known levels, sorted.
struct CategoricalInput {
  std::string column;
  std::vector<std::string> levels;
  /// Which of them people see first, second, ...; empty: the order in which they stand.
  std::vector<std::size_t> shown = {};

  std::size_t shown_level(std::size_t place) const { return shown.empty() ? place : shown[place]; }
};

/// A column that is no input itself: derived columns are computed from it.
struct SourceColumn {
  std::string column;
  double typical = 0;  ///< of the central run of the training rows
};

/// A numeric column that moves with a scale in every run: where the scale is multiplied by x, it is
/// multiplied by x^power. "global_batch", which is local_batch * num_gpus, with num_gpus.
///
/// In steps it moves where it is ceil(product / divisor) in every run: "nodes", which is
/// ceil(num_gpus / 8). The power then says whether it grows or falls with the scale.
struct Tie {
  std::string scale;
  std::string column;
  int power = 1;
  std::vector<Factor> factors = {};  ///< of that product; empty where it does not move in steps
  double divisor = 1;

  bool in_steps() const { return !factors.empty(); }
  /// ceil(product / divisor), where `value_of` has the values of the factors.
  double step(const std::function<double(const std::string&)>& value_of) const;
};

/// What a model takes in and gives out. The order of the inputs is the order of the constants.
struct ModelSpec {
  std::string target;
  std::string unit;
  std::optional<Throughput> throughput;  ///< of which the target is computed
  std::vector<NumericInput> intrinsic;
  std::vector<CategoricalInput> categorical;
  std::vector<NumericInput> extrinsic;
  std::vector<DerivedColumn> derived;  ///< what its inputs are computed from, in their order
  std::vector<SourceColumn> sources;   ///< empty of a model file that does not tell them
  std::vector<Tie> ties;               ///< of its inputs

  std::size_t level_count() const;
  /// Whether scales are its only inputs: what they scale is then one constant.
  bool has_scales_only() const;
  /// Whether a numeric column may be 0.
  bool has_zeros() const;
  bool is_derived(const std::string& column) const;
  /// Whether a derived column is computed from this one.
  bool is_derived_from(const std::string& column) const;
  /// Whether the column moves with a scale.
  bool is_tied(const std::string& column) const;
  /// Whether others give the column, so that it is no scale of its own: where it is derived or
  /// moves in steps with a scale.
  bool follows(const std::string& column) const;
  /// Whether other inputs change where this one does: derived columns, and those tied to it.
  bool moves_others(const std::string& column) const;
};

/// The columns that a configuration must have: the inputs that are not derived, and what derived
/// ones are computed from.
std::vector<std::string> required_columns(const ModelSpec& spec);

/// Levels and ties come from all rows of the table, ranges from `training_rows`. Typical values are
/// left to set_typical_values().
ModelSpec make_spec(const Table& table, const Roles& roles,
                    std::span<const std::size_t> training_rows);

/// Those of this row of the table.
void set_typical_values(const Table& table, std::size_t row, ModelSpec& spec);

/// The values of one numeric column over the rows of a design. Columns of few distinct values are
/// coded, so that work is done once per distinct value; others hold a value per row.
struct NumericFactor {
  /// Columns of at most this many distinct values are coded.
  static constexpr std::size_t most_coded = 4096;

  std::vector<double> values;        ///< distinct values, ascending; one per row where not coded
  std::vector<std::uint32_t> codes;  ///< row -> index into `values`; empty where not coded

  bool coded() const { return !codes.empty(); }
  double value(std::size_t row) const { return coded() ? values[codes[row]] : values[row]; }
};

/// The level of one categorical column in each row.
struct LevelFactor {
  std::size_t levels = 0;
  std::vector<std::uint32_t> codes;  ///< row -> index of the level in the spec
};

/// The rows as the model sees them: one factor per input of the spec, in its order.
struct Design {
  std::size_t rows = 0;
  std::vector<NumericFactor> intrinsic;
  std::vector<LevelFactor> categorical;
  std::vector<NumericFactor> extrinsic;
  Eigen::VectorXd time;  ///< measured target, size rows; empty where it was not required
  /// How many runs each row stands for; as of the table, empty where it has none.
  std::vector<std::uint64_t> runs{};

  std::size_t runs_of(std::size_t row) const { return runs.empty() ? 1 : runs[row]; }
  std::size_t total_runs() const;
};

/// Whether a design needs the measured target (fit, evaluate) or not (predict).
enum class Target { required, absent };

/// The chosen rows of a table (all where `rows` is empty-optional) as the model's inputs, derived
/// columns computed.
///
/// Throws InputError with file, line and column for a missing column, an unknown level (listing
/// what is known), a value that is not a number, < 0, or
/// 0 where the model knows none.
Design make_design(const Table& table, const ModelSpec& spec, Target target,
                   std::optional<std::span<const std::size_t>> rows = std::nullopt);

/// The chosen rows of a design, in that order.
Design take_rows(const Design& design, std::span<const std::size_t> rows);

/// One setting of every input of a model, in the order of its spec.
struct Configuration {
  std::vector<double> intrinsic;
  std::vector<std::uint32_t> levels;
  std::vector<double> extrinsic;
};

/// That of a row.
Configuration configuration_of(const Design& design, std::size_t row);

/// The configuration with this value of the extrinsic column of that number: columns that are tied
/// to it move along, every derived column is computed anew, and what derived columns alone use has
/// its typical value. Nothing where a derived value cannot be an input or a column behind it is not
/// known.
std::optional<Configuration> with_scale(const ModelSpec& spec, const Configuration& configuration,
                                        std::size_t extrinsic, double value);

/// A design of this one row, without a time.
Design design_of(const Configuration& configuration, const ModelSpec& spec);

/// The run that stands for all runs of a fit: answers that need one configuration are given there.
struct CentralRun {
  Configuration configuration;
  std::uint32_t line = 0;  ///< in the runs file
  double time = 0;         ///< measured
};

/// The medoid of the rows: the sum of its distances to all others is the smallest. The distance of
/// two rows is the sum over numeric columns of |ln x - ln y| over the standard deviation of the
/// column's logarithms, and 1 for each column of levels that differs; a column that may be 0 counts
/// as 1 + x / unit.
///
/// Among equally central rows those of the smallest numbers and first levels count, column by
/// column; of runs of one configuration the one of the median time. So the order of rows and
/// columns and the units decide nothing. Rows times ln(rows) per column; at least one row.
std::size_t central_row(const ModelSpec& spec, const Design& training);

/// Its configuration.
Configuration central_configuration(const ModelSpec& spec, const Design& training);

/// How far runs of one configuration are from each other: what no model of the configurations can
/// get below.
struct NoiseFloor {
  std::size_t rows = 0;    ///< that share their configuration with another row
  std::size_t groups = 0;  ///< configurations of two rows or more
  /// Mean of |t - m| / t over these rows, m the median of the configuration, in percent; divided by
  /// median_shrinkage(rows of the group), since a median lies nearer to its own rows than the truth
  /// does.
  double mape_percent = 0;
};

/// Nothing where no configuration has two rows. The design has times.
std::optional<NoiseFloor> noise_floor(const Design& design);

/// E |x - median of the sample| / E |x - mu| of a normal sample of this size, to four digits: from
/// the expected values of normal order statistics, 0.7071 of two or three, 0.8312 of four or five.
/// At least two.
double median_shrinkage(std::size_t sample_size);

/// One column's part in a region: values of a numeric column from low to high, or one level.
struct RegionPart {
  std::string column;
  double low = 0;
  double high = 0;
  std::string level;  ///< empty for a numeric column
};

/// A region inside of the measured ranges of the columns in which nothing was measured: a level
/// without a training row, or a combination of values of two columns.
struct UnmeasuredRegion {
  std::vector<RegionPart> parts;  ///< one or two; a configuration lies inside of all of them
};

/// "activation = gelu", "gpus in 4 .. 8 with batch_size = 8"
std::string to_text(const UnmeasuredRegion& region);

/// Looks at all pairs of columns. A column of up to 6 values has a cell for each, others have 4
/// cells of about equally many rows; levels are cells. A pair of cells without a row is a region
/// where 6 rows or more would be expected there if the columns had nothing to do with each other:
/// fewer can be missing by chance (e^-6 = 0.25 %). Neighbouring cells are joined. A pair of numeric
/// columns that has no such region may have others: towards a corner, where no row lies as far out
/// in both columns and none within half of the measured range (in ln x) of both.
std::vector<UnmeasuredRegion> find_unmeasured(const ModelSpec& spec, const Design& training);

/// One per row of the design: whether it lies in the region.
std::vector<bool> rows_in_region(const UnmeasuredRegion& region, const ModelSpec& spec,
                                 const Design& design);

}  // namespace perfmodel
