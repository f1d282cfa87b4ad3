#include "optimise/evolution/dithered.hpp"

#include "optimise/evolution/mutation.hpp"

namespace perfmodel::optimise {

Dithered::Dithered(const DifferentialEvolutionOptions& options)
    : strategy_(options.strategy),
      low_(options.differential_weight_low),
      high_(options.differential_weight_high),
      controls_{low_, options.crossover_rate} {}

void Dithered::begin_generation(const Population& /*population*/, RandomStream& random) {
  controls_.differential_weight = random.uniform(low_, high_);
}

Controls Dithered::choose_controls(const Population& /*population*/, std::size_t /*target*/,
                                   RandomStream& /*random*/) {
  return controls_;
}

void Dithered::mutate(const Population& population, std::size_t target, double differential_weight,
                      RandomStream& random, Column mutant) {
  const auto member = [&population](std::size_t i) { return population.member(i); };
  if (strategy_ == Strategy::rand1bin) {
    const auto [base, plus, minus] = draw_donors<3>(population.size(), target, random);
    mutate_from(member(base), member(plus), member(minus), differential_weight, mutant);
    return;
  }
  const auto [plus, minus] = draw_donors<2>(population.size(), target, random);
  if (strategy_ == Strategy::best1bin) {
    mutate_from(member(0), member(plus), member(minus), differential_weight, mutant);
  } else {
    mutate_towards(member(target), member(0), member(plus), member(minus), differential_weight,
                   mutant);
  }
}

}  // namespace perfmodel::optimise
