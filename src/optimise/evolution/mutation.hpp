#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "base/random.hpp"
#include "optimise/evolution/population.hpp"

namespace perfmodel::optimise {

/// Uniform on {0, ..., size - 1} without the indices in `taken` (ascending, all below `size`): one
/// draw.
std::size_t draw_other(std::size_t size, std::span<const std::size_t> taken, RandomStream& random);

/// `Count` members that differ from each other and from the target. size > Count.
template <std::size_t Count>
std::array<std::size_t, Count> draw_donors(std::size_t size, std::size_t target,
                                           RandomStream& random);

/// best1, rand1:  v = base + F (plus - minus)
void mutate_from(const ConstColumn& base, const ConstColumn& plus, const ConstColumn& minus,
                 double differential_weight, Column mutant);

/// currenttobest1, current-to-pbest/1:  v = target + F (guide - target + plus - minus)
void mutate_towards(const ConstColumn& target, const ConstColumn& guide, const ConstColumn& plus,
                    const ConstColumn& minus, double differential_weight, Column mutant);

}  // namespace perfmodel::optimise
