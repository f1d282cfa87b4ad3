#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>

#include "fit/eq4/finish/polish.hpp"
#include "fit/eq4/search/level_groups.hpp"
#include "fit/eq4/space/penalty.hpp"
#include "fit/eq4/space/search_space.hpp"
#include "fit/task/weighted_rows.hpp"
#include "optimise/evolution/differential_evolution.hpp"
#include "perfmodel/fit/task/fit_options.hpp"

namespace perfmodel {

/// What differential evolution is told: what was asked for, else the defaults of the method.
optimise::DifferentialEvolutionOptions search_options(const FitOptions& options);

/// Whether an exact finish follows; the paper's method has scipy's instead.
bool polishes(const FitOptions& options);

/// `wanted` random rows, where that is not all of them; larger samples of a seed hold the smaller
/// ones.
std::optional<WeightedRows> random_sample(const WeightedRows& training, std::size_t wanted,
                                          std::uint64_t seed);

/// One search and its finish.
struct Start {
  optimise::DifferentialEvolutionResult search;
  PolishResult finish;
};

/// The best of the starts, in constants of the whole model.
struct Explored {
  Start best;
  Eigen::VectorXd of_search;  ///< where its search ended
  Eigen::VectorXd of_finish;
  std::size_t evaluations = 0;
};

/// On a sample of the rows and on rounded columns, where an exact finish makes up for what that
/// does to the search.
Explored explore(const WeightedRows& rows, const SearchSpace& space, const Regulariser& penalty,
                 const FitOptions& options, std::size_t exploration_rows);

/// The same, on groups of levels.
Explored explore(const LevelGroups& groups, const WeightedRows& rows, const FitOptions& options,
                 std::size_t exploration_rows);

}  // namespace perfmodel
