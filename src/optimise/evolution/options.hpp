#pragma once

#include <cstddef>

#include "optimise/evolution/differential_evolution.hpp"

namespace perfmodel::optimise {

/// These throw std::invalid_argument with the sentence the user reads.
void require_valid(const DifferentialEvolutionOptions& options);
void require_evaluations_for(std::size_t population_size,
                             const DifferentialEvolutionOptions& options);
void require_guesses_fit(const DifferentialEvolutionOptions& options, const Bounds& bounds,
                         std::size_t population_size);

}  // namespace perfmodel::optimise
