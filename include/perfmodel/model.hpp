#pragma once

#include <Eigen/Core>
#include <array>
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

/// Languages in which a model can be exported as an expression of its columns.
///
/// `python`: a function predict(filters, activation, ...). `c`: a C99 function. `javascript`: an
/// ES2020 function. `spreadsheet`: a formula whose inputs are defined names. Their inputs are
/// required_columns(), derived columns are computed inside, and numbers have all digits, so that
/// the values agree with predict(). `text` and `latex` are for reading: numbers have three digits,
/// and the definitions of derived columns follow.
/// `nextflow`, `snakemake`, `galaxy` and `slurm` are the requests of a workflow for a bound,
/// rounded up to a unit that the workflow takes.
enum class FormulaLanguage {
  text,
  latex,
  python,
  c,
  javascript,
  spreadsheet,
  extrap,
  nextflow,
  snakemake,
  galaxy,
  slurm
};

constexpr auto texts_of(FormulaLanguage) {
  using enum FormulaLanguage;
  return std::to_array<EnumText<FormulaLanguage>>({{text, "text"},
                                                   {latex, "latex"},
                                                   {python, "python"},
                                                   {c, "c"},
                                                   {javascript, "javascript"},
                                                   {spreadsheet, "spreadsheet"},
                                                   {extrap, "extrap"},
                                                   {nextflow, "nextflow"},
                                                   {snakemake, "snakemake"},
                                                   {galaxy, "galaxy"},
                                                   {slurm, "slurm"}});
}

constexpr bool is_of_workflow(FormulaLanguage language) {
  return language >= FormulaLanguage::nextflow;
}

/// What a workflow may request, in bytes or seconds.
struct RequestLimits {
  std::optional<double> least = {};
  std::optional<double> most = {};
  std::vector<double> steps = {};  ///< ascending; a request is rounded up to one of them
};

/// A language and, of a workflow, the limits of the request.
struct CodeLanguage {
  CodeLanguage(FormulaLanguage name, RequestLimits request_limits = {})
      : language(name), limits(std::move(request_limits)) {}
  operator FormulaLanguage() const { return language; }

  FormulaLanguage language;
  RequestLimits limits;
};

/// Which constants of a model are identifiable from the training rows, so that they can be quoted.
///
/// A constant is identifiable if no flat direction of the model moves it (to first order at the
/// optimum), if it is not at a bound other than 0, and if its approximate 95 % interval is narrow:
/// at most +-0.5 for a power, +-50 % for a coefficient of a numeric column, and for C, levels and
/// their differences +-50 % or +-10 % of the median time, whichever is wider. A coefficient or C of
/// exactly 0 is identified by its bound unless a flat direction leads away from it.
///
/// Factors of a sum of product terms are relative to the first one that is not 0 (which is marked
/// true) and, like its coefficients, need +-50 %. A factor of exactly 0 is marked true: where the
/// term is absent, it takes less than 1e-4 of the time.
struct Identifiability {
  std::vector<bool> constants;  ///< one per constant, in the order of the model's
  /// Whether a bound other than 0 determines the constant; one per constant, or empty if unknown.
  std::vector<bool> at_bound = {};
  /// Eq. (4) only: one per level, column by column, for its difference to the first level of the
  /// column (which is marked true). Only these are identifiable with several categorical columns.
  std::vector<bool> differences;
  /// Sums of product terms only: the local scaling powers as scaling_powers() returns them, one per
  /// extrinsic column.
  std::vector<bool> scaling_powers;
};

/// What a bootstrap draws with replacement.
enum class Resampling {
  rows,       ///< whole training rows
  residuals,  ///< residuals of ln(time), added to the fitted values: for few rows
};

constexpr auto texts_of(Resampling) {
  using enum Resampling;
  return std::to_array<EnumText<Resampling>>({{rows, "rows"}, {residuals, "residuals"}});
}

struct Interval {
  double low = 0;  ///< both are NaN if samples give no interval: a reference went to 0
  double high = 0;
};

/// Bootstrap intervals of the constants.
struct Uncertainty {
  Resampling resampling = Resampling::rows;
  std::size_t samples = 0;
  double confidence = 0.95;
  std::vector<Interval> constants;  ///< in the order of the model's
  /// Eq. (4) only: differences of each level to the first one of its column, column by column.
  std::vector<Interval> differences;
  /// Sums of product terms only: the local scaling powers, one per extrinsic column.
  std::vector<Interval> scaling_powers;
};

/// Results of fits to all but one fold of the training rows, judged on that fold.
struct CrossValidation {
  std::optional<std::string> group_by;  ///< nullopt: rows of one configuration stay together
  std::vector<Metrics> folds;           ///< errors on the held-out rows of each fold
  /// Prediction of each training row by the fit that held it out; not stored in model.json.
  Eigen::VectorXd predicted;
};

/// Which rows calibrate the prediction intervals.
enum class Calibration {
  /// Rows of the validation split, which no fit has seen (split conformal prediction; Papadopoulos
  /// et al. 2002, Lei et al. 2018). If the calibration rows and a new row are exchangeable, its
  /// time lies in the interval with at least the nominal probability, whatever the model.
  validation,
  /// Training rows, each judged by the same form refitted without it (cross-conformal prediction;
  /// Vovk 2015). This has no such guarantee: the refits differ from the fit to all rows, and the
  /// form was selected by the rows that judge it.
  cross_validation
};

/// Conformal prediction intervals for new times, beside those of the model's ScalingBelief: the
/// fewer calibration rows there are, the less they count.
///
/// The score of a row is ln(measured / predicted). With a Gaussian-process (GP) residual it is
/// divided by the GP's standard deviation there, plus the typical scatter of calibration rows
/// beyond it: if few runs suggest that there is no noise, errors divided by almost 0 would
/// determine all intervals. Outermost scores are limited, so that no single row does. Intervals are
/// factors of the prediction, so that longer times have wider ones. Each end has its own quantile,
/// since errors are seldom symmetric.
struct PredictionIntervals {
  static constexpr double default_level = 0.9;

  double level = default_level;  ///< used unless another one is requested
  Calibration calibration = Calibration::validation;
  std::size_t count = 0;           ///< calibration rows
  std::vector<std::size_t> ranks;  ///< from 1, ascending: which of the sorted scores are stored
  std::vector<double> scores;      ///< of these ranks, rounded outwards to 1e-6
  /// Whether scores are divided by GpReach::deviations: intervals are then narrow near the
  /// runs and wide far from them.
  bool by_deviation = false;
  /// Excess standard deviation of the calibration rows, added in quadrature by score_deviation().
  double added_deviation = 0;
  /// Median of the sum of both over the calibration rows: the uncertainty at new configurations.
  /// Models of older versions lack it.
  std::optional<double> held_out_deviation = {};
  /// Share of the test rows that lie in their intervals at `level`, if there are any.
  std::optional<double> test_coverage;
};

/// How a bound does on some rows.
struct BoundUse {
  double coverage = 0;         ///< share of the rows that are at or below their bound
  double over_allocation = 0;  ///< sum of the bounds / sum of the measured values
};

/// The predictions of a model are bounds, which a share of new runs is meant to stay below.
struct Bound {
  double quantile = 0;  ///< this share, in (0, 1)
  /// By what the fitted coefficients were multiplied so that held-out rows have this share.
  double factor = 1;
  BoundUse train;
  std::optional<BoundUse> validation;
  std::optional<BoundUse> test;
};

/// A number, or a level.
using InputValue = std::variant<double, std::string>;

/// The effect of another value of an input on the predicted time of one configuration. It includes
/// a GP residual, and columns that are tied to the input or derived from it change with it.
struct Effect {
  std::string column;
  InputValue from;
  InputValue to;
  double ratio = 1;  ///< time at `to` over time at `from`
  /// 90 % interval of the ratio, from fits to all but one fold. Known at the central run of models
  /// with prediction intervals.
  std::optional<Interval> interval = {};
  bool measured = true;  ///< whether both lie in the measured range of the column
  /// 10th and 90th percentile of the ratio over the training runs, each with this input alone
  /// changed; older files lack it.
  std::optional<Interval> over_runs = {};
  /// Where the ratio is farthest from 1, if it differs: "small batch_size", "precision = fp32".
  std::string most_at = {};

  /// Whether the ratio of one run says little of that of others.
  bool differs() const { return over_runs && over_runs->high > 1.25 * over_runs->low; }

  /// Whether the runs determine the sign of the effect, or that it is small; true without interval.
  bool is_determined() const {
    return !interval || interval->low > 1 || interval->high < 1 ||
           interval->high < 1.2 * interval->low;
  }
};

/// Mean and standard deviation (divisor n - 1) of a quantity over several fits.
struct Spread {
  std::string name;  ///< "a[filters]", "mape_percent", "gpus"
  double mean = 0;
  double standard_deviation = 0;
};

/// One of the repeated fits.
struct SeedFit {
  std::uint64_t seed = 0;
  double cost = 0;  ///< loss plus penalty over the training rows
};

/// Comparison of repeated fits to the same rows. Spreads over their seeds show how far the results
/// of the search depend on its seed; they are no confidence intervals.
struct RepeatSummary {
  std::size_t fits = 0;
  std::vector<SeedFit> seeds;     ///< empty if the seeds are unknown
  std::vector<Spread> constants;  ///< in the order of the model's constants
  std::vector<Spread> scaling_powers;
  /// Metrics, named as in model.json; empty for a split without rows.
  std::vector<Spread> train;
  std::vector<Spread> validation;
  std::vector<Spread> test;
};

/// The function of the training rows that is minimised.
enum class Loss {
  mae,    ///< Eq. (8): mean |t - y|
  mape,   ///< mean |t - y| / t
  mse,    ///< mean (t - y)^2
  rmsle,  ///< sqrt(mean (ln t - ln y)^2), without the usual +1: independent of the time unit
  /// mean sqrt(x^2 + 0.1^2) - 0.1 of x = ln t - ln y, in which large errors count by their size,
  /// not its square; only for sums of product terms.
  soft_l1,
  /// mean of Huber's function of ln t - ln y, x^2 / 2 up to 0.001 and 0.001 (|x| - 0.0005) beyond
  huber,
};

enum class Method {
  scaled,  ///< standardised columns, log coefficients, local refinement
  paper,   ///< scipy's defaults in the unscaled box of the paper
};

/// The form that is fitted.
enum class Expression {
  eq4,        ///< Eq. (4)
  sum,        ///< a sum of product terms
  automatic,  ///< selected by cross-validation
  formula,    ///< a user's own
};

/// How the residuals of the expression are modelled.
enum class Residual {
  none,
  gp,      ///< by a Gaussian process of ln t
  chosen,  ///< selected together with an automatic expression
};

/// In which units a penalty takes the constants.
enum class Penalise {
  raw,     ///< as in model.json and the paper; the meaning of lambda depends on the units
  scaled,  ///< of standardised columns, in units of the median time: independent of the units
};

constexpr auto texts_of(Loss) {
  using enum Loss;
  return std::to_array<EnumText<Loss>>({{mae, "mae"},
                                        {mape, "mape"},
                                        {mse, "mse"},
                                        {rmsle, "rmsle"},
                                        {soft_l1, "soft-l1"},
                                        {huber, "huber"}});
}
constexpr auto texts_of(Method) {
  using enum Method;
  return std::to_array<EnumText<Method>>({{scaled, "scaled"}, {paper, "paper"}});
}
constexpr auto texts_of(Expression) {
  using enum Expression;
  return std::to_array<EnumText<Expression>>(
      {{eq4, "generic"}, {sum, "multi"}, {automatic, "auto"}, {formula, "formula"}});
}
constexpr auto texts_of(Residual) {
  using enum Residual;
  return std::to_array<EnumText<Residual>>({{none, "none"}, {gp, "process"}, {chosen, "auto"}});
}
constexpr auto texts_of(Penalise) {
  using enum Penalise;
  return std::to_array<EnumText<Penalise>>({{raw, "raw"}, {scaled, "scaled"}});
}

/// Eqs. (10) and (11): lambda times the sum of |x| or x^2 over all constants except C.
struct Penalty {
  double l1 = 0;
  double l2 = 0;
  Penalise constants = Penalise::raw;
};

/// A user's bound on one kind of constant of Eq. (4) ("a", "p", "q" or "C"), for one column or all,
/// or on a constant of a user's formula.
struct BoundOverride {
  std::string constant;
  std::optional<std::string> column;
  double low = 0;
  double high = 0;
};

/// Parses "p=-2:2", "p.filters=0:3". Throws UsageError.
BoundOverride parse_bound(const std::string& text);
/// Parses "p=1", whose bounds are equal. Throws UsageError.
BoundOverride parse_fixed(const std::string& text);

/// The settings of a search that a method uses unless the user gives others.
struct SearchDefaults {
  std::size_t starts;
  std::size_t exploration_rows;
  optimise::Updating updating;
  std::size_t population;  ///< members per free constant
  std::size_t generations;
  double tolerance;
  optimise::Strategy strategy = optimise::Strategy::best1bin;
  std::pair<double, double> differential_weight = {0.5, 1.0};
  double crossover_rate = 0.7;
};

SearchDefaults search_defaults(Method method);

/// The stages of a long fit, in this order; the first two only if a form is selected.
enum class FitStage { sums, corrections, fits, bootstrap, folds };

constexpr auto texts_of(FitStage) {
  using enum FitStage;
  return std::to_array<EnumText<FitStage>>({{sums, "choosing among sums of terms"},
                                            {corrections, "choosing the form"},
                                            {fits, "fitting"},
                                            {bootstrap, "bootstrap"},
                                            {folds, "folds"}});
}

/// Called with the number of parts of a stage that are done, by one thread at a time.
using FitProgress = std::function<void(FitStage stage, std::size_t done, std::size_t all)>;

struct FittedModel;

struct FitOptions {
  Expression expression = Expression::eq4;
  OwnFormula formula;                ///< for `formula`
  bool signed_terms = false;         ///< for `multi`: candidates include negative terms
  std::optional<std::size_t> terms;  ///< for `multi`; selected by cross-validation if not given
  Residual residual = Residual::none;
  Loss loss = Loss::mae;
  /// If set, the model predicts bounds: a formula minimises the pinball loss of this quantile, for
  /// which `loss` is mae or mape, and held-out rows correct its level.
  std::optional<double> quantile;
  Method method = Method::scaled;
  Penalty penalty;
  std::vector<BoundOverride> bounds;
  bool positive =
      false;  ///< for `formula`: constants without bounds are not negative, but for exponents
  std::uint64_t seed = 1;
  /// Settings of the search; those not given are the method's search_defaults().
  std::optional<std::size_t> starts;  ///< independent searches, the best one is kept
  /// Number of rows of a random sample on which the search explores if there are more, with numeric
  /// columns rounded to 128 values; local refinement uses all rows as they are. Equal rows are
  /// merged. 0: explore on all rows.
  std::optional<std::size_t> exploration_rows;
  std::optional<optimise::Strategy> strategy;
  std::optional<std::size_t> population;
  std::optional<std::size_t> generations;
  std::optional<double> tolerance;
  std::optional<std::pair<double, double>> differential_weight;
  std::optional<double> crossover_rate;
  bool polish = true;
  /// If set: this model is adapted to the runs, which keeps its form; most settings have no effect.
  std::shared_ptr<const FittedModel> prior;
  std::size_t threads = 1;
  InstructionSet instructions = best_instruction_set();  ///< of kernels; no result depends on it
  std::stop_token stop;
  std::function<void(const optimise::Progress&)> observer;
  FitProgress progress;  ///< of the selection of a form; may be empty

  /// For one fit of several: removes observer and progress.
  void be_silent();
};

/// True if the terms of a sum are chosen by held-out runs, not given.
bool chooses_terms(const FitOptions& options);

/// The default loss: mae, as in the paper, but for a sum whose terms are selected by
/// cross-validation soft_l1, of a bound mape. Run times scatter in proportion to their size, so
/// that absolute errors would rest on the few longest runs and predict others worse.
Loss default_loss(const FitOptions& options);

class Form;

/// Eq. (4).
std::shared_ptr<const Form> eq4_form();

/// A message that the reader of a fitted model should see before trusting it.
struct Warning {
  std::string kind;      ///< "at_bound", "flat_direction", "few_rows", "untrained_level", ...
  std::string constant;  ///< "p[pool_size]"; empty if it is not about a single constant
  std::string message;   ///< a whole sentence
};

/// Errors of a candidate form on runs held out of its fit.
struct HeldOutErrors {
  std::string form;                           ///< "generic", "multi", "process"
  double random = 0;                          ///< mean |ln(predicted / measured)| in random folds
  std::optional<double> extrapolation_folds;  ///< in extrapolation folds, if there are any
};

/// How the form of a model was selected.
struct FormChoice {
  bool given = false;          ///< requested by the user, not selected
  std::size_t candidates = 0;  ///< forms that were judged on held-out rows
  std::size_t random_folds = 0;
  std::size_t extrapolation_folds =
      0;  ///< extrapolation folds: hold out the largest values of a scale
  /// If a GP was a candidate: Eq. (4), the trend alone, and the trend with the GP.
  std::vector<HeldOutErrors> held_out = {};
};

/// The normal prior of a hyper-parameter of a GP residual.
struct HyperPriorFacts {
  std::string of;  ///< "ln(1 / length)"
  double mean = 0;
  double standard_deviation = 0;
};

/// The distribution of single runs about trend and GP, on the scale of logarithms. Under Student's
/// t (4 degrees of freedom), disturbed runs have small weights.
enum class GpNoise { normal, student_t };

constexpr auto texts_of(GpNoise) {
  using enum GpNoise;
  return std::to_array<EnumText<GpNoise>>({{normal, "normal"}, {student_t, "student_t"}});
}

/// How the hyper-parameters of a GP residual were found.
struct GpSearch {
  std::string objective;  ///< in words
  std::vector<HyperPriorFacts> priors;
  std::size_t rows = 0;  ///< number of configurations, at most, in the likelihood
  GpNoise noise = GpNoise::normal;
  std::size_t outliers = 0;  ///< runs with a weight below 0.2
};

/// How far the powers of a column, or the factors (no column), may move from an earlier model.
struct PriorFreedom {
  std::string column;
  double freedom = 1;  ///< multiplies the prior standard deviations
};

/// How an earlier model was adapted to other runs.
struct PriorFacts {
  std::string file;      ///< base name of the runs that it was fitted to
  std::size_t rows = 0;  ///< their number
  double factor = 1;     ///< geometric mean, over the runs, of new over old predictions
  double deviation = 0;  ///< standard deviation of ln(time) of single runs
  std::vector<PriorFreedom> freedoms;
};

/// How the constants were found.
struct SearchSummary {
  Method method = Method::scaled;
  Loss loss = Loss::mae;
  std::optional<double> quantile = {};  ///< of the pinball loss; none: 1/2
  Penalty penalty;
  std::uint64_t seed = 1;
  std::string strategy;
  std::size_t starts = 1;
  std::size_t population = 0;   ///< members
  std::size_t generations = 0;  ///< of the start that was kept
  std::size_t evaluations = 0;  ///< of the objective, over all starts, including local refinement
  std::string termination;
  double polish_gain = 0;  ///< share of the cost that local refinement removed
  double gap = 0;          ///< optimality gap: share of the cost that a first-order step could gain
  /// Loss plus penalties at the constants, over the training rows; for a bound, before its factor.
  double cost = 0;
  std::optional<FormChoice> form;  ///< of a sum of product terms, and of Eq. (4) if it was selected
  /// For a sum: lambda of the squared penalty that was selected with its form, one per level if
  /// each level has terms of its own. Empty if the constants minimise a loss that was requested.
  std::vector<double> ridges;
  /// Set for a form with a GP residual; loss and penalty are then those of the trend's initial fit.
  std::optional<GpSearch> gp;
  std::optional<PriorFacts> prior;  ///< set if an earlier model was adapted
};

/// Metrics of each split; a split without rows has none.
struct PartMetrics {
  Metrics train;
  std::optional<Metrics> validation;
  std::optional<Metrics> test;
};

/// One of several files that make up a table.
struct DataFile {
  std::string file;  ///< base name
  std::size_t rows = 0;
  std::string sha256;  ///< of its bytes
};

/// The origin of the data: reproducible facts only.
struct Provenance {
  std::string tool;                  ///< "perfmodel 0.1.0"
  std::string file;                  ///< base name of the runs file; "-" for standard input
  std::size_t rows = 0;              ///< rows of the file, without failed runs
  std::string sha256;                ///< of its bytes; of several files, concatenated
  std::vector<std::string> notices;  ///< what was inferred about its columns
  std::vector<DataFile> files{};     ///< if there are several
  std::vector<FailedRuns> failed{};  ///< runs that are excluded
  /// Marks of the content of each row of the fit, see row_marks(); empty: unknown or too many.
  std::vector<std::uint32_t> row_marks{};
};

/// Runs that were ended at their limits, and entered the fit as longer than these.
struct CutRuns {
  std::size_t rows = 0;
  std::string limit;  ///< the column of the limits, or the limit; empty: from the cells (">3600")
  /// Standard deviation of ln(time) about the predictions by which the times of the runs that were
  /// cut off are expected; 0 if the loss is of absolute errors.
  double deviation = 0;
};

/// A formula that the runs allow.
struct Law {
  std::string formula;
  double weight = 0;          ///< of all laws, by held-out runs
  std::vector<double> times;  ///< at the values of Laws
};

/// Formulas that predict held-out runs about as well as one another, and other times beyond the
/// runs: at 2 and at 4 times the largest value of a scale, else as at the typical configuration.
struct Laws {
  std::string column;
  std::vector<double> values;
  std::vector<Law> laws;  ///< two to four, the largest weight first
};

class FailureModel;
class ScalingBelief;

/// A model ready to predict: the spec, its form, the constants in the units of the data and how
/// they were found.
struct FittedModel {
  ModelSpec spec;
  std::shared_ptr<const Form> form = eq4_form();  ///< never null
  Eigen::VectorXd constants;                      ///< in the order of form->constants()
  /// The configuration of the central run, if scaling powers depend on one: for a sum of product
  /// terms, and for Eq. (4) with a column derived from a scale.
  std::optional<Configuration> typical;
  std::optional<CentralRun> central;  ///< of the training rows; older files lack it
  std::vector<LeftOut> left_out;      ///< excluded columns of the runs
  ReadingRules reading;               ///< of the runs; older files lack it
  PartMetrics metrics;
  /// Not known of models that were read from a file without it.
  std::optional<Identifiability> identifiability;
  std::optional<Uncertainty> uncertainty;  ///< if a bootstrap was requested
  std::optional<NoiseFloor> noise_floor;   ///< of the training rows, if there are replicates
  std::optional<RepeatSummary> repeats;    ///< if the fit was repeated with several seeds
  std::optional<CrossValidation> cross_validation;
  std::optional<PredictionIntervals> intervals;
  /// What the runs say without the formula, of models with intervals; null in older files.
  std::shared_ptr<const ScalingBelief> belief;
  std::optional<Bound> bound;   ///< if the predictions are bounds
  std::vector<Effect> effects;  ///< of its inputs at the central run; older files lack some
  /// For a GP residual: the median over the training runs of the share by which it changes the time
  /// of the formula. Older files lack it.
  std::optional<double> correction;
  std::vector<UnmeasuredRegion> unmeasured;
  std::optional<Laws> laws;    ///< of few runs that allow several
  std::optional<CutRuns> cut;  ///< if runs that were cut off entered the fit
  /// The probability that a run fails, if enough of the runs did; else null.
  std::shared_ptr<const FailureModel> failures;
  SearchSummary search;
  std::vector<Warning> warnings;
  Provenance provenance;
};

/// "a[filters]", "C": one per constant, in their order.
std::vector<std::string> constant_names(const FittedModel& model);

/// d ln t / d ln E_j, one per extrinsic column, at the typical configuration; for Eq. (4) the
/// powers q of its scalable part. If columns are derived from E_j: power_through_derived().
std::vector<double> scaling_powers(const FittedModel& model);

/// A finite difference in a scale from which columns are derived, since a derivative would not see
/// the steps of a ceil(): the typical configuration half a doubling below and above (within the
/// measured range), with derived columns computed anew.
struct ScaleStep {
  Configuration below;
  Configuration above;
  double log_ratio = 0;  ///< ln(upper scale / lower scale)
};

/// nullopt if no column is derived from the scale, or if derived columns cannot be computed.
std::optional<ScaleStep> step_through_derived(const FittedModel& model, std::size_t extrinsic);

/// The power of the time (Eq. (4): of its scalable part) over step_through_derived(), if any.
std::optional<double> power_through_derived(const FittedModel& model, std::size_t extrinsic);

/// The whole model in a language. Throws InputError if it cannot express a derived column.
std::string formula_code(const FittedModel& model, const CodeLanguage& language);

/// The predicted time of every row of a design that was made with the model's spec.
Eigen::VectorXd predict(const FittedModel& model, const Design& design);

/// Whether a predicted value is a valid time: extrapolation can give 0, less, or overflow.
bool is_time(double predicted);

/// The share in the predicted time of each of Form::parts(), summed over the rows of the design, in
/// percent.
std::vector<double> time_shares(const FittedModel& model, const Design& design);

/// The model as model.json (schema perfmodel/model, version 1), with a final newline. Numbers
/// round-trip. Throws std::logic_error for a value that is not finite, except r2, which is
/// undefined if all measured times are equal and is then null.
std::string to_json(const FittedModel& model);

/// Reads model.json ("-" is standard input). Throws InputError, which names file and field and, if
/// the schema is newer than this program, advises what to do.
FittedModel read_model(const std::string& path);

}  // namespace perfmodel
