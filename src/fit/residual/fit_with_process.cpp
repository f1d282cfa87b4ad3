#include "fit/residual/fit_with_process.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "base/index.hpp"
#include "fit/determined/warnings.hpp"
#include "fit/eq4/fit_generic.hpp"
#include "fit/process/hyper_search.hpp"
#include "fit/residual/identify_process.hpp"
#include "fit/residual/process_form.hpp"
#include "fit/residual/trend_of_form.hpp"
#include "fit/sum/fit_multi.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

using Eigen::VectorXd;

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

process::ProcessOptions process_options(const FitOptions& options) {
  process::ProcessOptions out;
  out.seed = options.seed;
  out.threads = options.threads;
  out.stop = options.stop;
  return out;
}

/// A process can say all that a trend says, and then the likelihood leaves nothing to the trend.
/// Its constants are allowed to be as large as the runs are apart, so that it is a formula to read
/// and what remains far from all runs.
void free_trend(const process::Trend& trend, const VectorXd& y, process::HyperParameters& hyper) {
  const double spread = (y.array() - y.mean()).square().mean();
  for (Eigen::Index g = 0; g < hyper.group_deviations.size(); ++g) {
    const auto own = std::count(trend.groups.begin(), trend.groups.end(), g);
    const double usual = std::sqrt(spread / std::max(1.0, static_cast<double>(own)));
    hyper.group_deviations[g] = std::max(hyper.group_deviations[g], usual);
  }
}

ProcessSearch facts_of_search(const process::ProcessOptions& options) {
  ProcessSearch out;
  out.objective =
      "the posterior density of the hyper-parameters: marginal likelihood of ln(time) and priors";
  for (const process::PriorFacts& prior : process::prior_facts())
    out.priors.push_back({prior.of, prior.mean, prior.deviation});
  out.rows = static_cast<std::size_t>(options.hyper_rows);
  return out;
}

}  // namespace

FittedModel fit_with_process(const ModelSpec& spec, const Design& training,
                             const FitOptions& options) {
  refuse_what_has_no_place(options);
  const ProcessColumns columns = ProcessColumns::of(spec);
  const process::Inputs inputs = columns.inputs(training);
  const bool from_nothing = is_one_product(options);
  FittedModel model;
  TrendOfForm trend;
  if (from_nothing) {
    model.spec = spec;
    model.search.form = FormChoice{.given = true};
    trend = product_trend_of(spec, columns, inputs, process::process_coordinates(inputs, {}));
  } else {
    model = ordinary_fit(spec, training, options);
    trend = trend_around(model.form, spec, model.constants, training);
  }

  const process::ProcessOptions how = process_options(options);
  const VectorXd y = training.time.array().log();
  process::HyperParameters hyper = process::search_hyper_parameters(inputs, y, trend.trend, how);
  free_trend(trend.trend, y, hyper);
  process::ProcessFit found = process::fit_process(inputs, y, trend.trend, std::move(hyper), how);
  const auto known =
      std::make_shared<const KnownProcess>(std::move(found.process), options.threads);
  model.constants = trend.constants(found.constants, found.level + known->centre);
  model.form = std::make_shared<ProcessForm>(
      trend.form, columns, known,
      ProcessPrior{from_nothing, found.hyper.group_deviations, found.hyper.level_deviation});

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
  model.search.process = facts_of_search(how);
  model.typical = median_configuration(training);
  model.metrics.train = compute_metrics(training.time, predict(model, training));
  model.noise_floor = noise_floor(training);
  model.identifiability = identify_beside_process(model, *trend.form, training, found.whitening);
  model.warnings = find_process_warnings(model, training);
  return model;
}

}  // namespace perfmodel
