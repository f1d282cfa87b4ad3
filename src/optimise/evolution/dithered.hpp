#pragma once

#include "optimise/evolution/scheme.hpp"

namespace perfmodel::optimise {

/// scipy's best1bin, rand1bin and currenttobest1bin: one F per generation, uniform on [low, high),
/// and a fixed CR.
class Dithered : public Scheme {
 public:
  explicit Dithered(const DifferentialEvolutionOptions& options);

  void begin_generation(const Population& population, RandomStream& random) override;
  Controls choose_controls(const Population& population, std::size_t target,
                           RandomStream& random) override;
  void mutate(const Population& population, std::size_t target, double differential_weight,
              RandomStream& random, Column mutant) override;

 private:
  Strategy strategy_;
  double low_;
  double high_;
  Controls controls_;
};

}  // namespace perfmodel::optimise
