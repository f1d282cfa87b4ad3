#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "optimise/algebra/bounds.hpp"
#include "perfmodel/optimise/evolution/progress.hpp"

namespace perfmodel::optimise {

/// Costs of several candidates (columns of `candidates`, in real coordinates).
///
/// A candidate whose cost is known to exceed `abandon_above[i]` may be given up: any value above
/// that bound is then as good as the exact cost, since the candidate loses its comparison either
/// way.
using BatchObjective =
    std::function<void(const Eigen::Ref<const Eigen::MatrixXd>& candidates,
                       std::span<const double> abandon_above, std::span<double> costs)>;

/// Differential evolution's own settings, with scipy's names and meanings.
struct DifferentialEvolutionOptions {
  std::uint64_t seed = 1;
  Strategy strategy = Strategy::best1bin;
  Updating updating = Updating::deferred;
  /// Members per free coordinate; the population has max(5, this * number of free coordinates).
  std::size_t population = 15;
  std::size_t generations = 1000;
  /// Never exceeded; at least the size of the initial population.
  std::size_t evaluations = std::numeric_limits<std::size_t>::max();
  /// Converged when spread <= absolute_tolerance + tolerance * |mean cost|.
  double tolerance = 0.01;
  double absolute_tolerance = 0;
  /// F is drawn anew for each generation from [low, high).
  double differential_weight_low = 0.5;
  double differential_weight_high = 1.0;
  double crossover_rate = 0.7;
  /// Points that replace the first members of the initial population, each moved to the nearest
  /// point of the box.
  std::vector<Eigen::VectorXd> initial_guesses;
  /// Looked at before each generation, and before each trial with `immediate` updating.
  std::stop_token stop;
  /// Called after each complete generation.
  std::function<void(const Progress&)> observer;
};

struct DifferentialEvolutionResult {
  Eigen::VectorXd best;
  double cost = 0;
  std::size_t generations = 0;
  std::size_t evaluations = 0;
  double spread = 0;
  Termination termination = Termination::generation_limit;
  /// The last population in real coordinates (members are columns) and its costs; member 0 is the
  /// best.
  Eigen::MatrixXd population;
  std::vector<double> costs;
};

/// Storn and Price's differential evolution on a box, following scipy 1.10's semantics: Latin
/// hypercube start, one dither weight per generation, out-of-box coordinates drawn anew, a trial
/// replaces its target where its cost is not higher, the best member stands at index 0.
///
/// The first 512 members are always evaluated, also after a stop was requested, so that there is a
/// best. Costs that are not finite count as +infinity. Not converging is a result, not an error.
/// Throws std::invalid_argument for bounds that are not finite or crossed, or options outside their
/// range.
DifferentialEvolutionResult minimise(const BatchObjective& objective, const Bounds& bounds,
                                     const DifferentialEvolutionOptions& options);

/// Adapter for objectives of one point.
BatchObjective batch_of(std::function<double(const Eigen::VectorXd&)> cost);

}  // namespace perfmodel::optimise
