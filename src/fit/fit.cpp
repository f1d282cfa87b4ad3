#include "perfmodel/fit/fit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "fit/canonical_order.hpp"
#include "fit/identify.hpp"
#include "fit/level_groups.hpp"
#include "fit/loss_value.hpp"
#include "fit/multi/fit_multi.hpp"
#include "fit/objective.hpp"
#include "fit/penalty.hpp"
#include "fit/polish.hpp"
#include "fit/reentry.hpp"
#include "fit/rounded_columns.hpp"
#include "fit/search_space.hpp"
#include "fit/warnings.hpp"
#include "fit/weighted_rows.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/base/parallel.hpp"
#include "perfmodel/base/random.hpp"
#include "perfmodel/fit/number_range.hpp"
#include "perfmodel/optimise/quasi_newton.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// From one sample of the rows to the next, on the way from the exploration to all rows.
constexpr std::size_t kSampleGrowth = 32;

/// Constants whose identification takes no noticeable time.
constexpr std::size_t kConstantsAtOnce = 200;

/// After so many the population of a search in very many dimensions creeps.
constexpr std::size_t kGenerationsForManyPowers = 30;
constexpr std::size_t kMembersForManyPowers = 400;

optimise::DifferentialEvolutionOptions search_options(const FitOptions& options) {
  const SearchDefaults defaults = search_defaults(options.method);
  const auto weight = options.differential_weight.value_or(defaults.differential_weight);
  optimise::DifferentialEvolutionOptions out;
  out.strategy = options.strategy.value_or(defaults.strategy);
  out.updating = defaults.updating;
  out.population = options.population.value_or(defaults.population);
  out.generations = options.generations.value_or(defaults.generations);
  out.tolerance = options.tolerance.value_or(defaults.tolerance);
  out.differential_weight_low = weight.first;
  out.differential_weight_high = weight.second;
  out.crossover_rate = options.crossover_rate.value_or(defaults.crossover_rate);
  out.stop = options.stop;
  out.observer = options.observer;
  return out;
}

/// Whether an exact finish follows; the paper's method has scipy's instead.
bool polishes(const FitOptions& options) {
  return options.polish && options.method == Method::scaled;
}

/// `wanted` random rows, where that is not all of them; larger samples of a seed hold the smaller
/// ones.
std::optional<WeightedRows> random_sample(const WeightedRows& training, std::size_t wanted,
                                          std::uint64_t seed) {
  if (wanted == 0 || wanted >= training.size())
    return std::nullopt;
  std::vector<std::size_t> rows(training.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  RandomStream random(seed, "exploration rows");
  for (std::size_t i = 0; i < wanted; ++i)
    std::swap(rows[i], rows[i + random.below(rows.size() - i)]);
  rows.resize(wanted);
  std::sort(rows.begin(), rows.end());
  return training.take(rows);
}

/// One search and its finish.
struct Start {
  optimise::DifferentialEvolutionResult search;
  PolishResult finish;
};

Start run_start(const Objective& objective, const WeightedRows& rows, const SearchSpace& space,
                const Regulariser& penalty, const FitOptions& options, std::size_t index) {
  optimise::DifferentialEvolutionOptions search = search_options(options);
  const bool reenters = polishes(options) && has_many_powers(space);
  if (reenters && !options.generations && !options.tolerance)
    search.generations = kGenerationsForManyPowers;
  if (reenters && !options.population)
    search.population = std::clamp<std::size_t>(kMembersForManyPowers / space.layout().size(), 1,
                                                search.population);
  if (index > 0)
    search.observer = nullptr;  // progress tells of one start
  search.seed = index == 0 ? options.seed : RandomStream(options.seed, "start", index).bits();
  Start out;
  out.search = optimise::minimise(std::cref(objective), space.coordinates(), search);
  // What the population left open is for the terms that leave and come back.
  if (reenters && !options.generations &&
      out.search.termination == optimise::Termination::generation_limit)
    out.search.termination = optimise::Termination::converged;
  const VectorXd scaled = space.scaled_from_coordinates(out.search.best);
  if (polishes(options)) {
    out.finish = polish(rows, space, penalty, options, scaled, reenters ? kRoughGap : kLooseGap);
  } else if (options.polish) {
    const optimise::QuasiNewtonResult end = optimise::descend(
        std::cref(objective), space.coordinates(), out.search.best, {.stop = options.stop});
    out.search.best = end.best;
    out.finish.scaled = space.scaled_from_coordinates(end.best);
    out.finish.cost = end.cost;
    out.finish.evaluations = end.evaluations;
  } else {
    out.finish.scaled = scaled;
    out.finish.cost = out.search.cost;
  }
  return out;
}

/// Loss of constants as the user will hold them.
double loss_of(const FittedModel& model, const Design& training, const FitOptions& options) {
  return loss_value(options.loss, training.time, predict(model, training));
}

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

/// The best of the starts, in constants of the whole model.
struct Explored {
  Start best;
  VectorXd of_search;  ///< where its search ended
  VectorXd of_finish;
  std::size_t evaluations = 0;
};

/// On a sample of the rows and on rounded columns, where an exact finish makes up for what that
/// does to the search.
Explored explore(const WeightedRows& rows, const SearchSpace& space, const Regulariser& penalty,
                 const FitOptions& options, std::size_t exploration_rows) {
  const std::optional<WeightedRows> sample = random_sample(rows, exploration_rows, options.seed);
  const WeightedRows& explored = sample ? *sample : rows;
  const bool rounds = polishes(options) && exploration_rows > 0;
  const WeightedRows searched = rounds ? explored.with(round_columns(explored.design())) : explored;
  const Objective objective(searched, space, penalty, options);

  std::vector<Start> starts(options.starts.value_or(search_defaults(options.method).starts));
  parallel_for(starts.size(), options.threads, [&](std::size_t k) {
    starts[k] = run_start(objective, explored, space, penalty, options, k);
  });
  const auto cheaper = [](const Start& a, const Start& b) { return a.finish.cost < b.finish.cost; };
  Explored out;
  out.best = *std::min_element(starts.begin(), starts.end(), cheaper);
  if (polishes(options) && has_many_powers(space)) {
    const std::size_t before = out.best.finish.evaluations;
    out.best.finish = reenter_terms(explored, space, penalty, options, out.best.finish);
    out.evaluations += out.best.finish.evaluations - before;
  }
  out.of_search = space.scaled_from_coordinates(out.best.search.best);
  out.of_finish = out.best.finish.scaled;
  for (const Start& start : starts)
    out.evaluations += start.search.evaluations + start.finish.evaluations;
  return out;
}

/// The same, on groups of levels.
Explored explore(const LevelGroups& groups, const WeightedRows& rows, const FitOptions& options,
                 std::size_t exploration_rows) {
  const WeightedRows grouped = groups.group(rows);
  const SearchSpace space(groups.spec(), grouped, options);
  const Regulariser penalty(space, grouped, options);
  Explored out = explore(grouped, space, penalty, options, exploration_rows);
  out.of_search = groups.of_levels(out.of_search);
  out.of_finish = groups.of_levels(out.of_finish);
  return out;
}

FittedModel fit_generic(const ModelSpec& spec, const Design& training, const FitOptions& options) {
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
    return loss_of(model, training, options) + penalty(scaled);
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
                  .ridges = {}};
  model.metrics.train = compute_metrics(training.time, predict(model, training));
  model.noise_floor = noise_floor(training);
  if (std::any_of(spec.extrinsic.begin(), spec.extrinsic.end(),
                  [&](const NumericInput& input) { return spec.is_derived_from(input.column); })) {
    model.typical = median_configuration(training);
  }
  // Who stops a large fit does not wait for what can be said about its constants.
  Findings findings;
  if (!options.stop.stop_requested() || space.layout().size() <= kConstantsAtOnce) {
    findings = identify(model, training, space, options, best.finish.scaled);
    model.identifiability = findings.identifiability;
  }
  model.warnings = find_warnings(model, training, findings);
  return model;
}

/// Times, columns and bounds far from 1 lead to constants and errors that no double holds.
void require_finite(const FittedModel& model) {
  const Metrics& metrics = model.metrics.train;
  if (!model.constants.allFinite() || !std::isfinite(metrics.mse) ||
      !std::isfinite(metrics.mape_percent) || !std::isfinite(model.search.cost) ||
      !std::isfinite(model.search.gap)) {
    throw InputError(std::string(numbers_out_of_range));
  }
}

}  // namespace

FittedModel fit(const ModelSpec& spec, const Design& training, const FitOptions& options) {
  if (options.expression == Expression::generic && options.loss == Loss::soft_l1)
    throw UsageError("the loss soft-l1 is for sums of product terms");
  require_fitted_range(training);
  const CanonicalOrder runs(spec, training);
  FittedModel model = runs.restored(options.expression == Expression::multi
                                        ? fit_multi(runs.spec(), runs.training(), options)
                                        : fit_generic(runs.spec(), runs.training(), options));
  require_finite(model);
  return model;
}

std::vector<double> time_shares(const FittedModel& model, const Design& design) {
  if (model.multi) {
    const Eigen::MatrixXd parts =
        multi_parts(model.spec, model.multi->structure, model.constants, design);
    const VectorXd sums = 100 * parts.colwise().sum().transpose() / parts.sum();
    return {sums.begin(), sums.end()};
  }
  // A part's share is what the prediction loses without it: Eq. (4) is linear in a and C.
  const GenericLayout layout(model.spec);
  const double total = predict(model, design).sum();
  const double intercept = model.constants[static_cast<Index>(layout.intercept())];
  const auto share_of = [&](std::size_t first, std::size_t count) {
    VectorXd alone = model.constants;
    alone.head(static_cast<Index>(layout.intrinsic_power(0))).setZero();
    alone[static_cast<Index>(layout.intercept())] = 0;
    for (std::size_t k = first; k < first + count; ++k) {
      alone[static_cast<Index>(k)] = model.constants[static_cast<Index>(k)];
    }
    return 100 * predict_generic(model.spec, alone, design).sum() / total;
  };
  std::vector<double> shares;
  for (std::size_t i = 0; i < model.spec.intrinsic.size(); ++i)
    shares.push_back(share_of(layout.coefficient(i), 1));
  for (std::size_t c = 0; c < model.spec.categorical.size(); ++c) {
    shares.push_back(share_of(layout.level(c, 0), model.spec.categorical[c].levels.size()));
  }
  shares.push_back(100 * intercept * static_cast<double>(design.rows) / total);
  return shares;
}

}  // namespace perfmodel
