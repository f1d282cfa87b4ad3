#include "perfmodel/pipeline/fit_runs.hpp"

#include <chrono>
#include <utility>

#include "base/index.hpp"
#include "fit/fit.hpp"
#include "model/columns/left_out/left_out.hpp"
#include "model/columns/no_inputs.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/model/design/unmeasured.hpp"
#include "perfmodel/pipeline/judging.hpp"
#include "pipeline/shared/task_codecs.hpp"
#include "pipeline/shared_fit.hpp"
#include "trust/bootstrap.hpp"
#include "trust/repeat.hpp"

namespace perfmodel {
namespace {

using Clock = std::chrono::steady_clock;

std::function<void(std::size_t)> told_to(const FitProgress& progress, FitStage stage,
                                         std::size_t all) {
  if (!progress)
    return nullptr;
  return [&progress, stage, all](std::size_t done) { progress(stage, done, all); };
}

/// The fits that were asked for, in the order of their seeds.
std::vector<FittedModel> run_fits(const PreparedFit& prepared, const FitRequest& request,
                                  const FitOptions& silent) {
  if (request.repeats <= 1) {
    FitOptions watched = request.options;
    watched.progress = request.progress;
    return {fit(prepared.spec, prepared.training, watched)};
  }
  return fit_repeatedly(prepared.spec, prepared.training, silent, request.repeats,
                        told_to(request.progress, FitStage::fits, request.repeats),
                        hooks_of(request.share, 0, model_codec()));
}

/// The fit of lowest cost. Of those that others made not all is known, so it is made again.
FittedModel best_fit(const std::vector<FittedModel>& fits, const PreparedFit& prepared,
                     const FitRequest& request, const FitOptions& silent) {
  const FittedModel& best = fits[best_of(fits)];
  if (fits.size() == 1 || request.share == nullptr)
    return best;
  FitOptions options = silent;
  options.seed = best.search.seed;
  FittedModel model = fit(prepared.spec, prepared.training, options);
  model.metrics = best.metrics;
  model.noise_floor = best.noise_floor;
  return model;
}

/// The parts of the data that the model is judged on, beside its training rows.
PartMetrics judge(const FittedModel& model, const JudgingParts& parts) {
  PartMetrics metrics = model.metrics;
  if (parts.validation)
    metrics.validation = measure(model, *parts.validation, "the validation part");
  if (parts.test)
    metrics.test = measure(model, *parts.test, "the test part");
  return metrics;
}

BootstrapSamples run_samples(const FittedModel& model, const Design& training,
                             const FitRequest& request, const FitOptions& silent) {
  const std::size_t wanted = request.bootstrap->samples;
  return bootstrap(model, training, silent, wanted,
                   told_to(request.progress, FitStage::bootstrap, wanted),
                   hooks_of(request.share, shared_tasks(request).samples, numbers_codec()));
}

/// Nothing where none was asked for, or where an interruption left less than two samples.
std::optional<Uncertainty> run_bootstrap(const FittedModel& model, const Design& training,
                                         const FitRequest& request, const FitOptions& silent) {
  if (!request.bootstrap)
    return std::nullopt;
  const BootstrapSamples samples = run_samples(model, training, request, silent);
  if (samples.constants.cols() < 2)
    return std::nullopt;
  return percentile_intervals(model, training, samples, request.bootstrap->confidence);
}

/// Of fits beside others: the observer hears of one search.
FitOptions silent_options(const FitRequest& request) {
  FitOptions out = request.options;
  out.be_silent();
  return out;
}

std::optional<Design> design_of_rows(const Table& table, const ModelSpec& spec,
                                     const std::vector<std::size_t>& rows) {
  if (rows.empty())
    return std::nullopt;
  return make_design(table, spec, Target::required, rows);
}

/// What the time gives tells the time, and nobody knows it of a run that was not measured.
void warn_of_leaks(const Table& runs, FittedModel& model) {
  for (const LeftOut& leak : inputs_given_by_target(runs, model.spec)) {
    model.warnings.push_back(
        {"leak", "",
         "column '" + leak.column + "' " + words_for(leak) +
             ": the errors are no measure of this model, which knows the time that it shall tell"});
  }
}

}  // namespace

SharedTasks shared_tasks(const FitRequest& request) {
  SharedTasks out;
  out.samples = request.repeats > 1 ? request.repeats : 0;
  out.folds = out.samples + (request.bootstrap ? request.bootstrap->samples : 0);
  return out;
}

std::size_t shared_task_count(const PreparedFit& prepared, const FitRequest& request) {
  return shared_tasks(request).folds + prepared.held_out.parts.size();
}

PreparedFit prepare_fit(LabelledRuns runs, const FitRequest& request) {
  if (request.test_runs && request.split.test > 0)
    throw UsageError("further runs and a share of the split both name test rows; ask for one");
  PreparedFit out;
  out.runs = std::move(runs);
  const Table& table = out.runs.file.table;
  const Split split = split_rows(out.runs.rows, request.split, request.split_seed);
  out.spec = make_spec(table, out.runs.roles, split.train);
  out.training = make_design(table, out.spec, Target::required, split.train);
  const std::size_t central = central_row(out.spec, out.training);
  set_typical_values(table, split.train[central], out.spec);
  out.central = {configuration_of(out.training, central), table.lines[split.train[central]],
                 out.training.time[index(central)]};
  out.held_out = plan_held_out(request.held_out, table, split, out.training, request.options.seed);
  out.judging.validation = design_of_rows(table, out.spec, split.validation);
  out.judging.test = design_of_rows(table, out.spec, split.test);
  if (request.test_runs) {
    RunsFile file{{}, {}, request.test_runs(categorical_columns(out.spec))};
    if (request.roles.drop_failed)
      if (auto failed = drop_failed_runs(file, out.spec))
        out.warnings.push_back(*std::move(failed));
    TestRuns test = select_test_runs(file.table, out.spec, request.gated);
    out.judging.test = std::move(test.design);
    if (test.left_out)
      out.warnings.push_back(*std::move(test.left_out));
  }
  return out;
}

void fit_shared_tasks(const PreparedFit& prepared, const FitRequest& request) {
  const Design& training = prepared.training;
  const FitOptions silent = silent_options(request);
  if (request.repeats > 1)
    run_fits(prepared, request, silent);
  if (request.bootstrap) {
    const FittedModel model = fit(prepared.spec, training, request.options);
    if (!silent.stop.stop_requested())
      run_samples(model, training, request, silent);
  }
  const auto& folds = prepared.held_out.parts;
  if (!folds.empty() && !silent.stop.stop_requested()) {
    cross_validate(prepared.spec, training, silent, folds,
                   told_to(request.progress, FitStage::folds, folds.size()),
                   hooks_of(request.share, shared_tasks(request).folds, fold_codec()));
  }
  if (silent.stop.stop_requested())
    throw Interrupted();
}

FitOutcome fit_prepared(const PreparedFit& prepared, const FitRequest& request) {
  const Design& training = prepared.training;
  const FitOptions silent = silent_options(request);
  FitOutcome out;

  const auto start = Clock::now();
  std::vector<FittedModel> fits = run_fits(prepared, request, silent);
  out.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  for (auto& fitted : fits)
    fitted.metrics = judge(fitted, prepared.judging);
  FittedModel model = best_fit(fits, prepared, request, silent);
  if (fits.size() > 1)
    model.repeats = summarise(fits);
  model.uncertainty = run_bootstrap(model, training, request, silent);
  model.provenance = provenance_of(prepared.runs.file, prepared.runs.roles);
  model.central = prepared.central;
  model.left_out = prepared.runs.roles.left_out;
  warn_of_leaks(prepared.runs.file.table, model);
  model.unmeasured = find_unmeasured(prepared.spec, training);
  if (!silent.stop.stop_requested()) {
    add_held_out(request.held_out, prepared.held_out, training, prepared.judging, silent, model,
                 told_to(request.progress, FitStage::folds, prepared.held_out.parts.size()),
                 request.share, shared_tasks(request).folds);
  }

  out.interrupted = silent.stop.stop_requested();
  if (out.interrupted)  // whichever start won
    model.search.termination = to_text(optimise::Termination::interrupted);
  out.time_shares = time_shares(model, training);
  out.roles = prepared.runs.roles;
  for (const Sentence& warning : prepared.runs.warnings)
    out.warnings.push_back(warning.text());
  out.warnings.insert(out.warnings.end(), prepared.warnings.begin(), prepared.warnings.end());
  out.model = std::move(model);
  return out;
}

FitOutcome fit_runs(RunsFile runs, const FitRequest& request) {
  return fit_prepared(prepare_fit(label_runs(std::move(runs), request.roles), request), request);
}

FitOutcome fit_runs(Table runs, const FitRequest& request) {
  std::string name = runs.source;
  return fit_runs(RunsFile{std::move(name), {}, std::move(runs)}, request);
}

}  // namespace perfmodel
