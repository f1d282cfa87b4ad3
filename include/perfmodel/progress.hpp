#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

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

std::string_view to_text(Strategy strategy);
std::string_view to_text(Termination termination);

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

std::string_view to_text(InstructionSet instructions);

/// The instruction sets of this processor, narrowest first; never empty.
std::vector<InstructionSet> available_instruction_sets();

/// The widest instruction set of this processor.
InstructionSet best_instruction_set();

}  // namespace perfmodel
