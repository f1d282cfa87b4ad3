#include "fit/eq4/fit_generic.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "fit/determined/warnings.hpp"
#include "fit/eq4/determined/identify.hpp"
#include "fit/eq4/search/explore.hpp"
#include "fit/task/loss_value.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// From one sample of the rows to the next, on the way from the exploration to all rows.
constexpr std::size_t kSampleGrowth = 32;

/// Constants whose identification takes no noticeable time.
constexpr std::size_t kConstantsAtOnce = 200;

/// The power of a term whose coefficient is 0 plays no part; 0 says so.
void clear_idle_powers(const GenericLayout& layout, std::size_t intrinsic, const SearchSpace& space,
                       VectorXd& scaled) {
  for (std::size_t i = 0; i < intrinsic; ++i) {
    const Index power = static_cast<Index>(layout.intrinsic_power(i));
    if (scaled[static_cast<Index>(layout.coefficient(i))] != 0)
      continue;
    scaled[power] = std::clamp(0.0, space.scaled().lower[power], space.scaled().upper[power]);
  }
}

}  // namespace

FittedModel fit_generic(const ModelSpec& spec, const Design& training, const FitOptions& options) {
  if (options.loss == Loss::soft_l1)
    throw UsageError("the loss soft-l1 is for sums of product terms");
  const WeightedRows all = WeightedRows::merged(training, options.loss);
  const SearchSpace space(spec, all, options);
  const Regulariser penalty(space, all, options);
  const std::size_t exploration_rows =
      options.exploration_rows.value_or(search_defaults(options.method).exploration_rows);
  const std::optional<LevelGroups> groups =
      polishes(options) ? LevelGroups::make(spec, all) : std::nullopt;
  Explored explored = groups ? explore(*groups, all, options, exploration_rows)
                             : explore(all, space, penalty, options, exploration_rows);
  Start& best = explored.best;
  best.finish.scaled = explored.of_finish;
  std::size_t evaluations = explored.evaluations;
  // The best start is finished exactly, on all rows. Far more rows than the sample: a sample
  // between brings the finish near before it looks at all.
  for (std::size_t rows = kSampleGrowth * exploration_rows; polishes(options);
       rows *= kSampleGrowth) {
    const std::optional<WeightedRows> larger = random_sample(all, rows, options.seed);
    best.finish = polish(larger ? *larger : all, space, penalty, options, best.finish.scaled,
                         larger ? kLooseGap : kExactGap);
    evaluations += best.finish.evaluations;
    if (!larger)
      break;
  }

  FittedModel model;
  clear_idle_powers(space.layout(), spec.intrinsic.size(), space, best.finish.scaled);
  model.spec = spec;
  const auto cost_at = [&](const VectorXd& scaled) {
    model.constants = space.raw_from_scaled(scaled);
    return loss_value(options.loss, training, predict(model, training)) + penalty(scaled);
  };
  const double cost_of_search = cost_at(explored.of_search);
  const double cost = cost_at(best.finish.scaled);
  // Data without noise can be met exactly: then nothing was left to gain.
  const bool gains = polishes(options) && cost < cost_of_search;
  model.search = {.method = options.method,
                  .loss = options.loss,
                  .penalty = options.penalty,
                  .seed = options.seed,
                  .strategy = std::string(to_text(search_options(options).strategy)),
                  .starts = options.starts.value_or(search_defaults(options.method).starts),
                  .population = static_cast<std::size_t>(best.search.population.cols()),
                  .generations = best.search.generations,
                  .evaluations = evaluations,
                  .termination = std::string(to_text(best.search.termination)),
                  .polish_gain = gains ? 1 - cost / cost_of_search : 0,
                  .gap = best.finish.relative_gap,
                  .cost = cost,
                  .form = {},
                  .ridges = {},
                  .process = {}};
  model.metrics.train = compute_metrics(training.time, predict(model, training), training.runs);
  model.noise_floor = noise_floor(training);
  if (std::any_of(spec.extrinsic.begin(), spec.extrinsic.end(),
                  [&](const NumericInput& input) { return spec.is_derived_from(input.column); }))
    model.typical = central_configuration(spec, training);
  // Who stops a large fit does not wait for what can be said about its constants.
  Findings findings;
  if (!options.stop.stop_requested() || space.layout().size() <= kConstantsAtOnce) {
    findings = identify(model, training, space, options, best.finish.scaled);
    model.identifiability = findings.identifiability;
  }
  model.warnings = find_warnings(model, training, findings);
  return model;
}

}  // namespace perfmodel
