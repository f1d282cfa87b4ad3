#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "perfmodel/error.hpp"

namespace perfmodel::optimise {

/// How differential evolution makes a mutant.
enum class Strategy {
  best1bin,           ///< as in scipy
  rand1bin,           ///< as in scipy
  currenttobest1bin,  ///< as in scipy
};

/// `immediate`: a trial vector that wins replaces its parent at once, so that later trials of the
/// generation use it. `deferred`: a generation of trials is made, then evaluated as one batch.
enum class Updating { immediate, deferred };

enum class Termination {
  converged,  ///< the spread of the costs is below the tolerance, or the box is a single point
  generation_limit,  ///< `generations` were done
  evaluation_limit,  ///< one more generation would exceed `evaluations`
  interrupted,       ///< a stop was requested; the best so far is returned
};

constexpr auto texts_of(Strategy) {
  using enum Strategy;
  return std::to_array<EnumText<Strategy>>(
      {{best1bin, "best1bin"}, {rand1bin, "rand1bin"}, {currenttobest1bin, "currenttobest1bin"}});
}
constexpr auto texts_of(Termination) {
  using enum Termination;
  return std::to_array<EnumText<Termination>>({{converged, "converged"},
                                               {generation_limit, "generation_limit"},
                                               {evaluation_limit, "evaluation_limit"},
                                               {interrupted, "interrupted"}});
}

/// The state after a generation.
struct Progress {
  std::size_t generation = 0;
  std::size_t evaluations = 0;
  double best_cost = 0;
  double spread = 0;  ///< standard deviation (divisor n) of the population's costs
};

}  // namespace perfmodel::optimise

namespace perfmodel {

/// Instruction sets for which kernels are compiled, narrowest first. All give the same bits.
enum class InstructionSet : std::uint8_t { baseline, avx2, avx512 };

constexpr auto texts_of(InstructionSet) {
  using enum InstructionSet;
  return std::to_array<EnumText<InstructionSet>>(
      {{baseline, "baseline"}, {avx2, "avx2"}, {avx512, "avx512"}});
}

/// The instruction sets of this processor, narrowest first; never empty.
std::vector<InstructionSet> available_instruction_sets();

/// The widest instruction set of this processor.
InstructionSet best_instruction_set();

}  // namespace perfmodel
