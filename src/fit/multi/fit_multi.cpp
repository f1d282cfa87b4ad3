#include "fit/multi/fit_multi.hpp"

#include "fit/loss_value.hpp"
#include "fit/multi/identify_sum.hpp"
#include "fit/multi/join_levels.hpp"
#include "fit/multi/parting.hpp"
#include "fit/multi/refine.hpp"
#include "fit/multi/refining.hpp"
#include "fit/multi/regimes.hpp"
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

/// The training rows as a search sees them, and what was chosen for them.
struct Search {
  SelectionTask task;
  Candidate chosen;
  bool refined = true;
};

SumOfTerms search_sum(const Search& search) {
  const FitOptions& options = search.task.options;
  const TermCoordinates& coordinates = search.task.coordinates;
  const SumShape& shape = search.chosen.shape;
  const TermData data = coordinates.data(shape);
  TermSearchOptions how;
  how.seed = options.seed;
  how.starts = options.starts.value_or(kStarts);
  how.ridge = search.chosen.ridge;
  how.threads = options.threads;
  how.instructions = options.instructions;
  how.stop = options.stop;
  std::vector<SumFit> path;
  extend_path(data, shape, how, path);
  const SumFit fit = search.refined
                         ? refine(coordinates, data, shape, options, how.ridge, path.back())
                         : path.back();
  SumOfTerms out{coordinates.structure(shape),
                 coordinates.constants(shape, fit.theta),
                 fit.evaluations,
                 fit.gap,
                 {std::nullopt, {{how.ridge, search.refined, shape.intercept}}}};
  for (std::size_t k = 0; k + 1 < path.size(); ++k)
    out.evaluations += path[k].evaluations;
  double& intercept = out.constants[out.constants.size() - 1];
  if (shape.terms > 0 && intercept < kNoIntercept * coordinates.typical_time())
    intercept = 0;
  return out;
}

/// `selection` was made for the task.
SumOfTerms search_selected(const SelectionTask& task, const Selection& selection) {
  return search_sum({task, selection.chosen, refining_pays(task, selection)});
}

SumOfTerms search_parts(const ModelSpec& spec, const Parting& parting) {
  std::vector<SumOfTerms> sums;
  for (std::size_t level = 0; level < parting.levels.size(); ++level)
    sums.push_back(search_selected(parting.levels[level]->task(), parting.selections[level]));
  return joined_levels(spec, parting.column, sums);
}

/// Nothing where Eq. (4) was chosen.
std::optional<SumOfTerms> chosen_sum(const ModelSpec& spec, const Design& training,
                                     const FitOptions& options) {
  const TermCoordinates coordinates(spec, training, possible_regimes(spec, training));
  const SelectionTask task{coordinates, spec, training, options};
  const Selection selection = select_shape(task);
  if (const std::optional<Parting> parting = parting_that_pays(task, selection))
    return search_parts(spec, *parting);
  if (selection.chosen.generic)
    return std::nullopt;
  return search_selected(task, selection);
}

SumOfTerms given_sum(const ModelSpec& spec, const Design& training, const FitOptions& options) {
  const TermCoordinates coordinates(spec, training, {});
  return search_sum(
      {{coordinates, spec, training, options}, given_terms(coordinates, spec, *options.terms)});
}

}  // namespace

FittedModel fit_multi(const ModelSpec& spec, const Design& training, const FitOptions& options) {
  const std::optional<SumOfTerms> sum =
      options.terms ? given_sum(spec, training, options) : chosen_sum(spec, training, options);
  if (!sum) {
    FitOptions generic = options;
    generic.expression = Expression::generic;
    return fit(spec, training, generic);
  }
  FittedModel model;
  model.spec = spec;
  model.multi = MultiForm{sum->structure, median_configuration(training), sum->estimates};
  model.constants = sum->constants;
  switch_off_negligible_factors(model, training);
  order_by_share(model, training);
  model.search = {.method = options.method,
                  .loss = options.loss,
                  .penalty = options.penalty,
                  .seed = options.seed,
                  .strategy = "descent",
                  .starts = options.starts.value_or(kStarts),
                  .population = 0,
                  .generations = 0,
                  .evaluations = sum->evaluations,
                  .termination = options.stop.stop_requested() ? "interrupted" : "converged",
                  .polish_gain = 0,
                  .gap = sum->gap,
                  .cost = 0};
  const Eigen::VectorXd predicted = predict(model, training);
  model.search.cost = loss_value(options.loss, training.time, predicted);
  model.metrics.train = compute_metrics(training.time, predicted);
  model.noise_floor = noise_floor(training);
  const Findings findings = identify_sum(model, training, options);
  model.identifiability = findings.identifiability;
  model.warnings = find_multi_warnings(model, training, findings);
  return model;
}

}  // namespace perfmodel
