#include "fit/sum/fit_multi.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "fit/determined/warnings.hpp"
#include "fit/eq4/fit_generic.hpp"
#include "fit/sum/choose/parting.hpp"
#include "fit/sum/choose/selection.hpp"
#include "fit/sum/choose/zero_choice.hpp"
#include "fit/sum/descent/term_search.hpp"
#include "fit/sum/determined/identify_sum.hpp"
#include "fit/sum/finish/goal_search.hpp"
#include "fit/sum/form/sum_form.hpp"
#include "fit/sum/sum_cost.hpp"
#include "fit/sum/terms/join_levels.hpp"
#include "fit/sum/terms/regimes.hpp"
#include "fit/sum/terms/sum_size.hpp"
#include "fit/sum/tidy.hpp"
#include "perfmodel/base/error.hpp"

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
  for (std::size_t g = 0; g < coordinates.regimes().size(); ++g)
    out.shape.regimes.push_back(static_cast<Index>(g));
  out.shape.intercept = true;
  out.shape.log_powers.assign(terms, std::vector<int>(numeric_count(spec), 0));
  out.shape.numeric_features = coordinates.numeric_features();
  out.ridge = kRidge;
  return out;
}

/// Scales of two values whose time grows: no run can tell a power from a ring, which grows less
/// beyond them.
std::vector<std::size_t> growing_pairs(const SelectionTask& task, const SumShape& shape,
                                       const Eigen::VectorXd& theta) {
  std::vector<std::size_t> out;
  for (const std::size_t numeric : shape.shared) {
    const bool ring =
        std::find(shape.rings.begin(), shape.rings.end(), numeric) != shape.rings.end();
    if (!ring && shape.terms > 0 && theta[shape.numeric_features[numeric]] > 0 &&
        is_count(numeric_factor(task.training, numeric), task.training.rows))
      out.push_back(numeric);
  }
  return out;
}

/// Where terms grow with a scale of two values each in its own way, none of them grows beyond it:
/// two values say nothing of how it would go on, and a small term can become any size.
MultiStructure with_capped_pairs(const SelectionTask& task, const SumShape& shape,
                                 const Eigen::VectorXd& theta) {
  MultiStructure out = task.coordinates.structure(shape);
  for (const std::size_t numeric : task.coordinates.two_valued()) {
    if (std::find(shape.shared.begin(), shape.shared.end(), numeric) != shape.shared.end())
      continue;
    for (Index k = 0; k < shape.terms; ++k) {
      if (theta[k * shape.features() + shape.numeric_features[numeric]] <= 0)
        continue;
      out.caps.resize(static_cast<std::size_t>(shape.terms));
      out.caps[static_cast<std::size_t>(k)].push_back({numeric, task.coordinates.high(numeric)});
    }
  }
  return out;
}

SumOfTerms search_sum(const SelectionTask& task, const Candidate& chosen) {
  const FitOptions& options = task.options;
  const TermCoordinates& coordinates = task.coordinates;
  const SumShape& shape = chosen.shape;
  const TermData data = coordinates.data(shape);
  TermSearchOptions how;
  how.seed = options.seed;
  how.starts = options.starts.value_or(kStarts);
  how.ridge = chosen.ridge;
  how.threads = options.threads;
  how.instructions = options.instructions;
  how.stop = options.stop;
  std::vector<SumFit> path;
  extend_path(data, shape, how, path);
  // A ridge that the folds have chosen belongs to the loss that they go with.
  const double ridge = options.loss == Loss::soft_l1 && !options.terms ? chosen.ridge : 0;
  const SumGoal goal(coordinates, shape, options, ridge);
  // The folds have judged the form by searches such as the one that led here: optima that only more
  // throws find are not what they have chosen.
  SumFit fit;
  fit.theta = path.back().theta;
  if (ridge == 0)
    fit = minimise_goal({data, shape, goal, options, how.starts}, fit.theta);
  fit = finish(data, shape, goal, fit,
               {.held = {}, .instructions = options.instructions, .stop = options.stop},
               kSettledSumGap);
  const std::vector<std::size_t> rings = growing_pairs(task, shape, fit.theta);
  if (!rings.empty()) {
    Candidate with_rings = chosen;
    with_rings.shape.rings.insert(with_rings.shape.rings.end(), rings.begin(), rings.end());
    return search_sum(task, with_rings);
  }
  SumOfTerms out{
      options.terms ? coordinates.structure(shape) : with_capped_pairs(task, shape, fit.theta),
      coordinates.constants(shape, fit.theta),
      fit.evaluations,
      fit.gap,
      {std::nullopt, {{ridge, shape.intercept, shape.shared}}}};
  for (const SumFit& robust : path)
    out.evaluations += robust.evaluations;
  return out;
}

SumOfTerms search_parts(const ModelSpec& spec, const Parting& parting) {
  std::vector<SumOfTerms> sums;
  for (std::size_t level = 0; level < parting.levels.size(); ++level)
    sums.push_back(search_sum(parting.levels[level]->task(), parting.selections[level].chosen));
  return joined_levels(spec, parting.column, sums);
}

/// How the form was come by, and the sum; none where Eq. (4) was chosen.
struct Found {
  FormChoice form;
  std::optional<SumOfTerms> sum;
};

FormChoice choice_of(const Selection& selection) {
  FormChoice out;
  out.candidates = selection.tried.size();
  for (const Fold& fold : selection.folds)
    ++(fold.far_end() ? out.far_folds : out.random_folds);
  return out;
}

Found chosen_sum(const ModelSpec& spec, const Design& training, const FitOptions& options) {
  const TermCoordinates coordinates(spec, training, possible_regimes(spec, training));
  const SelectionTask task{coordinates, spec, training, options};
  const Selection selection = select_shape(task);
  Found out{choice_of(selection), {}};
  // A penalty counts the constants of all rows together.
  const bool penalised = options.penalty.l1 > 0 || options.penalty.l2 > 0;
  const std::optional<Parting> parting =
      penalised ? std::nullopt : parting_that_pays(task, selection);
  if (parting)
    out.sum = search_parts(spec, *parting);
  else if (!selection.chosen.generic)
    out.sum = search_sum(task, selection.chosen);
  return out;
}

Found given_sum(const ModelSpec& spec, const Design& training, const FitOptions& options) {
  const TermCoordinates coordinates(spec, training, zero_regimes(spec));
  return {{.given = true},
          search_sum({coordinates, spec, training, options},
                     given_terms(coordinates, spec, *options.terms))};
}

/// Eq. (4) has no soft loss.
FittedModel fit_generic_instead(const ModelSpec& spec, const Design& training, FitOptions options) {
  options.expression = Expression::generic;
  if (options.loss == Loss::soft_l1)
    options.loss = Loss::mae;
  return fit_generic(spec, training, options);
}

void require_few_constants(const ModelSpec& spec, const FitOptions& options) {
  const std::size_t terms = options.terms.value_or(2);
  const std::size_t constants = count_sum_constants(spec, terms);
  if (constants <= kMostSumConstants)
    return;
  const auto most = std::max_element(spec.categorical.begin(), spec.categorical.end(),
                                     [](const CategoricalInput& a, const CategoricalInput& b) {
                                       return a.levels.size() < b.levels.size();
                                     });
  const std::string advice = most == spec.categorical.end()
                                 ? "leave columns out"
                                 : "leave out '" + most->column + "', which has " +
                                       std::to_string(most->levels.size()) + " levels";
  throw InputError("a sum of " + std::to_string(terms) + (terms == 1 ? " term" : " terms") +
                   " would have " + std::to_string(constants) + " constants here, and at most " +
                   std::to_string(kMostSumConstants) + " can be fitted together: use " +
                   Field{"expression", {"generic"}} + ", or " + advice);
}

}  // namespace

FittedModel fit_multi(const ModelSpec& given, const Design& training, const FitOptions& options) {
  require_few_constants(given, options);
  const ModelSpec spec = with_zeros_counted(given, training, options.seed);
  const Found found =
      options.terms ? given_sum(spec, training, options) : chosen_sum(spec, training, options);
  if (!found.sum) {
    FittedModel model = fit_generic_instead(spec, training, options);
    model.search.form = found.form;
    warn_of_few_configurations(model, training, model.warnings);
    return model;
  }
  FittedModel model;
  model.spec = spec;
  model.form = std::make_shared<SumForm>(found.sum->structure, found.sum->estimates);
  model.typical = median_configuration(training);
  model.constants = found.sum->constants;
  switch_off_negligible_factors(model, training, options.loss);
  order_by_share(model, training);
  model.search = {.method = options.method,
                  .loss = options.loss,
                  .penalty = options.penalty,
                  .seed = options.seed,
                  .strategy = "descent",
                  .starts = options.starts.value_or(kStarts),
                  .population = 0,
                  .generations = 0,
                  .evaluations = found.sum->evaluations,
                  .termination = options.stop.stop_requested() ? "interrupted" : "converged",
                  .polish_gain = 0,
                  .gap = found.sum->gap,
                  .cost = sum_cost(model, training, options),
                  .form = found.form,
                  .ridges = {},
                  .process = {}};
  for (const SumEstimate& estimate : found.sum->estimates.sums)
    if (estimate.ridge > 0)
      model.search.ridges.push_back(estimate.ridge);
  model.metrics.train = compute_metrics(training.time, predict(model, training));
  model.noise_floor = noise_floor(training);
  const std::optional<Findings> findings = identify_sum(model, training, options);
  if (findings)
    model.identifiability = findings->identifiability;
  model.warnings = find_multi_warnings(model, training, findings.value_or(Findings{}));
  return model;
}

}  // namespace perfmodel
