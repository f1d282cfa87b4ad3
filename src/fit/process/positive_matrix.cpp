#include "fit/process/positive_matrix.hpp"

#include <utility>

#include "fit/process/matrix/triangular.hpp"

namespace perfmodel::process {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Fewer right sides are solved for one after the other.
constexpr Index kColumnsInBlocks = 4;

}  // namespace

std::optional<PositiveMatrix> PositiveMatrix::factorised(MatrixXd matrix) {
  if (!factorise(matrix) || !matrix.diagonal().allFinite())
    return std::nullopt;
  return PositiveMatrix(std::move(matrix));
}

double PositiveMatrix::log_determinant() const {
  return 2 * lower_.diagonal().array().log().sum();
}

MatrixXd PositiveMatrix::whitened(MatrixXd right) const {
  if (right.cols() < kColumnsInBlocks)
    lower_.triangularView<Eigen::Lower>().solveInPlace(right);
  else
    solve_forward(lower_, right);
  return right;
}

MatrixXd PositiveMatrix::solve(MatrixXd right) const {
  right = whitened(std::move(right));
  lower_.triangularView<Eigen::Lower>().adjoint().solveInPlace(right);
  return right;
}

MatrixXd PositiveMatrix::inverse_lower() const {
  return squared_lower(inverse_of_lower(lower_));
}

VectorXd PositiveMatrix::inverse_diagonal() const {
  return inverse_of_lower(lower_).colwise().squaredNorm();
}

}  // namespace perfmodel::process
