#pragma once

#include <cstddef>

#include "base/random.hpp"
#include "optimise/evolution/differential_evolution.hpp"
#include "optimise/evolution/population.hpp"

namespace perfmodel::optimise {

/// How scipy's best1bin, rand1bin and currenttobest1bin make mutants: one F per generation, uniform
/// on [low, high).
class Dithered {
 public:
  explicit Dithered(const DifferentialEvolutionOptions& options);

  void begin_generation(RandomStream& random);
  double differential_weight() const { return differential_weight_; }
  void mutate(const Population& population, std::size_t target, RandomStream& random,
              Column mutant) const;

 private:
  Strategy strategy_;
  double low_;
  double high_;
  double differential_weight_;
};

}  // namespace perfmodel::optimise
