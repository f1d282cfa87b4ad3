#pragma once

#include "optimise/evolution/scheme.hpp"

namespace perfmodel::optimise {

/// jDE (Brest, Greiner, Boskovic, Mernik and Zumer 2006): rand/1/bin. A trial inherits F and CR
/// from its target, or draws them anew with probability 0.1 each; they live on where the trial
/// wins.
class SelfAdaptive : public Scheme {
 public:
  Controls choose_controls(const Population& population, std::size_t target,
                           RandomStream& random) override;
  void mutate(const Population& population, std::size_t target, double differential_weight,
              RandomStream& random, Column mutant) override;
};

}  // namespace perfmodel::optimise
