#include "fit/process/positive_matrix.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <utility>

namespace perfmodel::process {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr Index kPanel = 48;

}  // namespace

std::optional<PositiveMatrix> PositiveMatrix::factorised(MatrixXd matrix) {
  const Eigen::LLT<Eigen::Ref<MatrixXd>> factors(matrix);
  if (factors.info() != Eigen::Success || !matrix.diagonal().allFinite())
    return std::nullopt;
  return PositiveMatrix(std::move(matrix));
}

double PositiveMatrix::log_determinant() const {
  return 2 * lower_.diagonal().array().log().sum();
}

MatrixXd PositiveMatrix::whitened(MatrixXd right) const {
  lower_.triangularView<Eigen::Lower>().solveInPlace(right);
  return right;
}

MatrixXd PositiveMatrix::solve(MatrixXd right) const {
  lower_.triangularView<Eigen::Lower>().solveInPlace(right);
  lower_.triangularView<Eigen::Lower>().adjoint().solveInPlace(right);
  return right;
}

MatrixXd PositiveMatrix::inverse_lower() const {
  const Index n = size();
  // L^-1 by panels of columns: above its panel each is zero.
  MatrixXd inverse = MatrixXd::Zero(n, n);
  for (Index k = 0; k < n; k += kPanel) {
    const Index width = std::min(kPanel, n - k);
    auto panel = inverse.block(k, k, n - k, width);
    panel.topRows(width).setIdentity();
    lower_.block(k, k, n - k, n - k).triangularView<Eigen::Lower>().solveInPlace(panel);
  }
  // A^-1 = L^-T L^-1, of which a panel's rows need the rows of L^-1 from there on alone.
  MatrixXd out(n, n);
  for (Index k = 0; k < n; k += kPanel) {
    const Index width = std::min(kPanel, n - k);
    out.block(k, 0, width, k + width).noalias() =
        inverse.block(k, k, n - k, width).transpose() * inverse.block(k, 0, n - k, k + width);
  }
  return out;
}

}  // namespace perfmodel::process
