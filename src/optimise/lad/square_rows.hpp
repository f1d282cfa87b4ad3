#pragma once

#include <Eigen/Core>

#include "optimise/lad/least_absolute_deviations.hpp"

namespace perfmodel::optimise {

/// Rows that stand for the square of a linear function in a problem of absolute values.
inline constexpr Eigen::Index kSquareRows = 8;

/// Writes weight v^2, v = direction'x with |v| <= reach, into the rows from `row` on, as its
/// tangents at multiples of s = reach / 4: weight s sum_k |v - b_k|, b_k = +-(k + 1/2) s, less what
/// is added to `constant`.
void put_square(const Eigen::VectorXd& direction, double weight, double reach, Eigen::Index row,
                LadProblem& problem, double& constant);

}  // namespace perfmodel::optimise
