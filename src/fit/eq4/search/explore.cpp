#include "fit/eq4/search/explore.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "base/tasks/parallel.hpp"
#include "fit/eq4/search/objective.hpp"
#include "fit/eq4/search/reentry.hpp"
#include "fit/eq4/search/rounded_columns.hpp"
#include "optimise/newton/quasi_newton.hpp"

namespace perfmodel {
namespace {

using Eigen::VectorXd;

/// After so many the population of a search in very many dimensions creeps.
constexpr std::size_t kGenerationsForManyPowers = 30;
constexpr std::size_t kMembersForManyPowers = 400;

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
    const optimise::QuasiNewtonResult end = optimise::quasi_newton(
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

}  // namespace

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

bool polishes(const FitOptions& options) {
  return options.polish && options.method == Method::scaled;
}

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

Explored explore(const WeightedRows& rows, const SearchSpace& space, const Regulariser& penalty,
                 const FitOptions& options, std::size_t exploration_rows) {
  const std::optional<WeightedRows> sample = random_sample(rows, exploration_rows, options.seed);
  const WeightedRows& explored = sample ? *sample : rows;
  const bool rounds = polishes(options) && exploration_rows > 0;
  const WeightedRows searched = rounds ? explored.with(round_columns(explored.design())) : explored;
  const Objective objective(searched, space, penalty, options);

  std::vector<Start> starts(options.starts.value_or(search_defaults(options.method).starts));
  parallel_for(
      starts.size(), options.threads,
      [&](std::size_t k) {
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

}  // namespace perfmodel
