#include "fit/sum/fit_multi.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "fit/determined/warnings.hpp"
#include "fit/eq4/fit_generic.hpp"
#include "fit/sum/choose/zero_choice.hpp"
#include "fit/sum/determined/identify_sum.hpp"
#include "fit/sum/form/sum_form.hpp"
#include "fit/sum/search_sum.hpp"
#include "fit/sum/shared_sum.hpp"
#include "fit/sum/sum_cost.hpp"
#include "fit/sum/terms/regimes.hpp"
#include "fit/sum/terms/sum_size.hpp"
#include "fit/sum/tidy.hpp"
#include "fit/task/absolute_errors.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;

constexpr double kRidge = 1e-4;

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

/// Eq. (4) has no soft loss.
FittedModel fit_generic_instead(const ModelSpec& spec, const Design& training, FitOptions options) {
  options.expression = Expression::generic;
  if (options.loss == Loss::soft_l1)
    options.loss = Loss::mae;
  return fit_generic(spec, training, options);
}

/// The spec, where its sums can be fitted.
const ModelSpec& of_few_constants(const ModelSpec& spec, const FitOptions& options) {
  const std::size_t terms = options.terms.value_or(2);
  const std::size_t constants = count_sum_constants(spec, terms);
  if (constants <= kMostSumConstants)
    return spec;
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

FittedModel model_of(const ModelSpec& spec, const Design& training, const FitOptions& options,
                     const SumOfTerms& sum, const FormChoice& form) {
  FittedModel model;
  model.spec = spec;
  model.form = std::make_shared<SumForm>(sum.structure, sum.estimates);
  model.typical = central_configuration(spec, training);
  model.constants = sum.constants;
  if (!options.shared_form) {  // whose terms are those of other groups, too
    switch_off_negligible_factors(model, training, options.loss);
    order_by_share(model, training);
  }
  model.search = {.method = options.method,
                  .loss = options.loss,
                  .penalty = options.penalty,
                  .seed = options.seed,
                  .strategy = "descent",
                  .starts = sum_starts(options),
                  .population = 0,
                  .generations = 0,
                  .evaluations = sum.evaluations,
                  .termination = options.stop.stop_requested() ? "interrupted" : "converged",
                  .polish_gain = 0,
                  .gap = sum.gap,
                  .cost = sum_cost(model, training, options),
                  .form = form,
                  .ridges = {},
                  .process = {}};
  for (const SumEstimate& estimate : sum.estimates.sums)
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

}  // namespace

SumChoice::SumChoice(const ModelSpec& spec, const Design& training, const FitOptions& options)
    : spec_(with_zeros_counted(of_few_constants(spec, options), training, options.seed)),
      coordinates_(spec_, training, possible_regimes(spec_, training)),
      task_{coordinates_, spec_, training, options},
      selection_(select_shape(task_)) {}

void SumChoice::look_closer() {
  perfmodel::look_closer(task_, selection_);
  // A penalty counts the constants of all rows together.
  const bool penalised = task_.options.penalty.l1 > 0 || task_.options.penalty.l2 > 0;
  if (!penalised)
    parting_ = parting_that_pays(task_, selection_);
}

FormChoice SumChoice::facts() const {
  FormChoice out;
  out.candidates = selection_.tried.size();
  for (const Fold& fold : selection_.folds)
    ++(fold.far_end() ? out.far_folds : out.random_folds);
  return out;
}

FittedModel SumChoice::fitted() const {
  if (parting_)
    return model_of(task_.spec, task_.training, task_.options, search_parts(task_.spec, *parting_),
                    facts());
  return fitted(selection_.chosen);
}

FittedModel SumChoice::fitted(const Candidate& candidate) const {
  if (!candidate.generic)
    return model_of(task_.spec, task_.training, task_.options, search_sum(task_, candidate),
                    facts());
  FittedModel model = fit_generic_instead(task_.spec, task_.training, task_.options);
  model.search.form = facts();
  warn_of_few_configurations(model, task_.training, model.warnings);
  return model;
}

FittedModel SumChoice::fitted_to_largest(const Candidate& sum) const {
  const FitOptions options = with_absolute_errors(task_.options);
  const SelectionTask task{coordinates_, spec_, task_.training, options};
  return model_of(spec_, task_.training, options, search_sum(task, sum, SumThrows::none), facts());
}

FittedModel fit_shared_sum(const ModelSpec& spec, const Design& training,
                           const FitOptions& options) {
  const ModelSpec counted = with_zeros_counted(spec, training, options.seed);
  const TermCoordinates coordinates(counted, training, zero_regimes(counted));
  const SumOfTerms sum =
      search_shared_sum({coordinates, counted, training, options}, *options.shared_form);
  return model_of(counted, training, options, sum, {.given = true});
}

FittedModel fit_multi(const ModelSpec& spec, const Design& training, const FitOptions& options) {
  if (!options.terms) {
    SumChoice choice(spec, training, options);
    choice.look_closer();
    return choice.fitted();
  }
  const ModelSpec counted =
      with_zeros_counted(of_few_constants(spec, options), training, options.seed);
  const TermCoordinates coordinates(counted, training, zero_regimes(counted));
  const SumOfTerms sum = search_sum({coordinates, counted, training, options},
                                    given_terms(coordinates, counted, *options.terms));
  return model_of(counted, training, options, sum, {.given = true});
}

}  // namespace perfmodel
