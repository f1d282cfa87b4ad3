#pragma once

#include <Eigen/Core>
#include <span>

#include "base/random.hpp"
#include "optimise/evolution/population.hpp"

namespace perfmodel::optimise {

/// Binomial crossover: each coordinate of the mutant stays with probability CR and is the target's
/// otherwise; one coordinate, drawn from the free ones, stays in any case.
void cross_over(const ConstColumn& target, double crossover_rate,
                std::span<const Eigen::Index> free, RandomStream& random, Column mutant);

/// Coordinates outside the box are drawn anew, each uniformly between its bounds.
void redraw_outside(const Bounds& bounds, RandomStream& random, Column trial);

}  // namespace perfmodel::optimise
