#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "perfmodel/columns.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/progress.hpp"
#include "perfmodel/table.hpp"

namespace perfmodel {

/// A model as an expression that other programs compute. The functions take the columns by name.
///
/// Numbers have all digits, so that the values agree with predict(), but for `text` and `latex`,
/// which are for reading and round to three digits. `python`: a function predict(filters,
/// activation, ...). `c`: a function of C99. `javascript`: a function of ES2020. `spreadsheet`: a
/// formula whose inputs are defined names. Their inputs are required_columns(): derived columns are
/// computed inside. `text` and `latex` say below how those are computed.
enum class FormulaLanguage { text, latex, python, c, javascript, spreadsheet };

std::string_view to_text(FormulaLanguage language);

/// Which constants of a model the training rows determine, so that they can be quoted.
///
/// A constant is identified where no flat direction of the model moves it (to first order at the
/// optimum), where it does not stand at a bound other than 0, and where its approximate 95 %
/// interval is narrow: at most +-0.5 for a power, +-50 % for a coefficient of a numeric column, and
/// +-50 % or +-10 % of the median time, whichever is wider, for C, levels and their differences. A
/// coefficient or C of exactly 0 is determined by its bound, where no flat direction leads away.
///
/// Factors of a sum of product terms are relative to the first that is not 0 (which stands at true)
/// and, like its coefficients, need +-50 %. A factor of exactly 0 stands at true: where the term
/// does not exist it takes less than 1e-4 of the time.
struct Identifiability {
  std::vector<bool> constants;  ///< one per constant, in the order of the model's
  /// Where a bound other than 0 decides, not the rows; one per constant, or none where that is not
  /// known.
  std::vector<bool> at_bound = {};
  /// Of Eq. (4): one per level, column by column: its difference to the first level of the column
  /// (which stands at true). Where several columns have levels, only such differences are
  /// determined.
  std::vector<bool> differences;
  /// Of a sum of product terms: its local scaling powers as scaling_powers() reports them, one per
  /// extrinsic column.
  std::vector<bool> scaling_powers;
};

/// What a bootstrap draws with replacement.
enum class Resampling {
  rows,       ///< whole training rows
  residuals,  ///< residuals of ln(time), put on the fitted times: for few rows
};

std::string_view to_text(Resampling resampling);

struct Interval {
  double low = 0;  ///< NaN, as is high, where samples tell none: a reference went to 0
  double high = 0;
};

/// How far other runs of the same kind would have moved the constants.
struct Uncertainty {
  Resampling resampling = Resampling::rows;
  std::size_t samples = 0;
  double confidence = 0.95;
  std::vector<Interval> constants;  ///< in the order of the model's
  /// Of Eq. (4): of each level to the first of its column, column by column.
  std::vector<Interval> differences;
  /// Of a sum of product terms: of its local scaling powers, one per extrinsic column.
  std::vector<Interval> scaling_powers;
};

/// What fits to parts of the training rows say about the rest of them.
struct CrossValidation {
  std::optional<std::string> group_by;  ///< nothing: rows of one configuration stay together
  std::vector<Metrics> folds;           ///< of the held-out rows of each fold
  Eigen::VectorXd predicted;  ///< of every training row, by the fit that it was held out of; not
                              ///< kept in model.json
};

/// Which rows told how far predictions are off.
enum class Calibration {
  /// Rows of the validation part, which no fit has seen (split conformal prediction; Papadopoulos
  /// et al. 2002, Lei et al. 2018). Where the calibration rows and a new row are exchangeable, its
  /// time lies in the interval with at least the asked-for probability, whatever the model.
  validation,
  /// Training rows, each judged by the same form fitted again without it (cross-conformal
  /// prediction; Vovk 2015). No such guarantee: the fits to parts differ from the fit to all, whose
  /// form was chosen with the rows that judge.
  cross_validation
};

/// How wrong the model was beyond the measured range of a numeric column, learnt by rolling its
/// edge back: fitted to the rows up to a smaller value and judged on those beyond.
struct GrowthOfErrors {
  std::string column;
  /// How often it was rolled back; 0: `growth` is |d ln t / d ln x| between the ends of the range.
  std::size_t edges = 0;
  /// By how much |ln(measured / predicted)| exceeds the half width of 90 % intervals within the
  /// runs, by ln(value / edge), in 90 % of the rows beyond: the median over these edges, 1.5
  /// at most.
  double growth = 0;
};

/// Intervals for new times by conformal prediction, at any level that the calibration rows reach.
///
/// The score of a row is ln(measured / predicted), of a model with a residual process over its
/// standard deviation there, in which there is what the typical calibration row scatters beyond it:
/// where few runs say that there is no noise, an error over next to nothing would decide all
/// intervals. Nor does a single row: intervals are factors of the prediction, wider in seconds
/// where times are long. Both ends have a quantile of their own, since errors are seldom symmetric.
struct PredictionIntervals {
  static constexpr double default_level = 0.9;

  double level = default_level;  ///< used where no other is asked for
  Calibration calibration = Calibration::validation;
  std::size_t count = 0;           ///< calibration rows
  std::vector<std::size_t> ranks;  ///< from 1, ascending: which of the sorted scores are kept
  std::vector<double> scores;      ///< theirs, rounded outwards to 1e-6
  /// Of the columns whose edge could be rolled back. Models of older versions do not say: their
  /// intervals are as wide beyond the runs as within.
  std::optional<std::vector<GrowthOfErrors>> beyond = {};
  /// Scores are divided by ProcessReach::deviations: where the model knows how sure it is of a
  /// configuration, intervals are narrow near the runs and wide far from them.
  bool by_deviation = false;
  /// What these rows scatter beyond what the deviations say: part of each, as a square.
  double added_deviation = 0;
  /// The median of these deviations over the calibration rows: how unsure the model is of what it
  /// was not fitted to. Models of older versions do not say.
  std::optional<double> held_out_deviation = {};
  /// Share of the test rows that lie in their intervals at `level`, where there are any.
  std::optional<double> test_coverage;
};

/// A number, or a level.
using InputValue = std::variant<double, std::string>;

/// What another value of an input does to the predicted time of one configuration: the residual
/// process of a model included, columns that are tied to the input or derived from it moving along.
struct Effect {
  std::string column;
  InputValue from;
  InputValue to;
  double ratio = 1;  ///< of the time at `to` to that at `from`
  /// Of the ratio, 90 %: by how far fits to parts of the runs differ. Known at the central run of
  /// models that have prediction intervals.
  std::optional<Interval> interval = {};
  bool measured = true;  ///< both lie within the measured range of the column

  /// Whether the runs say which way it goes, or that it hardly goes any, as far as is known.
  bool is_determined() const {
    return !interval || interval->low > 1 || interval->high < 1 ||
           interval->high < 1.2 * interval->low;
  }
};

/// Mean and standard deviation (over n - 1) of one quantity over several fits.
struct Spread {
  std::string name;  ///< "a[filters]", "mape_percent", "gpus"
  double mean = 0;
  double standard_deviation = 0;
};

/// A spread over the seeds of repeated fits.
///
/// It says how far the answers of the search differ when only its seed does. The runs are the same
/// in all fits, so this is no confidence interval.
using SeedSpread = Spread;

/// One of the repeated fits.
struct SeedFit {
  std::uint64_t seed = 0;
  double cost = 0;  ///< loss plus penalty over the training rows
};

/// What repeated fits of the same rows have in common and where they differ.
struct RepeatSummary {
  std::size_t fits = 0;
  std::vector<SeedFit> seeds;         ///< empty where the seeds are not known
  std::vector<SeedSpread> constants;  ///< in the order of the model's constants
  std::vector<SeedSpread> scaling_powers;
  /// Metrics with the names of model.json; empty for a part without rows.
  std::vector<SeedSpread> train;
  std::vector<SeedSpread> validation;
  std::vector<SeedSpread> test;
};

/// What is minimised over the training rows.
enum class Loss {
  mae,      ///< Eq. (8): mean |t - y|
  mape,     ///< mean |t - y| / t
  mse,      ///< mean (t - y)^2
  rmsle,    ///< sqrt(mean (ln t - ln y)^2); no +1 inside the logarithm, so that the time unit does
            ///< not matter
  soft_l1,  ///< mean sqrt(x^2 + 0.1^2) - 0.1 of x = ln t - ln y: large errors count by their size,
            ///< not its square; of sums of product terms alone
};

enum class Method {
  scaled,  ///< normalised columns, log coefficients, exact finish
  paper,   ///< scipy's defaults in the raw box of the paper
};

/// The expression that is fitted.
enum class Expression {
  generic,    ///< Eq. (4)
  multi,      ///< a sum of product terms
  automatic,  ///< chosen by cross-validation
};

/// What becomes of what the expression leaves.
enum class Residual {
  none,
  process,  ///< a Gaussian process of ln t beside it
  chosen,   ///< with the expression, where that is automatic
};

/// Which form of the constants a penalty sums.
enum class Penalise {
  raw,     ///< as in model.json and the paper; what a lambda means depends on the units
  scaled,  ///< of normalised columns, in units of the median time: free of units
};

std::string_view to_text(Loss loss);
std::string_view to_text(Method method);
std::string_view to_text(Expression expression);
std::string_view to_text(Residual residual);
std::string_view to_text(Penalise constants);

/// Eqs. (10) and (11): lambda times the sum of |x| or x^2 over the constants without C.
struct Penalty {
  double l1 = 0;
  double l2 = 0;
  Penalise constants = Penalise::raw;
};

/// A user's bound on one kind of constant ('a', 'p', 'q' or 'C'), for all columns or one.
struct BoundOverride {
  char constant = 'a';
  std::optional<std::string> column;
  double low = 0;
  double high = 0;
};

/// "p=-2:2", "p.filters=0:3". Throws UsageError.
BoundOverride parse_bound(const std::string& text);

/// The settings of a search that a method uses where the user gives none.
struct SearchDefaults {
  std::size_t starts;
  std::size_t exploration_rows;
  optimise::Strategy strategy;
  optimise::Updating updating;
  std::size_t population;  ///< members per free constant
  std::size_t generations;
  double tolerance;
  std::pair<double, double> differential_weight;
  double crossover_rate;
};

SearchDefaults search_defaults(Method method);

/// What takes long, in this order: first two where a form is chosen.
enum class FitStage { sums, processes, fits, bootstrap, folds };

/// Told how many parts of a stage are done, from one thread at a time.
using FitProgress = std::function<void(FitStage stage, std::size_t done, std::size_t all)>;

struct FitOptions {
  Expression expression = Expression::generic;
  bool signed_terms = false;  ///< of `multi`: terms that are taken away are among the candidates
  std::optional<std::size_t> terms;  ///< of `multi`; chosen by cross-validation where not given
  Residual residual = Residual::none;
  Loss loss = Loss::mae;
  Method method = Method::scaled;
  Penalty penalty;
  std::vector<BoundOverride> bounds;
  std::uint64_t seed = 1;
  /// Settings of the search; where one is not given, the method's default holds.
  std::optional<std::size_t>
      starts;  ///< independent searches, each with its exact finish; the best is kept
  /// Rows of a random sample on which the search explores where there are more, with numeric
  /// columns rounded to 128 values; the exact finish uses all rows as they are. Equal ones count as
  /// one. 0: explore on them, too.
  std::optional<std::size_t> exploration_rows;
  std::optional<optimise::Strategy> strategy;
  std::optional<std::size_t> population;
  std::optional<std::size_t> generations;
  std::optional<double> tolerance;
  std::optional<std::pair<double, double>> differential_weight;
  std::optional<double> crossover_rate;
  bool polish = true;
  std::size_t threads = 1;
  InstructionSet instructions = best_instruction_set();  ///< of the kernel; no result depends on it
  std::stop_token stop;
  std::function<void(const optimise::Progress&)> observer;
  FitProgress progress;  ///< of the choice of a form; may be empty

  /// Of a fit beside others: nobody hears of it.
  void be_silent();
};

/// The loss where none is asked for: mae, as in the paper; of a sum whose form is chosen by
/// cross-validation soft_l1, since run times scatter in proportion to their size: a loss of
/// absolute errors then rests on the few longest runs, and its minimum predicts others worse.
Loss default_loss(const FitOptions& options);

class Form;

/// Eq. (4).
std::shared_ptr<const Form> generic_form();

/// Something the reader of a fitted model should know before believing it.
struct Warning {
  std::string kind;      ///< "at_bound", "flat_direction", "few_rows", "untrained_level", ...
  std::string constant;  ///< "p[pool_size]"; empty where the warning is about no single constant
  Sentence message;      ///< a whole one
};

/// How a form that was a candidate predicts runs that it was not fitted to.
struct HeldOutErrors {
  std::string form;                ///< "generic", "multi", "process"
  double random = 0;               ///< mean |ln(predicted / measured)| of random parts
  std::optional<double> far_ends;  ///< of the largest values of scales, where they are held out
};

/// How the form of a model came about.
struct FormChoice {
  bool given = false;          ///< asked for, not chosen
  std::size_t candidates = 0;  ///< forms that were judged on held-out rows
  std::size_t random_folds = 0;
  std::size_t far_folds = 0;  ///< that hold out the largest values of a scale
  /// Where a process was a candidate: Eq. (4), the trend alone, and the trend with the process.
  std::vector<HeldOutErrors> held_out = {};
};

/// A normal distribution that a hyper-parameter of a residual process comes from.
struct HyperPriorFacts {
  std::string of;  ///< "ln(1 / length)"
  double mean = 0;
  double standard_deviation = 0;
};

/// How single runs scatter about trend and process, on the scale of logarithms. Under Student's t
/// (4 degrees of freedom) runs that were disturbed count for little.
enum class ProcessNoise { normal, student_t };

std::string_view to_text(ProcessNoise noise);

/// How the hyper-parameters of a residual process were found.
struct ProcessSearch {
  std::string objective;  ///< in words
  std::vector<HyperPriorFacts> priors;
  std::size_t rows = 0;  ///< configurations at most that the likelihood was computed from
  ProcessNoise noise = ProcessNoise::normal;
  std::size_t outliers = 0;  ///< runs that count for less than a fifth of a run
};

/// How the constants were found.
struct SearchSummary {
  Method method = Method::scaled;
  Loss loss = Loss::mae;
  Penalty penalty;
  std::uint64_t seed = 1;
  std::string strategy;
  std::size_t starts = 1;
  std::size_t population = 0;   ///< members
  std::size_t generations = 0;  ///< done, of the start that was kept
  std::size_t evaluations = 0;  ///< of the objective, over all starts, finish included
  std::string termination;
  double polish_gain = 0;  ///< share of the cost that the exact finish took off
  double gap = 0;          ///< share of the cost that a first-order step could still gain
  /// Loss plus penalties at the constants, over the training rows.
  double cost = 0;
  std::optional<FormChoice> form;  ///< of a sum of product terms, and of Eq. (4) that was chosen
  /// Of a sum: lambda of the squared penalty that was chosen together with its form, one per level
  /// where each has terms of its own. Empty where the constants minimise a loss that was asked for.
  std::vector<double> ridges;
  std::optional<ProcessSearch> process;  ///< of a form with a residual process: loss and penalty
                                         ///< are those of the trend's start
};

/// Metrics of each part of the data; a part without rows has none.
struct PartMetrics {
  Metrics train;
  std::optional<Metrics> validation;
  std::optional<Metrics> test;
};

/// One of several files that are one table.
struct DataFile {
  std::string file;  ///< base name
  std::size_t rows = 0;
  std::string sha256;  ///< of its bytes
};

/// Where the data came from: reproducible facts only.
struct Provenance {
  std::string tool;                  ///< "perfmodel 0.1.0"
  std::string file;                  ///< base name of the runs file; "-" for standard input
  std::size_t rows = 0;              ///< of the file, without those that failed
  std::string sha256;                ///< of its bytes; of several files, one after the other
  std::vector<Sentence> notices;     ///< what was inferred about its columns
  std::vector<DataFile> files{};     ///< where there are several
  std::vector<FailedRuns> failed{};  ///< runs that are left out
};

/// A model ready to predict: the spec, its form, the constants in the units of the data and how
/// they were found.
struct FittedModel {
  ModelSpec spec;
  std::shared_ptr<const Form> form = generic_form();  ///< never null
  Eigen::VectorXd constants;                          ///< in the order of form->constants()
  /// The configuration of the central run, where scaling powers depend on one: those of a sum of
  /// product terms, and those of Eq. (4) where a column is derived from a scale.
  std::optional<Configuration> typical;
  std::optional<CentralRun> central;  ///< of the training rows; older files do not tell it
  std::vector<LeftOut> left_out;      ///< columns of the runs that are no inputs
  PartMetrics metrics;
  /// Of models that were fitted here; not known of those that were read without it.
  std::optional<Identifiability> identifiability;
  std::optional<Uncertainty> uncertainty;  ///< where a bootstrap was asked for
  std::optional<NoiseFloor> noise_floor;   ///< of the training rows, where some are replicates
  std::optional<RepeatSummary> repeats;    ///< where the fit was repeated with several seeds
  std::optional<CrossValidation> cross_validation;
  std::optional<PredictionIntervals> intervals;
  std::vector<Effect> effects;  ///< of its inputs at the central run; older files lack some
  /// Of a residual process: the median over the training runs of by what share it changes the time
  /// of the formula. Files of older versions do not tell it.
  std::optional<double> correction;
  std::vector<UnmeasuredRegion> unmeasured;
  SearchSummary search;
  std::vector<Warning> warnings;
  Provenance provenance;
};

/// "a[filters]", "C": one per constant, in their order.
std::vector<std::string> constant_names(const FittedModel& model);

/// d ln t / d ln E_j, one per extrinsic column, at the typical configuration; of Eq. (4) the powers
/// q of its scalable part. Where columns are derived from E_j, power_through_derived().
std::vector<double> scaling_powers(const FittedModel& model);

/// A scale that columns are derived from, varied around the typical configuration: from half a
/// doubling below to half a doubling above (within the measured range), with these columns computed
/// anew. A derivative would not see the steps of a ceil().
struct ScaleStep {
  Configuration below;
  Configuration above;
  double log_ratio = 0;  ///< ln of the upper scale over the lower one
};

/// Nothing where no column is derived from the scale, and where they cannot be computed.
std::optional<ScaleStep> step_through_derived(const FittedModel& model, std::size_t extrinsic);

/// How the time, of Eq. (4) its scalable part, answers to a scale that columns are derived from:
/// its power over step_through_derived(). Nothing where there is none.
std::optional<double> power_through_derived(const FittedModel& model, std::size_t extrinsic);

/// The whole model in a language. Throws InputError for a derived column whose formula the language
/// cannot be given.
std::string formula_code(const FittedModel& model, FormulaLanguage language);

/// Predicted time of every row of a design made with the model's spec.
Eigen::VectorXd predict(const FittedModel& model, const Design& design);

/// Whether a predicted value is a time: a model can reach 0 or less where it extrapolates, and
/// overflow a double.
bool is_time(double predicted);

/// Share of each of Form::parts() in the predicted time, summed over the rows of the design, in
/// percent.
std::vector<double> time_shares(const FittedModel& model, const Design& design);

/// The model as model.json (schema perfmodel/model, version 1); ends with a newline. Numbers
/// round-trip. Throws std::logic_error for a value that is not finite; r2, which has no value where
/// all measured times are equal, is written as null.
std::string to_json(const FittedModel& model);

/// Reads model.json ("-" is standard input). Throws InputError that names file and field, and gives
/// advice where the schema is newer than this program.
FittedModel read_model(const std::string& path);

}  // namespace perfmodel
