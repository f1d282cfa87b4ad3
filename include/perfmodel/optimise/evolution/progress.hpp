#pragma once

#include <cstddef>
#include <string_view>

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
