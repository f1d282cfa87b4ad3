#include "optimise/lad/lad_parts.hpp"

#include <cstdint>

namespace perfmodel::optimise {

using Eigen::Index;
using Eigen::VectorXd;

VectorXd perturbed_response(const LadProblem& problem) {
  VectorXd out = problem.response;
  const double size = 1e-11 * (out.cwiseAbs().maxCoeff() + 1e-300);
  std::uint64_t state = 0x9E3779B97F4A7C15ULL;
  for (Index i = 0; i < out.size(); ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    out[i] += size * (static_cast<double>(state >> 11) * 0x1.0p-53 - 0.5);
  }
  return out;
}

double dual_bound_of(const LadProblem& problem, const VectorXd& lambda) {
  VectorXd reduced = -transposed_product(problem.matrix, problem.levels, lambda);
  if (problem.linear.size() > 0)
    reduced += problem.linear;
  const auto low = reduced.cwiseProduct(problem.bounds.lower);
  const auto high = reduced.cwiseProduct(problem.bounds.upper);
  return lambda.dot(problem.response) + low.cwiseMin(high).sum();
}

void set_point(const LadProblem& problem, const VectorXd& x, LadResult& out) {
  out.x = x.cwiseMax(problem.bounds.lower).cwiseMin(problem.bounds.upper);
  const VectorXd residual = problem.response - product(problem.matrix, problem.levels, out.x);
  out.cost = problem.weights.dot(residual.cwiseAbs());
  if (problem.linear.size() > 0)
    out.cost += problem.linear.dot(out.x);
}

}  // namespace perfmodel::optimise
