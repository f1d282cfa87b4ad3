#include "optimise/evolution/dithered.hpp"

#include "optimise/evolution/mutation.hpp"

namespace perfmodel::optimise {

Dithered::Dithered(const DifferentialEvolutionOptions& options)
    : strategy_(options.strategy),
      low_(options.differential_weight_low),
      high_(options.differential_weight_high),
      differential_weight_(low_) {}

void Dithered::begin_generation(RandomStream& random) {
  differential_weight_ = random.uniform(low_, high_);
}

void Dithered::mutate(const Population& population, std::size_t target, RandomStream& random,
                      Column mutant) const {
  const auto member = [&population](std::size_t i) { return population.member(i); };
  if (strategy_ == Strategy::rand1bin) {
    const auto [base, plus, minus] = draw_donors<3>(population.size(), target, random);
    mutate_from(member(base), member(plus), member(minus), differential_weight_, mutant);
    return;
  }
  const auto [plus, minus] = draw_donors<2>(population.size(), target, random);
  if (strategy_ == Strategy::best1bin) {
    mutate_from(member(0), member(plus), member(minus), differential_weight_, mutant);
  } else {
    mutate_towards(member(target), member(0), member(plus), member(minus), differential_weight_,
                   mutant);
  }
}

}  // namespace perfmodel::optimise
