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
#include "roles/cut_runs.hpp"
#include "roles/derived.hpp"
#include "roles/left_out.hpp"
#include "roles/vocabulary.hpp"
#include "sums/sum_terms.hpp"
#include "table/expressions.hpp"
#include "table/table.hpp"
#include "trust/cross_validation.hpp"
#include "trust/prediction_intervals.hpp"
#include "trust/resampling.hpp"

namespace perfmodel {
namespace {

/// What is fitted, and how.
struct Job {
  const PreparedFit& prepared;
  const FitRequest& request;
  FitOptions silent;  ///< of concurrent fits

  const Design& training() const { return prepared.training; }
  bool is_stopped() const { return silent.stop.stop_requested(); }
  std::function<void(std::size_t)> told(FitStage stage, std::size_t all) const {
    if (!request.progress)
      return nullptr;
    return [&progress = request.progress, stage, all](std::size_t done) {
      progress(stage, done, all);
    };
  }
};

/// Metrics of the model on all parts, given those on the training rows.
PartMetrics judged(const FittedModel& model, const Metrics& train, const PreparedRuns& parts) {
  PartMetrics out{.train = train, .validation = {}, .test = {}};
  if (parts.validation)
    out.validation = measure(model, *parts.validation, "the validation part");
  if (parts.test)
    out.test = measure(model, *parts.test, "the test part");
  return out;
}

/// The best of the requested fits, and how long they took.
std::pair<FittedModel, double> best_fit(const Job& job) {
  const FitRequest& request = job.request;
  const PreparedFit& runs = job.prepared;
  FitOptions watched = request.options;
  watched.progress = request.progress;
  const auto start = std::chrono::steady_clock::now();
  std::vector<FittedModel> fits =
      request.repeats <= 1 ? std::vector{fit(runs.spec, runs.training, watched)}
                           : fit_repeatedly(runs.spec, runs.training, job.silent, request.repeats,
                                            job.told(FitStage::fits, request.repeats));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  for (FittedModel& fitted : fits)
    fitted.known.metrics = judged(fitted, fitted.known.metrics.train, runs);
  FittedModel best = fits[best_of(fits)];
  if (fits.size() > 1)
    best.known.repeats = summarise(fits);
  return {std::move(best), seconds.count()};
}

/// Returns nullopt if no bootstrap was requested, or if an interruption left fewer than two
/// samples.
std::optional<Uncertainty> bootstrapped(const Job& job, const FittedModel& model) {
  const auto& request = job.request.bootstrap;
  if (!request)
    return std::nullopt;
  const BootstrapSamples samples = bootstrap(model, job.training(), job.silent, request->samples,
                                             job.told(FitStage::bootstrap, request->samples));
  if (samples.constants.cols() < 2)
    return std::nullopt;
  return percentile_intervals(model, job.training(), samples, request->confidence);
}

/// Between the two measured values around a step of the model, no run tells where the time jumps.
std::vector<UnmeasuredRegion> sides_of_steps(const FittedModel& model, const Design& training) {
  std::vector<UnmeasuredRegion> out;
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
        out.push_back({{{numeric_input(model.spec, n).column, low, high, ""}}});
    }
  return out;
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
Provenance provenance_of_fit(const Job& job, std::optional<CutRuns> cut) {
  Provenance out = job.prepared.provenance;
  out.row_marks = marks_of_fit(job.prepared);
  if (cut)
    cut->limit = job.request.roles.limit.value_or("");
  out.cut = std::move(cut);
  return out;
}

/// An input computed from the time predicts it perfectly, but is unknown before a run is measured.
std::vector<Warning> warnings_of_leaks(const Table& runs, const FittedModel& model) {
  std::vector<Warning> out;
  for (const LeftOut& leak : inputs_given_by_target(runs, model.spec)) {
    out.push_back(
        {"leak", "",
         "column '" + leak.column + "' " + words_for(leak) +
             ": these errors do not measure the model: the time to predict is one of its inputs"});
  }
  return out;
}

/// Of two columns that grew together, or never vary apart, nothing says which of them changes the
/// time.
std::vector<Warning> warnings_of_ties(const Table& runs, const Design& training,
                                      const FittedModel& model) {
  std::vector<Warning> out;
  for (const auto& [one, other] : confounded_texts(model.spec, training))
    out.push_back(
        {"tied", "",
         fmt::format("'{0}' and '{1}' never vary apart in the runs: which of the two changes the "
                     "time cannot be told; a run with another {0} at an equal {1} would tell",
                     one, other)});
  std::set<std::string> told;
  for (const Tie& tie : grown_together(runs, model.spec))
    if (!told.contains(tie.column) && told.insert(tie.scale).second)
      out.push_back(
          {"tied", "",
           fmt::format("'{0}' {2} with '{1}' in nearly all runs: which of the two changes the time "
                       "can hardly be told, and predictions move both; more runs with another {0} "
                       "at an equal {1} would tell",
                       tie.column, tie.scale, tie.power > 0 ? "grew" : "fell")});
  return out;
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

/// Whether a column that was left out names machines or programs, whose runs are no repeats.
bool names_machines(const LeftOut& left_out) {
  return left_out.because == LeftOut::Because::label && has_kind(left_out.column, "entity scale");
}

/// A median error above this multiple of what repeats scatter by is the form's.
constexpr double kMisfit = 5;
constexpr double kLeastMisfit = 0.01;  ///< of the time: for less, nobody would change the form

/// Repeated runs say what is noise: where the errors are far larger, that is the first thing to
/// say.
std::vector<Warning> warning_of_misfit(const Design& training, const FittedModel& model) {
  if (!model.known.noise_floor)
    return {};
  const double noise = model.known.noise_floor->mape_percent / 100;
  const Design runs = some_of(finished_runs(training));
  const double error =
      median((predict(model, runs).array() / runs.time.array() - 1).abs().matrix());
  if (error <= std::max(kMisfit * noise, kLeastMisfit))
    return {};
  return {{"misfit", "",
           fmt::format("half of the runs are off by more than {}, and repeats of a configuration "
                       "scatter by {}: what is missing is no noise but another form or a column",
                       percent(100 * error), percent(100 * noise))}};
}

/// The warnings of the fit, and those about its runs.
std::vector<Warning> all_warnings(const Job& job, const FittedModel& model) {
  const Table& runs = job.prepared.runs.file.table;
  std::vector<Warning> out;
  const auto add = [&](const std::vector<Warning>& warnings) {
    out.insert(out.end(), warnings.begin(), warnings.end());
  };
  if (!job.request.options.quantile)
    add(warning_of_misfit(job.training(), model));
  add(model.warnings);
  add(warnings_of_leaks(runs, model));
  add(warnings_of_ties(runs, job.training(), model));
  for (const std::string& sentence : left_out_inputs(runs, model))
    out.push_back({"left_out", "", sentence});
  return out;
}

/// The effects of the model with intervals of these half widths; none: without.
std::vector<Effect> with_intervals(const Eigen::VectorXd& half_widths, const Design& training,
                                   const FittedModel& model) {
  std::vector<Effect> out = model.known.effects;
  if (half_widths.size() == 0)
    return out;
  const Design finished = finished_runs(training);
  const Design some = some_of(finished);
  const Eigen::ArrayXd errors = (some.time.array() / predict(model, some).array()).log().abs();
  const double scatter = median(errors.matrix()) / kHalfAreSmaller;
  for (std::size_t k = 0; k < out.size(); ++k) {
    Effect& effect = out[k];
    const double least = least_half_width(effect, model.spec, finished, scatter);
    const double half_width = half_widths[index(k)];
    const double known = half_width < kLeastShareOfWidth * least ? least : half_width;
    const double factor = std::exp(std::hypot(known, open_half_width(model, effect, training)));
    if (std::isfinite(factor))
      effect.interval = Interval{effect.ratio / factor, effect.ratio * factor};
  }
  return out;
}

/// nullopt if no intervals are wanted, or after a stop request.
std::optional<HeldOutFits> held_out_fits(const Job& job, const FittedModel& model) {
  const HeldOutPlan& plan = job.prepared.held_out;
  if (job.is_stopped() || !plan.level)
    return std::nullopt;
  return HeldOutFits::of(model, job.training(), plan.group_of, job.silent);
}

/// nullopt if it was not requested, or after a stop request.
std::optional<CrossValidation> cross_validated(const Job& job, const FittedModel& model) {
  const auto& parts = job.prepared.held_out.parts;
  if (parts.empty() || job.is_stopped())
    return std::nullopt;
  auto out = cross_validate(model.spec, job.training(), job.silent, parts,
                            job.told(FitStage::folds, parts.size()));
  if (out)
    out->group_by = job.request.held_out.group_by;
  return out;
}

/// The estimate, or nullopt if the runs do not allow it and it was not requested.
template <class Estimate>
auto if_possible(const Job& job, const Estimate& estimate) -> std::optional<decltype(estimate())> {
  try {
    return estimate();
  } catch (const Error&) {
    if (job.request.held_out.coverage || job.request.options.quantile)
      throw;
    return std::nullopt;
  }
}

/// How bounds do on some rows; nullopt if none of these tells.
std::optional<BoundUse> use_of_bound(const FittedModel& model, const Design& runs) {
  const Eigen::VectorXd bounds = predict(model, runs);
  const std::vector<std::size_t> known = rows_with_limits_above(bounds, runs);
  return known.empty() ? std::nullopt : std::optional(bound_use(runs.time(known), bounds(known)));
}

/// The model with intervals as one whose predictions are bounds.
FittedModel as_bound(FittedModel model, double quantile, const PreparedRuns& parts) {
  move_to_quantile(model, quantile);
  const std::size_t rows = model.known.intervals->count;
  if (const std::size_t needed = rows_for_quantile(quantile); rows < needed)
    model.warnings.push_back(
        {"few_rows_of_bound", "",
         fmt::format("a {} % bound takes {} held-out rows, and there are {}: this one is that of "
                     "the prediction interval, and wider",
                     to_text(100 * quantile), needed, rows)});
  model.bound->train = use_of_bound(model, parts.training).value_or(BoundUse());
  if (parts.validation)
    model.bound->validation = use_of_bound(model, *parts.validation);
  if (parts.test)
    model.bound->test = use_of_bound(model, *parts.test);
  return model;
}

/// The metrics of a model that predicts otherwise than its search did: averages, or bounds.
PartMetrics metrics_of_predictor(const FittedModel& model, const PreparedRuns& parts) {
  if (!is_averaged(model) && !model.bound)
    return model.known.metrics;
  const Design finished = finished_runs(parts.training);
  return judged(model, compute_metrics(finished.time, predict(model, finished)), parts);
}

/// The share of the test rows inside their intervals; nullopt if none tells.
std::optional<double> coverage_of_test(const FittedModel& model, const Design& test) {
  const double level = model.known.intervals->level;
  const Eigen::VectorXd ends =
      predict(model, test).array() * row_intervals(model, level, test).upper;
  const Design known = take_rows(test, rows_with_limits_above(ends, test));
  if (known.rows == 0)
    return std::nullopt;
  return covered_share(row_intervals(model, level, known), known.time, predict(model, known));
}

}  // namespace

FitOutcome fit_prepared(const PreparedFit& prepared, const FitRequest& request) {
  Job job{prepared, request, request.options};
  job.silent.be_silent();
  const Design& training = prepared.training;
  const RunsFile& file = prepared.runs.file;

  auto found = best_fit(job);
  FittedModel model = std::move(found.first);
  ModelKnowledge& known = model.known;
  known.uncertainty = bootstrapped(job, model);
  model.provenance = provenance_of_fit(job, std::move(model.provenance.cut));
  if (std::ranges::any_of(model.provenance.left_out, names_machines))
    known.noise_floor.reset();
  model.central = prepared.central;
  known.unmeasured = find_unmeasured(prepared.spec, training);
  std::ranges::copy(sides_of_steps(model, training), std::back_inserter(known.unmeasured));

  const std::optional<HeldOutFits> held_out = held_out_fits(job, model);
  if (held_out)  // from here on, an automatic form predicts an average
    model.belief = held_out->belief();
  known.correction = typical_correction(model, training);
  known.effects = effects_of(model, prepared.central.configuration, &training);
  model.failures = fit_failures(failure_inputs(model, file.failed_rows), file.table,
                                file.failed_rows, job.silent);
  model.warnings = all_warnings(job, model);

  known.cross_validation = cross_validated(job, model);
  if (held_out && !job.is_stopped()) {
    known.intervals = if_possible(job, [&] {
      return held_out->intervals(model, prepared.validation, prepared.held_out.level.value());
    });
    if (known.intervals)
      known.effects =
          if_possible(job, [&] {
            return with_intervals(held_out->half_widths(model, log_ratios), training, model);
          }).value_or(known.effects);
  }
  if (request.options.quantile && known.intervals)
    model = as_bound(std::move(model), *request.options.quantile, prepared);
  known.metrics = metrics_of_predictor(model, prepared);
  if (prepared.test && known.intervals)
    known.intervals->test_coverage = coverage_of_test(model, *prepared.test);
  if (is_bad_form(model, training))
    for (Effect& effect : known.effects)
      effect.interval.reset();  // it would hold the truth in every second case
  if (job.is_stopped())         // whichever start gave the best model
    model.search.termination = to_text(optimise::Termination::interrupted);

  FitOutcome out{.model = std::move(model),
                 .roles = prepared.runs.roles,
                 .time_shares = {},
                 .seconds = found.second,
                 .interrupted = job.is_stopped(),
                 .warnings = prepared.runs.warnings};
  out.time_shares = time_shares(out.model, training);
  out.warnings.insert(out.warnings.end(), prepared.warnings.begin(), prepared.warnings.end());
  return out;
}

FitOutcome fit_runs(RunsFile runs, const FitRequest& request) {
  const FittedModel* const earlier = request.options.earlier();
  LabelledRuns labelled = earlier != nullptr ? label_runs(std::move(runs), *earlier, request.roles)
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
