#include "optimise/evolution/self_adaptive.hpp"

#include "optimise/evolution/mutation.hpp"

namespace perfmodel::optimise {

namespace {

constexpr double kRenewalProbability = 0.1;  // tau_1 = tau_2
constexpr double kLowestWeight = 0.1;        // F_l
constexpr double kWeightRange = 0.9;         // F_u

}  // namespace

Controls SelfAdaptive::choose_controls(const Population& population, std::size_t target,
                                       RandomStream& random) {
  Controls controls = population.controls[target];
  if (random.uniform() < kRenewalProbability)
    controls.differential_weight = kLowestWeight + random.uniform() * kWeightRange;
  if (random.uniform() < kRenewalProbability)
    controls.crossover_rate = random.uniform();
  return controls;
}

void SelfAdaptive::mutate(const Population& population, std::size_t target,
                          double differential_weight, RandomStream& random, Column mutant) {
  const auto [base, plus, minus] = draw_donors<3>(population.size(), target, random);
  mutate_from(population.member(base), population.member(plus), population.member(minus),
              differential_weight, mutant);
}

}  // namespace perfmodel::optimise
