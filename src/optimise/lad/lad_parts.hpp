#pragma once

#include <Eigen/Core>

#include "optimise/lad/least_absolute_deviations.hpp"

namespace perfmodel::optimise {

/// Responses with tiny different shifts. Equal rows make vertices where many residuals are zero at
/// once, and a descent may then cycle; the shifts part them. Multipliers do not depend on the
/// responses, so the final basis is the right one for the given problem too.
Eigen::VectorXd perturbed_response(const LadProblem& problem);

/// For any |lambda_i| <= w_i:  cost(x) >= lambda'r + min over the box of (c - A'lambda)'x.
double dual_bound_of(const LadProblem& problem, const Eigen::VectorXd& lambda);

/// The cost and the point of a result, of the given problem at `x` moved into its box.
void set_point(const LadProblem& problem, const Eigen::VectorXd& x, LadResult& out);

/// A row that moves a coordinate less than this, beside the others, cannot hold it in place.
inline constexpr double kWorthlessPivot = 1e-8;

/// Pivots after which a basis is factorised anew, so that rounding does not pile up.
inline constexpr std::size_t kRefactorEvery = 64;

}  // namespace perfmodel::optimise
