#include "fit/fit_with_process.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "base/text.hpp"
#include "fit/fit_multi.hpp"
#include "fit/global_search.hpp"
#include "fit/sensitivity.hpp"
#include "forms/form.hpp"
#include "forms/process_form.hpp"
#include "gp/residual_process.hpp"
#include "perfmodel/error.hpp"

namespace perfmodel {
namespace {

using Eigen::VectorXd;

/// Of a trend's constants, in units of their scales: none that matters.
constexpr double kAsItIs = 1e-9;

bool has(const std::vector<std::size_t>& numerics, std::size_t numeric) {
  return std::find(numerics.begin(), numerics.end(), numeric) != numerics.end();
}

/// All but the trend.
ProcessRuns plain_runs(const ModelSpec& spec, const Design& runs, const ProcessShape& shape) {
  ProcessRuns out;
  out.spec = spec;
  out.columns = ProcessColumns::of(spec);
  out.inputs = out.columns.inputs(runs);
  out.log_time = runs.time.array().log();
  const std::size_t intrinsic = spec.intrinsic.size();
  for (std::size_t j = 0; j < out.columns.numbers(); ++j) {
    const std::size_t numeric = j < intrinsic ? spec.extrinsic.size() + j : j - intrinsic;
    out.forms.push_back(has(shape.rings, numeric) ? process::CoordinateForm::ring
                        : out.columns.number(spec, j).zero
                            ? process::CoordinateForm::log_one_plus
                            : process::usual_form(out.inputs.numbers.col(index(j))));
    out.most.push_back(has(shape.caps, numeric) || has(shape.process_caps, numeric)
                           ? out.columns.number(spec, j).high
                           : std::numeric_limits<double>::infinity());
  }
  return out;
}

void put_caps(const ProcessRuns& runs, std::vector<process::Coordinate>& coordinates) {
  for (std::size_t j = 0; j < coordinates.size(); ++j)
    coordinates[j].most = runs.most[j];
}

/// One product has the coordinates of its process.
ModelSpec counted_as(const std::vector<process::Coordinate>& coordinates,
                     const ProcessColumns& columns, ModelSpec spec) {
  for (std::size_t i = 0; i < columns.intrinsic.size(); ++i)
    if (auto& zero = spec.intrinsic[columns.intrinsic[i]].zero)
      *zero = {.unit = coordinates[i].unit};
  return spec;
}

VectorXd freed(const process::Trend& trend, const VectorXd& y, VectorXd deviations) {
  const double spread = (y.array() - y.mean()).square().mean();
  for (Eigen::Index g = 0; g < deviations.size(); ++g) {
    const auto own = std::count(trend.groups.begin(), trend.groups.end(), g);
    const double usual = std::sqrt(spread / std::max(1.0, static_cast<double>(own)));
    deviations[g] = std::max(deviations[g], usual);
  }
  return deviations;
}

VectorXd deviations_under(TrendPrior prior, const ProcessRuns& runs, const VectorXd& likely) {
  switch (prior) {
    case TrendPrior::free:
      return freed(runs.trend.trend, runs.log_time, likely);
    case TrendPrior::likely:
      return likely;
    case TrendPrior::held:
      return VectorXd::Constant(likely.size(), kAsItIs);
  }
  return likely;
}

}  // namespace

ProcessRuns runs_beside_product(const ModelSpec& spec, const Design& runs,
                                const ProcessShape& shape) {
  ProcessRuns out = plain_runs(spec, runs, shape);
  std::vector<process::Coordinate> coordinates =
      process::process_coordinates(out.inputs, out.forms);
  std::vector<Cap> caps;
  for (const std::size_t numeric : shape.caps)
    caps.push_back({numeric, numeric_input(spec, numeric).high});
  out.spec = counted_as(coordinates, out.columns, spec);
  out.trend = product_trend_of(out.spec, out.columns, out.inputs, std::move(coordinates), caps);
  return out;
}

ProcessRuns runs_beside(const std::shared_ptr<const Form>& form, const ModelSpec& spec,
                        const VectorXd& constants, const Design& runs, const ProcessShape& shape) {
  ProcessRuns out = plain_runs(spec, runs, shape);
  out.trend = trend_around(form, spec, constants, runs);
  return out;
}

bool has_times(const ProcessRuns& runs) {
  std::vector<Eigen::Index> all(static_cast<std::size_t>(runs.inputs.rows()));
  std::iota(all.begin(), all.end(), Eigen::Index{0});
  const process::Trend& trend = runs.trend.trend;
  const process::TrendValues at = trend.at(trend.start, all);
  return at.values.allFinite() && at.slopes.allFinite();
}

process::HyperParameters search_hyper_parameters(const ProcessRuns& runs,
                                                 process::ProcessOptions options) {
  options.forms = runs.forms;
  process::HyperParameters out =
      process::search_hyper_parameters(runs.inputs, runs.log_time, runs.trend.trend, options);
  put_caps(runs, out.coordinates);
  return out;
}

process::HyperParameters with_kernel_of(const process::HyperParameters& other,
                                        process::HyperParameters hyper, const ProcessRuns& runs) {
  hyper.coordinates = other.coordinates;
  put_caps(runs, hyper.coordinates);
  hyper.kernel = other.kernel;
  hyper.heavy_tails = other.heavy_tails;
  return hyper;
}

std::vector<process::ProcessFit> fit_processes(const ProcessRuns& runs,
                                               const process::HyperParameters& hyper,
                                               const std::vector<TrendPrior>& priors,
                                               const process::ProcessOptions& options) {
  std::vector<VectorXd> deviations;
  for (const TrendPrior prior : priors)
    deviations.push_back(deviations_under(prior, runs, hyper.group_deviations));
  return process::fit_processes(runs.inputs, runs.log_time, runs.trend.trend, hyper, deviations,
                                options);
}

process::ProcessFit fit_process(const ProcessRuns& runs, const process::HyperParameters& hyper,
                                TrendPrior prior, const process::ProcessOptions& options) {
  return std::move(fit_processes(runs, hyper, {prior}, options).front());
}

namespace {

using Eigen::ArrayXd;

/// Beyond it, one run would count for hundreds.
constexpr double kLargestLogError = 3;
constexpr double kStandardErrors = 2;

ArrayXd either_way(const VectorXd& errors) {
  const ArrayXd logs = errors.array().max(-kLargestLogError).min(kLargestLogError);
  return logs.abs().max((-logs).exp() - 1);
}

}  // namespace

double mean_either_way(const VectorXd& errors) {
  return errors.size() > 0 ? either_way(errors).mean() : 0;
}

bool clearly_smaller(const VectorXd& errors, const VectorXd& others) {
  if (errors.size() != others.size() || errors.size() < 2)
    return false;
  const ArrayXd gain = either_way(others) - either_way(errors);
  const auto count = static_cast<double>(gain.size());
  const double variance = (gain - gain.mean()).square().sum() / (count - 1);
  return gain.mean() > kStandardErrors * std::sqrt(variance / count);
}

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
