#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "analysis/model_words.hpp"
#include "base/random.hpp"
#include "base/statistics.hpp"
#include "base/text.hpp"
#include "columns/replicates.hpp"
#include "fit/censored.hpp"
#include "fit/fit.hpp"
#include "forms/beyond.hpp"
#include "forms/failure_model.hpp"
#include "forms/fit_options.hpp"
#include "forms/scaling_belief.hpp"
#include "jobs/large_runs.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/table.hpp"
#include "roles/cut_runs.hpp"
#include "roles/derived.hpp"
#include "roles/left_out.hpp"
#include "sums/sum_terms.hpp"
#include "table/expressions.hpp"
#include "table/table.hpp"
#include "trust/cross_validation.hpp"
#include "trust/prediction_intervals.hpp"
#include "trust/resampling.hpp"

namespace perfmodel {
namespace {

using Clock = std::chrono::steady_clock;

std::function<void(std::size_t)> told_to(const FitProgress& progress, FitStage stage,
                                         std::size_t all) {
  if (!progress)
    return nullptr;
  return [&progress, stage, all](std::size_t done) { progress(stage, done, all); };
}

/// The requested fits, in the order of their seeds.
std::vector<FittedModel> run_fits(const PreparedFit& prepared, const FitRequest& request,
                                  const FitOptions& silent) {
  if (request.repeats <= 1) {
    FitOptions watched = request.options;
    watched.progress = request.progress;
    return {fit(prepared.spec, prepared.training, watched)};
  }
  return fit_repeatedly(prepared.spec, prepared.training, silent, request.repeats,
                        told_to(request.progress, FitStage::fits, request.repeats));
}

/// Metrics of the model on the training, validation and test rows.
PartMetrics judge(const FittedModel& model, const PreparedRuns& parts) {
  PartMetrics metrics = model.known.metrics;
  if (parts.validation)
    metrics.validation = measure(model, *parts.validation, "the validation part");
  if (parts.test)
    metrics.test = measure(model, *parts.test, "the test part");
  return metrics;
}

/// Returns nullopt if no bootstrap was requested, or if an interruption left fewer than two
/// samples.
std::optional<Uncertainty> run_bootstrap(const FittedModel& model, const Design& training,
                                         const FitRequest& request, const FitOptions& silent) {
  if (!request.bootstrap)
    return std::nullopt;
  const std::size_t wanted = request.bootstrap->samples;
  const BootstrapSamples samples = bootstrap(
      model, training, silent, wanted, told_to(request.progress, FitStage::bootstrap, wanted));
  if (samples.constants.cols() < 2)
    return std::nullopt;
  return percentile_intervals(model, training, samples, request.bootstrap->confidence);
}

/// An input computed from the time predicts it perfectly, but is unknown before a run is measured.
void warn_of_leaks(const Table& runs, FittedModel& model) {
  for (const LeftOut& leak : inputs_given_by_target(runs, model.spec)) {
    model.warnings.push_back(
        {"leak", "",
         "column '" + leak.column + "' " + words_for(leak) +
             ": these errors do not measure the model: the time to predict is one of its inputs"});
  }
}

/// Of two columns that grew together, or never vary apart, nothing says which of them changes the
/// time.
void warn_of_ties(const Table& runs, const Design& training, FittedModel& model) {
  for (const auto& [one, other] : confounded_texts(model.spec, training))
    model.warnings.push_back(
        {"tied", "",
         fmt::format("'{0}' and '{1}' never vary apart in the runs: which of the two changes the "
                     "time cannot be told; a run with another {0} at an equal {1} would tell",
                     one, other)});
  std::set<std::string> told;
  for (const Tie& tie : grown_together(runs, model.spec))
    if (!told.contains(tie.column) && told.insert(tie.scale).second)
      model.warnings.push_back(
          {"tied", "",
           fmt::format("'{0}' {2} with '{1}' in nearly all runs: which of the two changes the time "
                       "can hardly be told, and predictions move both; more runs with another {0} "
                       "at an equal {1} would tell",
                       tie.column, tie.scale, tie.power > 0 ? "grew" : "fell")});
}

/// Whether Eq. (4) is so far off that another form is advised.
bool is_bad_form(const FittedModel& model, const Design& training) {
  if (model.form->name() != to_text(Expression::eq4))
    return false;
  const auto check = check_form(model, training);
  return lacks_fit(model) || (check && check->points_elsewhere());
}

/// Larger sets of runs are thinned evenly, since each run costs a prediction.
constexpr std::size_t kMostCorrected = 2000;

/// Median over the runs of the relative change of the formula's time by the correction.
std::optional<double> typical_correction(const FittedModel& model, const Design& runs) {
  const Design chosen =
      take_rows(runs, evenly_chosen(runs.rows, std::min(runs.rows, kMostCorrected)));
  const auto factors = correction_factors(model, chosen);
  if (!factors)
    return std::nullopt;
  return median((factors->array() - 1).abs().matrix());
}

RowGroups groups_for(const HeldOutRequest& request, const Table& table, const Split& split,
                     const Design& training) {
  if (!request.group_by)
    return held_out_groups(training);
  const Column& column = table.at(*request.group_by);
  if (!column.bad_cells.empty()) {
    throw InputError(table.where(column.bad_cells.front().row) + ": column '" + column.name +
                     "': \"" + column.bad_cells.front().text +
                     "\" is not a number, but --group-by groups by this column; pass it as "
                     "--categorical too, or clean it");
  }
  return column_groups(column, split.train);
}

/// ln(ratio) of each effect at the central run; NaN if there is no valid time.
Eigen::VectorXd log_ratios(const FittedModel& model) {
  Eigen::VectorXd out(index(model.known.effects.size()));
  for (std::size_t k = 0; k < model.known.effects.size(); ++k)
    out[index(k)] =
        std::log(ratio_of(model, model.central.value().configuration, model.known.effects[k]));
  return out;
}

/// A half width of effects below this share of what their runs can say at best is that of refits
/// that did not move, as fits of absolute errors do where a few runs alone determine a constant.
constexpr double kLeastShareOfWidth = 0.2;

/// True if the runs never show the text apart from another one.
bool is_confounded(const std::string& column, const FittedModel& model, const Design& training) {
  return std::ranges::any_of(
      confounded_texts(model.spec, training),
      [&](const auto& pair) { return pair.first == column || pair.second == column; });
}

/// Half width of ln(ratio) of a text that the runs never show apart from another one: the formula
/// had to share out what both do, and all refits shared it out alike. 0 of other inputs.
double open_half_width(const FittedModel& model, const Effect& effect, const Design& training) {
  const auto ends = ends_of(model, model.central.value().configuration, effect);
  if (!ends || !model.belief || !is_confounded(effect.column, model, training))
    return 0;
  const gp::LogTimes ratio = model.belief->log_ratios(
      model.spec, design_of(ends->first, model.spec), design_of(ends->second, model.spec));
  return normal_quantile(0.95) * ratio.deviation[0];
}

/// Rows from which a median of errors is known to a hundredth of it.
constexpr std::size_t kRowsOfMedian = 10000;

Design some_of(const Design& runs) {
  std::vector<std::size_t> out;
  for (std::size_t row = 0; row < runs.rows; row += runs.rows / kRowsOfMedian + 1)
    out.push_back(row);
  return take_rows(runs, out);
}

/// A median error above this multiple of what repeats scatter by is the form's.
constexpr double kMisfit = 5;
constexpr double kLeastMisfit = 0.01;  ///< of the time: for less, nobody would change the form

/// Repeated runs say what is noise: where the errors are far larger, that is the first thing to
/// say.
void warn_of_misfit(const Design& training, FittedModel& model) {
  if (!model.known.noise_floor)
    return;
  const double noise = model.known.noise_floor->mape_percent / 100;
  const Design runs = some_of(finished_runs(training));
  const double error =
      median((predict(model, runs).array() / runs.time.array() - 1).abs().matrix());
  if (error > std::max(kMisfit * noise, kLeastMisfit))
    model.warnings.insert(
        model.warnings.begin(),
        {"misfit", "",
         fmt::format("half of the runs are off by more than {}, and repeats of a configuration "
                     "scatter by {}: what is missing is no noise but another form or a column",
                     percent(100 * error), percent(100 * noise))});
}

void add_intervals(const Eigen::VectorXd& half_widths, const Design& training, FittedModel& model) {
  if (half_widths.size() == 0)
    return;
  const Design finished = finished_runs(training);
  const Design some = some_of(finished);
  const Eigen::ArrayXd errors = (some.time.array() / predict(model, some).array()).log().abs();
  const double scatter = median(errors.matrix()) / kHalfAreSmaller;
  for (std::size_t k = 0; k < model.known.effects.size(); ++k) {
    Effect& effect = model.known.effects[k];
    const double least = least_half_width(effect, model.spec, finished, scatter);
    const double half_width = half_widths[index(k)];
    const double known = half_width < kLeastShareOfWidth * least ? least : half_width;
    const double factor = std::exp(std::hypot(known, open_half_width(model, effect, training)));
    if (std::isfinite(factor))
      effect.interval = Interval{effect.ratio / factor, effect.ratio * factor};
  }
}

/// The level of the model's intervals, which a bound needs; nullopt if there are to be none, or if
/// a single run says nothing of others.
std::optional<double> level_of(const FitRequest& fit, const Design& training,
                               std::size_t validation_rows) {
  const HeldOutRequest& request = fit.held_out;
  const std::size_t calibration_rows = validation_rows > 0 ? validation_rows : training.rows;
  if (fit.options.quantile && calibration_rows < 2)
    throw UsageError("--quantile needs at least 2 held-out rows");
  if (fit.options.quantile)
    return std::min(PredictionIntervals::default_level, highest_level(calibration_rows));
  if (!request.intervals || training.rows < 2)
    return std::nullopt;
  return request.coverage.value_or(PredictionIntervals::default_level);
}

/// Plans the held-out groups before a long fit. Throws UsageError if the request is impossible.
HeldOutPlan plan_held_out(const FitRequest& fit, const Table& table, const Split& split,
                          const Design& training) {
  const HeldOutRequest& request = fit.held_out;
  HeldOutPlan plan;
  const std::optional<double> level = level_of(fit, training, split.validation.size());
  if (request.group_by && !request.folds && (!level || !split.validation.empty())) {
    throw UsageError("--group-by has no effect without --folds" +
                     std::string(level ? " if there are validation rows" : ""));
  }
  if (!request.folds && !level)
    return plan;
  const RowGroups groups = groups_for(request, table, split, training);
  plan.group_of = groups.of_row;
  if (request.folds)
    plan.parts = make_held_out_parts(groups, request.folds->count, fit.options.seed);
  return plan;
}

/// Makes the predictions of a model with intervals bounds, and judges them.
void make_bound(const PreparedRuns& parts, double quantile, FittedModel& model) {
  move_to_quantile(model, quantile);
  const std::size_t rows = model.known.intervals->count;
  if (const std::size_t needed = rows_for_quantile(quantile); rows < needed)
    model.warnings.push_back(
        {"few_rows_of_bound", "",
         fmt::format("a {} % bound takes {} held-out rows, and there are {}: this one is that of "
                     "the prediction interval, and wider",
                     to_text(100 * quantile), needed, rows)});
  const Design& training = parts.training;
  const Design finished = finished_runs(training);
  model.known.metrics.train = compute_metrics(finished.time, predict(model, finished));
  model.known.metrics = judge(model, parts);
  const auto use_on = [&](const std::optional<Design>& design) -> std::optional<BoundUse> {
    if (!design)
      return std::nullopt;
    const Eigen::VectorXd bounds = predict(model, *design);
    const std::vector<std::size_t> known = rows_with_limits_above(bounds, *design);
    return known.empty() ? std::nullopt
                         : std::optional(bound_use(design->time(known), bounds(known)));
  };
  model.bound->train = use_on(training).value_or(BoundUse());
  model.bound->validation = use_on(parts.validation);
  model.bound->test = use_on(parts.test);
}

/// Throws UsageError for estimates that are not made of a bound.
void require_estimates_of_bound(const FitRequest& request) {
  const auto refuse = [&](bool asked, const char* flag) {
    if (request.options.quantile && asked)
      throw UsageError(
          fmt::format("{} does not go with --quantile: held-out rows have moved the bound away "
                      "from the constants that it would vary",
                      flag));
  };
  refuse(request.bootstrap.has_value(), "--bootstrap");
  refuse(request.held_out.folds.has_value(), "--folds");
  refuse(request.repeats > 1, "--repeats");
  refuse(request.held_out.coverage.has_value() || !request.held_out.intervals, "--coverage");
}

/// nullopt if no intervals are wanted, or after a stop request.
std::optional<HeldOutFits> held_out_fits(const PreparedFit& prepared, const FitRequest& request,
                                         const FitOptions& silent, const FittedModel& model) {
  if (silent.stop.stop_requested() ||
      !level_of(request, prepared.training, prepared.validation ? prepared.validation->rows : 0))
    return std::nullopt;
  return HeldOutFits::of(model, prepared.training, prepared.held_out.group_of, silent);
}

/// Gives a model its belief, with which an automatic form predicts an average.
void believe(const HeldOutFits& held_out, const PreparedFit& prepared, FittedModel& model) {
  model.belief = held_out.belief();
  if (!is_averaged(model))
    return;
  const Design finished = finished_runs(prepared.training);
  model.known.metrics.train = compute_metrics(finished.time, predict(model, finished));
  model.known.metrics = judge(model, prepared);
}

/// Adds the requested cross-validation and prediction intervals to `model`, with the share of test
/// rows inside their intervals. A stop request leaves unfinished estimates out.
void add_held_out(const PreparedFit& prepared, const FitRequest& request, const FitOptions& silent,
                  const std::optional<HeldOutFits>& held_out, FittedModel& model) {
  const HeldOutPlan& plan = prepared.held_out;
  const Design& training = prepared.training;
  if (!plan.parts.empty()) {
    model.known.cross_validation =
        cross_validate(model.spec, training, silent, plan.parts,
                       told_to(request.progress, FitStage::folds, plan.parts.size()));
    if (!model.known.cross_validation)
      return;  // stopped
    model.known.cross_validation->group_by = request.held_out.group_by;
  }
  if (held_out) {
    try {
      const std::size_t validation_rows = prepared.validation ? prepared.validation->rows : 0;
      model.known.intervals = held_out->intervals(model, prepared.validation,
                                                  *level_of(request, training, validation_rows));
      add_intervals(held_out->half_widths(model, log_ratios), training, model);
    } catch (const Error&) {
      if (request.held_out.coverage || request.options.quantile)
        throw;  // intervals that were not requested may be missing
    }
  }
  if (request.options.quantile && model.known.intervals)
    make_bound(prepared, *request.options.quantile, model);
  if (const auto& test = prepared.test; test && model.known.intervals) {
    const Eigen::VectorXd ends = predict(model, *test).array() *
                                 row_intervals(model, model.known.intervals->level, *test).upper;
    const Design known = take_rows(*test, rows_with_limits_above(ends, *test));
    if (known.rows > 0)
      model.known.intervals->test_coverage =
          covered_share(row_intervals(model, model.known.intervals->level, known), known.time,
                        predict(model, known));
  }
}

/// Extends the measured ranges of an earlier model's inputs by those of further runs.
void extend_ranges(const Design& runs, ModelSpec& spec) {
  for (std::size_t n = 0; n < numeric_count(spec); ++n) {
    NumericInput& input =
        n < spec.extrinsic.size() ? spec.extrinsic[n] : spec.intrinsic[n - spec.extrinsic.size()];
    for (std::size_t row = 0; row < runs.rows; ++row) {
      const double value = numeric_factor(runs, n).value(row);
      input.low = std::min(input.low, value);
      input.high = std::max(input.high, value);
    }
  }
}

/// The central row of those whose time is measured.
std::size_t central_finished_row(const ModelSpec& spec, const Design& training) {
  if (!has_cut_runs(training))
    return central_row(spec, training);
  const std::vector<std::size_t> finished = finished_rows(training);
  if (finished.empty())
    throw InputError("all training runs were cut off: nothing says how long any takes");
  return finished[central_row(spec, take_rows(training, finished))];
}

/// `earlier`: the model that is adapted; null for a new one.
PreparedRuns parts_of(const LabelledRuns& runs, const Split& split,
                      const FittedModel* earlier = nullptr) {
  const Table& table = runs.file.table;
  PreparedRuns out;
  out.provenance = provenance_of(runs.file, runs.roles);
  out.spec = earlier != nullptr ? earlier->spec : make_spec(table, runs.roles, split.train);
  out.training = make_design(table, out.spec, Target::required, split.train);
  if (earlier != nullptr)
    extend_ranges(out.training, out.spec);
  const std::size_t central = central_finished_row(out.spec, out.training);
  const std::size_t row = split.train[central];
  set_typical_values(table, row, out.spec);
  out.central = {configuration_of(out.training, central), table.lines[row],
                 out.training.time[index(central)]};
  if (!split.validation.empty())
    out.validation = make_design(table, out.spec, Target::required, split.validation);
  if (!split.test.empty())
    out.test = make_design(table, out.spec, Target::required, split.test);
  return out;
}

/// Leaves only the rows of the split in the table.
void keep_only(Split& split, LabelledRuns& runs) {
  std::vector<std::size_t> kept;
  for (std::vector<std::size_t>* part : {&split.train, &split.validation, &split.test})
    for (std::size_t& row : *part) {
      kept.push_back(row);
      row = kept.size() - 1;
    }
  runs.file.table = take_rows(runs.file.table, kept);
  runs.rows = indices(kept.size());
}

/// Draws training rows as requested. Returns false if all are kept.
bool draw_as_requested(const FitRequest& request, Split& split, LabelledRuns& runs) {
  const FitOptions& options = request.options;
  std::optional<std::size_t> most = request.training_rows;
  if (!most && chooses_terms(options) && options.prior == nullptr)
    most = kRowsOfChoice;
  const std::size_t rows = split.train.size();
  if (!most || !draw_training_rows(runs, *most, options.seed, split, options.prior.get()))
    return false;
  keep_only(split, runs);
  runs.roles.notices.push_back(fitted_to_drawn_rows(*most, rows) +
                               (request.training_rows ? "" : " --sample-rows takes more."));
  return true;
}

}  // namespace

bool draw_training_rows(const LabelledRuns& runs, std::size_t most, std::uint64_t seed,
                        Split& split, const FittedModel* earlier) {
  const std::vector<std::size_t>& rows = split.train;
  if (rows.size() <= most)
    return false;
  const Table& table = runs.file.table;
  const ModelSpec spec = earlier != nullptr ? earlier->spec : make_spec(table, runs.roles, rows);
  std::vector<std::size_t> order = indices(rows.size());
  RandomStream(seed, "training rows").shuffle(std::span(order));
  std::vector<std::size_t> drawn = drawn_rows(
      configuration_groups(make_design(table, spec, Target::required, rows)), order, most);
  std::ranges::sort(drawn);
  split.train = mapped(drawn, [&](std::size_t place) { return rows[place]; });
  return true;
}

PreparedRuns prepare_runs(const LabelledRuns& runs, const Split& split) {
  PreparedRuns out = parts_of(runs, split);
  for (const auto* part : {&out.validation, &out.test})
    if (*part)
      require_fitted_range(**part);
  return out;
}

PreparedFit prepare_fit(LabelledRuns runs, const FitRequest& request) {
  if (request.test_runs && request.split.test > 0)
    throw UsageError(
        "further runs and a share of the split both name test rows; pass only one of them");
  require_estimates_of_bound(request);
  Split split = split_rows(runs.rows, request.split, request.split_seed);
  const bool is_drawn = draw_as_requested(request, split, runs);
  PreparedFit out{
      parts_of(runs, split, request.options.prior.get()), std::move(runs), {}, {}, is_drawn};
  out.runs.file.bytes = {};  // their digest stands in the model
  out.held_out = plan_held_out(request, out.runs.file.table, split, out.training);
  out.warnings = always_failing(out.runs.file.failed_rows, out.spec);
  if (request.test_runs) {
    TestRuns test = select_test_runs(request.test_runs(categorical_columns(out.spec)), out.spec,
                                     out.runs.file.reading, request.gated);
    out.test = std::move(test.design);
    out.warnings.insert(out.warnings.end(), test.warnings.begin(), test.warnings.end());
  }
  return out;
}

namespace {

/// Between the two measured values around a step of the model, no run tells where the time jumps.
void add_sides_of_steps(const Design& training, FittedModel& model) {
  for (std::size_t n = 0; n < numeric_count(model.spec); ++n)
    for (const double step : model.form->steps(model.spec, n)) {
      const NumericFactor& factor = numeric_factor(training, n);
      double next = std::numeric_limits<double>::infinity();
      for (std::size_t row = 0; row < training.rows; ++row)
        if (factor.value(row) > step)
          next = std::min(next, factor.value(row));
      const bool whole = step == std::round(step) && next == std::round(next);
      const double low = whole ? step + 1 : std::nextafter(step, next);
      const double high = whole ? next - 1 : std::nextafter(next, step);
      if (step > 0 && low <= high)  // a step at 0 lies there: what is 0 does not happen
        model.known.unmeasured.push_back({{{numeric_input(model.spec, n).column, low, high, ""}}});
    }
}

/// More rows are not marked, since the marks would be most of the model's file.
constexpr std::size_t kMostMarks = 10'000;

/// The marks of all rows that the model learns from: validation rows calibrate its intervals.
std::vector<std::uint32_t> marks_of_fit(const PreparedFit& prepared) {
  const std::size_t rows =
      prepared.training.rows + (prepared.validation ? prepared.validation->rows : 0);
  if (rows > kMostMarks)
    return {};
  std::vector<std::uint32_t> out = row_marks(prepared.spec, prepared.training);
  if (prepared.validation)
    std::ranges::copy(row_marks(prepared.spec, *prepared.validation), std::back_inserter(out));
  std::ranges::sort(out);
  return out;
}

/// `cut`: the runs that entered the fit as longer than their limits, if any.
Provenance provenance_of_fit(const PreparedFit& prepared, const FitRequest& request,
                             std::optional<CutRuns> cut) {
  Provenance out = prepared.provenance;
  out.row_marks = marks_of_fit(prepared);
  if (cut)
    cut->limit = request.roles.limit.value_or("");
  out.cut = std::move(cut);
  return out;
}

}  // namespace

FitOutcome fit_prepared(const PreparedFit& prepared, const FitRequest& request) {
  const Design& training = prepared.training;
  FitOptions silent = request.options;  // of concurrent fits
  silent.be_silent();
  FitOutcome out;

  const auto start = Clock::now();
  std::vector<FittedModel> fits = run_fits(prepared, request, silent);
  out.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  for (auto& fitted : fits)
    fitted.known.metrics = judge(fitted, prepared);
  FittedModel model = fits[best_of(fits)];
  if (fits.size() > 1)
    model.known.repeats = summarise(fits);
  model.known.uncertainty = run_bootstrap(model, training, request, silent);
  model.provenance = provenance_of_fit(prepared, request, model.provenance.cut);
  model.central = prepared.central;
  warn_of_leaks(prepared.runs.file.table, model);
  warn_of_ties(prepared.runs.file.table, training, model);
  model.known.unmeasured = find_unmeasured(prepared.spec, training);
  add_sides_of_steps(training, model);
  const std::optional<HeldOutFits> held_out = held_out_fits(prepared, request, silent, model);
  if (held_out)
    believe(*held_out, prepared, model);
  if (!request.options.quantile)
    warn_of_misfit(training, model);
  model.known.correction = typical_correction(model, training);
  model.known.effects = effects_of(model, prepared.central.configuration, &training);
  const RunsFile& file = prepared.runs.file;
  model.failures =
      fit_failures(failure_inputs(model, file.failed_rows), file.table, file.failed_rows, silent);
  for (const std::string& sentence : left_out_inputs(file.table, model))
    model.warnings.push_back({"left_out", "", sentence});
  if (!silent.stop.stop_requested())
    add_held_out(prepared, request, silent, held_out, model);

  if (is_bad_form(model, training))
    for (Effect& effect : model.known.effects)
      effect.interval.reset();  // it would hold the truth in every second case

  out.interrupted = silent.stop.stop_requested();
  if (out.interrupted)  // whichever start gave the best model
    model.search.termination = to_text(optimise::Termination::interrupted);
  out.time_shares = time_shares(model, training);
  out.roles = prepared.runs.roles;
  out.warnings = prepared.runs.warnings;
  out.warnings.insert(out.warnings.end(), prepared.warnings.begin(), prepared.warnings.end());
  out.model = std::move(model);
  return out;
}

FitOutcome fit_runs(RunsFile runs, const FitRequest& request) {
  const auto& earlier = request.options.prior;
  LabelledRuns labelled = earlier ? label_runs(std::move(runs), *earlier, request.roles)
                                  : label_runs(std::move(runs), request.roles);
  return fit_prepared(prepare_fit(std::move(labelled), request), request);
}

FitOutcome fit_runs(Table runs, const FitRequest& request) {
  std::string name = runs.source;
  return fit_runs(RunsFile{std::move(name), {}, std::move(runs)}, request);
}

Metrics measure(const Design& design, const Eigen::VectorXd& predicted, const std::string& part) {
  if (!in_fitted_range(design)) {
    throw InputError("the errors for " + part +
                     " are too large or too small for numbers; write the times and the columns in "
                     "units in which they are nearer to 1");
  }
  const std::vector<std::size_t> finished = finished_rows(design);
  if (finished.empty())
    throw InputError("all runs of " + part + " were cut off: their errors are unknown");
  const Metrics metrics = compute_metrics(design.time(finished), predicted(finished));
  if (!std::isfinite(metrics.mse) || !std::isfinite(metrics.mape_percent)) {
    throw InputError("the model's predictions for " + part +
                     " are too large for numbers; the configurations are too far from the "
                     "measured ones");
  }
  return metrics;
}

Metrics measure(const FittedModel& model, const Design& design, const std::string& part) {
  return measure(design, predict(model, design), part);
}

}  // namespace perfmodel
