#include "perfmodel/optimise/least_absolute_deviations.hpp"

#include <stdexcept>

#include "optimise/edge_descent.hpp"
#include "optimise/sifting.hpp"

namespace perfmodel::optimise {
namespace {

LadResult descend_along_edges(const LadProblem& problem, const Eigen::VectorXd& start,
                              const LadOptions& options) {
  EdgeDescent descent(problem, start, options.active_rows);
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

}  // namespace

LadResult solve_lad(const LadProblem& problem, const Eigen::VectorXd& start,
                    const LadOptions& options) {
  if (!problem.bounds.contains(start))
    throw std::invalid_argument("the start is outside the box");
  const bool many_rows = problem.matrix.rows() > static_cast<Eigen::Index>(options.sift_above);
  return many_rows ? sift(problem, start, options, descend_along_edges)
                   : descend_along_edges(problem, start, options);
}

}  // namespace perfmodel::optimise
