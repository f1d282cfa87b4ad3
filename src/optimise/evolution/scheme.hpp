#pragma once

#include <cstddef>
#include <memory>

#include "base/random.hpp"
#include "optimise/evolution/differential_evolution.hpp"
#include "optimise/evolution/population.hpp"

namespace perfmodel::optimise {

/// What becomes of coordinates that leave the box; see crossover.hpp.
enum class Repair { redraw, halve };

/// How a strategy makes mutants, chooses F and CR, and learns from the trials that win.
class Scheme {
 public:
  virtual ~Scheme() = default;

  virtual void begin_generation(const Population& /*population*/, RandomStream& /*random*/) {}

  virtual Controls choose_controls(const Population& population, std::size_t target,
                                   RandomStream& random) = 0;

  virtual void mutate(const Population& population, std::size_t target, double differential_weight,
                      RandomStream& random, Column mutant) = 0;

  virtual Repair repair() const { return Repair::redraw; }

  /// The trial is about to replace its target, which is still in the population.
  virtual void learn(const Population& /*population*/, std::size_t /*target*/,
                     const Controls& /*made_with*/, double /*trial_cost*/,
                     RandomStream& /*random*/) {}

  virtual void end_generation() {}

  /// Size of the population after the share `used` (0 to 1) of the search's budget.
  virtual std::size_t population_size(std::size_t initial, double /*used*/) const {
    return initial;
  }
};

std::unique_ptr<Scheme> make_scheme(const DifferentialEvolutionOptions& options);

}  // namespace perfmodel::optimise
