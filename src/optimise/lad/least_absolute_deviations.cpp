#include "optimise/lad/least_absolute_deviations.hpp"

#include <stdexcept>

#include "optimise/lad/edge_descent.hpp"
#include "optimise/lad/level_descent.hpp"
#include "optimise/lad/sifting.hpp"

namespace perfmodel::optimise {
namespace {

/// Whole steps of a descent until it ends or is to end.
template <class Descent>
LadResult run(Descent descent, const LadOptions& options) {
  std::size_t iterations = 0;
  LadTermination termination = LadTermination::optimal;
  while (true) {
    if (options.stop.stop_requested()) {
      termination = LadTermination::interrupted;
      break;
    }
    if (iterations == options.iterations) {
      termination = LadTermination::iteration_limit;
      break;
    }
    if (!descent.step())
      break;
    ++iterations;
  }
  LadResult out = descent.result();
  out.iterations = iterations;
  out.termination = termination;
  return out;
}

LadResult descend(const LadProblem& problem, const Eigen::VectorXd& start,
                  const LadOptions& options) {
  return problem.levels.empty() ? run(EdgeDescent(problem, start, options), options)
                                : run(LevelDescent(problem, start, options), options);
}

}  // namespace

LadResult solve_lad(const LadProblem& problem, const Eigen::VectorXd& start,
                    const LadOptions& options) {
  if (!problem.bounds.contains(start))
    throw std::invalid_argument("the start is outside the box");
  const bool many_rows = problem.matrix.rows() > static_cast<Eigen::Index>(options.sift_above);
  return many_rows && leaves_rows_out(problem) ? sift(problem, start, options, descend)
                                               : descend(problem, start, options);
}

}  // namespace perfmodel::optimise
