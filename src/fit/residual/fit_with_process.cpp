#include "fit/residual/fit_with_process.hpp"

#include <memory>
#include <utility>

#include "base/index.hpp"
#include "fit/determined/warnings.hpp"
#include "fit/eq4/fit_generic.hpp"
#include "fit/process/hyper_search.hpp"
#include "fit/process/predictive_kernel.hpp"
#include "fit/residual/identify_process.hpp"
#include "fit/residual/left_out_judge.hpp"
#include "fit/residual/process_form.hpp"
#include "fit/result/far_off.hpp"
#include "fit/sum/fit_multi.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

void refuse_what_has_no_place(const FitOptions& options) {
  const auto refuse = [](const std::string& field) {
    throw UsageError("a residual process maximises a likelihood: " + Field{field} +
                     " has no place there");
  };
  if (options.method == Method::paper)
    refuse("method");
  if (options.penalty.l1 > 0)
    refuse("l1");
  if (options.penalty.l2 > 0)
    refuse("l2");
}

bool is_one_product(const FitOptions& options) {
  return options.expression == Expression::multi && options.terms == 1U;
}

/// The expression alone, by squared errors of the logarithms as the process has them.
FittedModel ordinary_fit(const ModelSpec& spec, const Design& training, FitOptions options) {
  options.residual = Residual::none;
  if (options.terms && !options.starts)
    options.starts = 1;  // where it starts, the process takes what the others would have found
  if (options.expression == Expression::generic || options.terms)
    options.loss = Loss::rmsle;
  else
    options.loss = default_loss(options);
  return options.expression == Expression::generic ? fit_generic(spec, training, options)
                                                   : fit_multi(spec, training, options);
}

/// Where predictions are from neighbours, hyper-parameters from more rows cost little beside them.
constexpr Eigen::Index kHyperRowsOfMany = 800;

process::ProcessOptions process_options(const FitOptions& options, const Design& training) {
  process::ProcessOptions out;
  if (index(training.rows) > out.exact_rows)
    out.hyper_rows = kHyperRowsOfMany;
  out.seed = options.seed;
  out.threads = options.threads;
  out.stop = options.stop;
  return out;
}

/// At 4.6 standard deviations of a run that counts for one.
constexpr double kWeightOfOutlier = 0.2;

/// Runs that count for little, and are off by what matters.
std::size_t count_outliers(const Eigen::VectorXd& weights, const Eigen::VectorXd& measured,
                           const Eigen::VectorXd& predicted) {
  std::size_t out = 0;
  for (Eigen::Index run = 0; run < weights.size(); ++run)
    out += weights[run] < kWeightOfOutlier && is_far_off(measured[run], predicted[run]) ? 1U : 0U;
  return out;
}

process::HyperParameters found_beside_product(const ModelSpec& spec, const Design& training,
                                              const std::vector<std::size_t>& rings,
                                              const process::ProcessOptions& how) {
  return search_hyper_parameters(runs_beside_product(spec, training, {.rings = rings}), how);
}

process::ProcessFit promised_process(const ModelSpec& spec, const Design& training,
                                     const ProcessRuns& runs, TrendPrior prior,
                                     const process::ProcessOptions& how, double promised,
                                     process::ProcessFit own) {
  const Eigen::VectorXd errors = left_out_errors(own);
  if (!(mean_either_way(errors) > promised))
    return own;
  process::HyperParameters other = found_beside_product(spec, training, {}, how);
  other = with_kernel_of(other, own.hyper, runs);
  process::ProcessFit out = fit_process(runs, other, prior, how);
  return clearly_smaller(left_out_errors(out), errors) ? out : own;
}

ProcessSearch facts_of_search(const process::ProcessOptions& options,
                              const process::ProcessFit& found, const ProcessShape& shape,
                              bool is_predictive) {
  ProcessSearch out;
  out.objective =
      "the posterior density of the hyper-parameters: marginal likelihood of ln(time) and priors";
  if (is_predictive)
    out.objective += "; from there on the densities of left-out ln(time) given those next to them";
  if (shape.kernel_of_product)
    out.objective += "; the kernel was found beside one product";
  if (shape.prior == TrendPrior::held)
    out.objective += "; beside a trend whose constants, of least absolute errors, are held";
  for (const process::PriorFacts& fact : process::prior_facts())
    out.priors.push_back({fact.of, fact.mean, fact.deviation});
  out.rows = static_cast<std::size_t>(options.hyper_rows);
  out.noise = found.hyper.heavy_tails ? ProcessNoise::student_t : ProcessNoise::normal;
  return out;
}

/// Whether one was found. The trend of a sample serves to find it; what counts for little then does
/// so to the end.
bool take_predictive_kernel(const ProcessRuns& runs, TrendPrior prior, process::ProcessOptions& how,
                            process::HyperParameters& hyper) {
  process::ProcessOptions quick = how;
  quick.exact_rows = how.hyper_rows;
  process::ProcessFit first = fit_process(runs, hyper, prior, quick);
  const process::PredictiveKernel found = predictive_kernel(first.process, how);
  hyper.kernel = found.kernel;
  hyper.evaluations += found.evaluations;
  if (found.is_better && hyper.heavy_tails)
    how.run_weights = std::move(first.run_weights);
  return found.is_better;
}

FittedModel fitted_process(FittedModel model, const Design& training, const FitOptions& options,
                           const ProcessRuns& runs, const ProcessShape& shape, bool from_nothing,
                           std::optional<double> promised = {}) {
  if (!has_times(runs))
    throw InputError(
        "the formula beside the process is 0, or too large for a number, at some of the runs; "
        "choose one with fewer terms by " +
        Field{"terms"} + ", or leave out runs whose times differ far more than their columns say");
  process::ProcessOptions how = process_options(options, training);
  process::HyperParameters hyper = search_hyper_parameters(runs, how);
  if (shape.kernel_of_product)
    hyper =
        with_kernel_of(found_beside_product(model.spec, training, shape.rings, how), hyper, runs);
  const TrendPrior prior = shape.prior;
  const bool is_predictive =
      index(training.rows) > how.exact_rows && take_predictive_kernel(runs, prior, how, hyper);
  process::ProcessFit found = fit_process(runs, hyper, prior, how);
  if (promised && !shape.kernel_of_product && !options.stop.stop_requested())
    found = promised_process(model.spec, training, runs, prior, how, *promised, std::move(found));
  if (prior == TrendPrior::held)  // of what is fitted again the likelihood decides
    found.hyper.group_deviations = hyper.group_deviations;
  const auto known =
      std::make_shared<const KnownProcess>(std::move(found.process), options.threads);
  model.constants = runs.trend.constants(found.constants, found.level + known->centre);
  model.form = std::make_shared<ProcessForm>(
      runs.trend.form, runs.columns, known,
      ProcessPrior{from_nothing, found.hyper.group_deviations, found.hyper.level_deviation,
                   found.hyper.heavy_tails});

  model.search.method = options.method;
  model.search.seed = options.seed;
  model.search.loss = Loss::rmsle;
  model.search.strategy = "marginal likelihood";
  model.search.starts = 3;
  model.search.population = 0;
  model.search.generations = 0;
  model.search.evaluations = found.hyper.evaluations;
  model.search.termination = options.stop.stop_requested() ? "interrupted" : "converged";
  model.search.polish_gain = 0;
  model.search.gap = 0;
  model.search.cost = found.hyper.cost;
  model.search.ridges.clear();
  model.search.process = facts_of_search(how, found, shape, is_predictive);
  model.typical = central_configuration(model.spec, training);
  const Eigen::VectorXd predicted = predict(model, training);
  model.metrics.train = compute_metrics(training.time, predicted);
  model.search.process->outliers = count_outliers(found.run_weights, training.time, predicted);
  model.noise_floor = noise_floor(training);
  model.identifiability =
      identify_beside_process(model, *runs.trend.form, training, found.whitening);
  model.warnings = find_process_warnings(model, training);
  return model;
}

}  // namespace

FittedModel product_with_process(const ModelSpec& spec, const Design& training,
                                 const FitOptions& options, const ProcessShape& shape) {
  const ProcessRuns runs = runs_beside_product(spec, training, shape);
  FittedModel model;
  model.spec = runs.spec;
  model.search.form = FormChoice{.given = true};
  return fitted_process(std::move(model), training, options, runs, shape, true);
}

FittedModel with_process(FittedModel trend, const Design& training, const FitOptions& options,
                         const ProcessShape& shape, std::optional<double> promised) {
  const ProcessRuns runs = runs_beside(trend.form, trend.spec, trend.constants, training, shape);
  return fitted_process(std::move(trend), training, options, runs, shape, false, promised);
}

bool needs_process(const FittedModel& model, const Design& training, const FitOptions& options,
                   const ProcessShape& shape, double promised) {
  const Eigen::VectorXd alone = (training.time.array() / predict(model, training).array()).log();
  if (!(mean_either_way(alone) > promised))
    return false;
  const process::ProcessOptions how = process_options(options, training);
  const ProcessRuns runs = runs_beside(model.form, model.spec, model.constants, training, shape);
  if (index(training.rows) > how.exact_rows || !has_times(runs))
    return false;
  process::HyperParameters hyper = found_beside_product(model.spec, training, {}, how);
  hyper.group_deviations.resize(runs.trend.trend.group_count);
  const process::ProcessFit beside =
      fit_process(runs, with_kernel_of(hyper, hyper, runs), TrendPrior::held, how);
  return clearly_smaller(left_out_errors(beside), alone(beside.whitening.rows));
}

FittedModel fit_with_process(const ModelSpec& spec, const Design& training,
                             const FitOptions& options) {
  refuse_what_has_no_place(options);
  return is_one_product(options)
             ? product_with_process(spec, training, options, {})
             : with_process(ordinary_fit(spec, training, options), training, options, {});
}

}  // namespace perfmodel
