#include "fit/multi/fit_multi.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "fit/loss_value.hpp"
#include "fit/multi/refine.hpp"
#include "fit/multi/refining.hpp"
#include "fit/multi/selection.hpp"
#include "fit/multi/term_search.hpp"
#include "fit/multi/tidy.hpp"
#include "fit/warnings.hpp"
#include "perfmodel/fit/fit.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;

constexpr double kRidge = 1e-4;
constexpr std::size_t kStarts = 8;
constexpr double kNoIntercept = 1e-9;  // of the typical time

/// Terms and C as asked for, without anything that only the data can suggest.
Candidate given_terms(const TermCoordinates& coordinates, const ModelSpec& spec,
                      std::size_t terms) {
  Candidate out;
  out.shape.terms = static_cast<Index>(terms);
  out.shape.plain_features = coordinates.plain_features();
  out.shape.intercept = true;
  out.shape.log_powers.assign(terms, std::vector<int>(spec.extrinsic.size(), 0));
  out.ridge = kRidge;
  return out;
}

/// "num_gpus > 1": of columns that count from 1 and take two further values or more. With one other
/// value the power of the column says the same.
std::vector<Regime> possible_regimes(const ModelSpec& spec, const Design& training) {
  std::vector<Regime> out;
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j) {
    std::set<double> values;
    for (std::size_t row = 0; row < training.rows; ++row)
      values.insert(training.extrinsic[j].value(row));
    const bool counts = std::all_of(values.begin(), values.end(),
                                    [](double value) { return value == std::floor(value); });
    if (counts && values.size() >= 3 && *values.begin() == 1)
      out.push_back({j, 1});
  }
  return out;
}

}  // namespace

FittedModel fit_multi(const ModelSpec& spec, const Design& training, const FitOptions& options) {
  const TermCoordinates coordinates(
      spec, training, options.terms ? std::vector<Regime>{} : possible_regimes(spec, training));
  Candidate chosen;
  bool refined = true;
  if (options.terms) {
    chosen = given_terms(coordinates, spec, *options.terms);
  } else {
    const Selection selection = select_shape(coordinates, spec, training, options);
    chosen = selection.chosen;
    if (chosen.generic) {
      FitOptions generic = options;
      generic.expression = Expression::generic;
      return fit(spec, training, generic);
    }
    refined = refining_pays({coordinates, spec, training, options}, selection);
  }
  const SumShape& shape = chosen.shape;
  const TermData data = coordinates.data(shape);
  TermSearchOptions search;
  search.seed = options.seed;
  search.starts = options.starts.value_or(kStarts);
  search.ridge = chosen.ridge;
  search.threads = options.threads;
  search.stop = options.stop;
  const std::vector<SumFit> path = search_terms(data, shape, search);
  const SumFit fit =
      refined ? refine(coordinates, data, shape, options, search.ridge, path.back()) : path.back();
  std::size_t evaluations = fit.evaluations;
  for (std::size_t k = 0; k + 1 < path.size(); ++k)
    evaluations += path[k].evaluations;

  FittedModel model;
  model.spec = spec;
  model.multi = MultiForm{coordinates.structure(shape), median_configuration(training)};
  model.constants = coordinates.constants(shape, fit.theta);
  double& intercept = model.constants[model.constants.size() - 1];
  if (shape.terms > 0 && intercept < kNoIntercept * coordinates.typical_time())
    intercept = 0;
  switch_off_negligible_factors(model, training);
  order_by_share(model, training);
  model.search = {.method = options.method,
                  .loss = options.loss,
                  .penalty = options.penalty,
                  .seed = options.seed,
                  .strategy = "descent",
                  .starts = search.starts,
                  .population = 0,
                  .generations = 0,
                  .evaluations = evaluations,
                  .termination = options.stop.stop_requested() ? "interrupted" : "converged",
                  .polish_gain = 0,
                  .gap = fit.gap,
                  .cost = 0};
  const Eigen::VectorXd predicted = predict(model, training);
  model.search.cost = loss_value(options.loss, training.time, predicted);
  model.metrics.train = compute_metrics(training.time, predicted);
  model.noise_floor = noise_floor(training);
  model.warnings = find_multi_warnings(model, training);
  return model;
}

}  // namespace perfmodel
