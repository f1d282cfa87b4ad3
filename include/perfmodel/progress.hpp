#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace perfmodel::optimise {

/// How a mutant is made.
enum class Strategy {
  best1bin,           ///< as in scipy
  rand1bin,           ///< as in scipy
  currenttobest1bin,  ///< as in scipy
};

/// `immediate`: a winning trial takes its place at once and the next trial of the same generation
/// already sees it. `deferred`: a whole generation of trials is made, then evaluated as one batch.
enum class Updating { immediate, deferred };

enum class Termination {
  converged,  ///< the spread of the costs fell below the tolerance, or the box is a single point
  generation_limit,  ///< `generations` were done
  evaluation_limit,  ///< one more generation would exceed `evaluations`
  interrupted,       ///< a stop was requested; the best so far is returned
};

std::string_view to_text(Strategy strategy);
std::string_view to_text(Termination termination);

/// The state after one generation, for progress and for tests.
struct Progress {
  std::size_t generation = 0;
  std::size_t evaluations = 0;
  double best_cost = 0;
  double spread = 0;  ///< standard deviation (over n) of the population's costs
};

}  // namespace perfmodel::optimise

namespace perfmodel {

/// The instruction sets that the objective's kernel is compiled for, narrowest first. All give the
/// same bits.
enum class InstructionSet : std::uint8_t { baseline, avx2, avx512 };

std::string_view to_text(InstructionSet instructions);

/// Those that this processor has, narrowest first; never empty.
std::vector<InstructionSet> available_instruction_sets();

/// The widest that this processor has.
InstructionSet best_instruction_set();

}  // namespace perfmodel
