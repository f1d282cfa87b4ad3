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

/// Replaces each column x by triangle^-1 x.
template <class Triangle>
void solve_column_by_column(const Triangle& triangle, MatrixXd& x) {
  for (Index j = 0; j < x.cols(); ++j)
    triangle.solveInPlace(x.col(j));
}

}  // namespace

std::optional<PositiveMatrix> PositiveMatrix::factorised(MatrixXd matrix, std::size_t threads) {
  if (!factorise(matrix, {.threads = threads}) || !matrix.diagonal().allFinite())
    return std::nullopt;
  return PositiveMatrix(std::move(matrix), threads);
}

double PositiveMatrix::log_determinant() const {
  return 2 * lower_.diagonal().array().log().sum();
}

MatrixXd PositiveMatrix::whitened(MatrixXd right) const {
  if (right.cols() < kColumnsInBlocks)
    solve_column_by_column(lower_.triangularView<Eigen::Lower>(), right);
  else
    solve_forward(lower_, right, {.threads = threads_});
  return right;
}

MatrixXd PositiveMatrix::solve(MatrixXd right) const {
  right = whitened(std::move(right));
  const auto upper = lower_.triangularView<Eigen::Lower>().adjoint();
  if (right.cols() < kColumnsInBlocks)
    solve_column_by_column(upper, right);
  else
    upper.solveInPlace(right);
  return right;
}

VectorXd PositiveMatrix::inverse_last() const {
  const Index last = size() - 1;
  VectorXd out = VectorXd::Unit(size(), last) / lower_(last, last);
  lower_.triangularView<Eigen::Lower>().adjoint().solveInPlace(out);
  return out;
}

MatrixXd PositiveMatrix::inverse_lower() const {
  const DenseWork work{.threads = threads_};
  return squared_lower(inverse_of_lower(lower_, work), work);
}

VectorXd PositiveMatrix::inverse_diagonal() const {
  return inverse_of_lower(lower_, {.threads = threads_}).colwise().squaredNorm();
}

}  // namespace perfmodel::process
