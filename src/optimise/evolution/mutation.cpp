#include "optimise/evolution/mutation.hpp"

namespace perfmodel::optimise {

std::size_t draw_other(std::size_t size, std::span<const std::size_t> taken, RandomStream& random) {
  std::size_t drawn = random.below(size - taken.size());
  for (const std::size_t index : taken)
    if (drawn >= index)
      ++drawn;
  return drawn;
}

template <std::size_t Count>
std::array<std::size_t, Count> draw_donors(std::size_t size, std::size_t target,
                                           RandomStream& random) {
  std::array<std::size_t, Count> donors{};
  std::array<std::size_t, Count + 1> taken{target};
  for (std::size_t k = 0; k < Count; ++k) {
    donors[k] = draw_other(size, std::span(taken).first(k + 1), random);
    std::size_t place = k + 1;
    for (; place > 0 && taken[place - 1] > donors[k]; --place)
      taken[place] = taken[place - 1];
    taken[place] = donors[k];
  }
  return donors;
}

template std::array<std::size_t, 2> draw_donors<2>(std::size_t, std::size_t, RandomStream&);
template std::array<std::size_t, 3> draw_donors<3>(std::size_t, std::size_t, RandomStream&);

void mutate_from(const ConstColumn& base, const ConstColumn& plus, const ConstColumn& minus,
                 double differential_weight, Column mutant) {
  mutant = base + differential_weight * (plus - minus);
}

void mutate_towards(const ConstColumn& target, const ConstColumn& guide, const ConstColumn& plus,
                    const ConstColumn& minus, double differential_weight, Column mutant) {
  mutant = target + differential_weight * (guide - target + plus - minus);
}

}  // namespace perfmodel::optimise
