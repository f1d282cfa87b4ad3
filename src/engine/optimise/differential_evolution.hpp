#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <stop_token>
#include <vector>

#include "base/random.hpp"
#include "optimise/algebra.hpp"
#include "perfmodel/progress.hpp"

namespace perfmodel::optimise {

using Column = Eigen::Ref<VectorXd>;
using ConstColumn = Eigen::Ref<const VectorXd>;

/// Members are columns in real coordinates. The mutation formulas are the same in any affine
/// coordinates, so nothing is gained by a unit cube, and the reported point is bit for bit the one
/// that was evaluated.
struct Population {
  MatrixXd members;
  std::vector<double> costs;

  std::size_t size() const { return costs.size(); }
  auto member(std::size_t i) const { return members.col(static_cast<Index>(i)); }

  void replace(std::size_t i, const ConstColumn& x, double cost);
  void swap(std::size_t i, std::size_t j);
  /// Swaps the member of lowest cost (the first of several) to index 0.
  void promote_best();
};

/// One point per column. Each free coordinate's interval is cut into `count` equal strata; each
/// stratum holds one point at a uniform position, in an order drawn for each coordinate.
/// After a stop request, the remaining coordinates are at their lower bounds.
MatrixXd latin_hypercube(const Bounds& bounds, std::size_t count, RandomStream& random,
                         const std::stop_token& stop = {});

/// Mean and standard deviation (over n) of the costs; +infinity if one of the costs is.
struct CostStatistics {
  double mean = 0;
  double spread = 0;
};
CostStatistics statistics(std::span<const double> costs);

/// Binomial crossover: each coordinate of the mutant stays with probability CR and is the target's
/// otherwise; one coordinate, drawn from the free ones, stays in any case.
void cross_over(const ConstColumn& target, double crossover_rate, std::span<const Index> free,
                RandomStream& random, Column mutant);

/// Draws coordinates outside the box anew, each uniformly between its bounds.
void redraw_outside(const Bounds& bounds, RandomStream& random, Column trial);

/// Draws a uniform index from {0, ..., size - 1} without those in `taken` (ascending, all below
/// `size`), by one random number.
std::size_t draw_other(std::size_t size, std::span<const std::size_t> taken, RandomStream& random);

/// Draws `Count` members that differ from each other and from the target. size > Count.
template <std::size_t Count>
std::array<std::size_t, Count> draw_donors(std::size_t size, std::size_t target,
                                           RandomStream& random);

/// best1, rand1:  v = base + F (plus - minus)
void mutate_from(const ConstColumn& base, const ConstColumn& plus, const ConstColumn& minus,
                 double differential_weight, Column mutant);

/// currenttobest1, current-to-pbest/1:  v = target + F (guide - target + plus - minus)
void mutate_towards(const ConstColumn& target, const ConstColumn& guide, const ConstColumn& plus,
                    const ConstColumn& minus, double differential_weight, Column mutant);

/// Costs of several candidates (columns of `candidates`, in real coordinates).
///
/// A candidate whose cost is known to exceed `abandon_above[i]` may be abandoned: any value above
/// that bound is then as good as the exact cost, since the candidate loses its comparison either
/// way.
using BatchObjective =
    std::function<void(const Eigen::Ref<const MatrixXd>& candidates,
                       std::span<const double> abandon_above, std::span<double> costs)>;

/// The settings of differential evolution, with scipy's names and meanings.
struct DifferentialEvolutionOptions {
  std::uint64_t seed = 1;
  Strategy strategy = Strategy::best1bin;
  Updating updating = Updating::deferred;
  /// Members per free coordinate; the population has max(5, this * number of free coordinates).
  std::size_t population = 15;
  std::size_t generations = 1000;
  /// Limit that is never exceeded; at least the size of the initial population.
  std::size_t evaluations = std::numeric_limits<std::size_t>::max();
  /// Converged when spread <= absolute_tolerance + tolerance * |mean cost|.
  double tolerance = 0.01;
  double absolute_tolerance = 0;
  /// Checked before each generation, and before each trial with `immediate` updating.
  std::stop_token stop;
  /// Called after each complete generation.
  std::function<void(const Progress&)> observer;
};

struct DifferentialEvolutionResult {
  VectorXd best;
  double cost = 0;
  std::size_t generations = 0;
  std::size_t evaluations = 0;
  double spread = 0;
  Termination termination = Termination::generation_limit;
  /// The last population in real coordinates (members are columns) and its costs; member 0 is the
  /// best.
  MatrixXd population;
  std::vector<double> costs;
};

/// Storn and Price's differential evolution on a box, following scipy 1.10's semantics: Latin
/// hypercube start, one dither weight per generation, out-of-box coordinates drawn anew, a trial
/// replaces its target if its cost is not higher, the best member is at index 0.
///
/// The first 512 members are always evaluated, also after a stop was requested, so that there is a
/// best. Costs that are not finite count as +infinity. Not converging is a result, not an error.
/// Throws std::invalid_argument for bounds that are not finite or crossed, or options outside their
/// range.
DifferentialEvolutionResult minimise(const BatchObjective& objective, const Bounds& bounds,
                                     const DifferentialEvolutionOptions& options);

/// Adapter for objectives of one point.
BatchObjective batch_of(std::function<double(const VectorXd&)> cost);

/// Creates mutants as scipy's best1bin, rand1bin and currenttobest1bin do: one F per generation,
/// uniform on [0.5, 1).
class Dithered {
 public:
  explicit Dithered(Strategy strategy) : strategy_(strategy) {}

  void begin_generation(RandomStream& random);
  double differential_weight() const { return differential_weight_; }
  void mutate(const Population& population, std::size_t target, RandomStream& random,
              Column mutant) const;

 private:
  Strategy strategy_;
  double differential_weight_ = 0;
};

}  // namespace perfmodel::optimise
