#include "optimise/algebra/stoppable_eigen.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::Lower;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index kMostRotations = 30;  // per eigenvalue, as in Eigen

void check(const std::stop_token& stop) {
  if (stop.stop_requested())
    throw Interrupted();
}

/// Householder reflections, one per column, stay below the subdiagonal; their factors are returned.
VectorXd tridiagonalise(MatrixXd& matrix, const std::stop_token& stop) {
  const Index size = matrix.rows();
  VectorXd factors(size - 1);
  for (Index i = 0; i < size - 1; ++i) {
    check(stop);
    const Index rest = size - i - 1;
    double beta = 0;
    double factor = 0;
    matrix.col(i).tail(rest).makeHouseholderInPlace(factor, beta);
    matrix.col(i).coeffRef(i + 1) = 1;
    auto others = matrix.bottomRightCorner(rest, rest);
    auto reflected = factors.tail(rest);
    const auto along = matrix.col(i).tail(rest);
    reflected.noalias() = others.selfadjointView<Lower>() * (factor * along);
    reflected += (factor * -0.5 * reflected.dot(along)) * along;
    others.selfadjointView<Lower>().rankUpdate(along, reflected, -1.0);
    matrix.col(i).coeffRef(i + 1) = beta;
    factors[i] = factor;
  }
  return factors;
}

/// Entries beside the diagonal that are as good as 0 become 0.
void drop_negligible(const VectorXd& diagonal, Index start, Index end, VectorXd& beside) {
  for (Index i = start; i < end; ++i) {
    const double scaled = beside[i] / std::numeric_limits<double>::epsilon();
    if (std::abs(beside[i]) < std::numeric_limits<double>::min() ||
        scaled * scaled <= std::abs(diagonal[i]) + std::abs(diagonal[i + 1]))
      beside[i] = 0;
  }
}

/// Implicit QR steps until nothing is left beside the diagonal.
void diagonalise(VectorXd& diagonal, VectorXd& beside, MatrixXd& vectors,
                 const std::stop_token& stop) {
  const Index size = diagonal.size();
  Index start = 0;
  Index end = size - 1;
  for (Index step = 0; end > 0 && step <= kMostRotations * size; ++step) {
    check(stop);
    drop_negligible(diagonal, start, end, beside);
    while (end > 0 && beside[end - 1] == 0)
      --end;
    if (end <= 0)
      break;
    start = end - 1;
    while (start > 0 && beside[start - 1] != 0)
      --start;
    Eigen::internal::tridiagonal_qr_step<Eigen::ColMajor>(diagonal.data(), beside.data(), start,
                                                          end, vectors.data(), size);
  }
}

void sort_ascending(Eigensystem& system) {
  const Index size = system.values.size();
  for (Index i = 0; i < size - 1; ++i) {
    Index least = 0;
    system.values.segment(i, size - i).minCoeff(&least);
    if (least == 0)
      continue;
    std::swap(system.values[i], system.values[i + least]);
    system.vectors.col(i).swap(system.vectors.col(i + least));
  }
}

}  // namespace

Eigensystem decompose_symmetric(const MatrixXd& matrix, const std::stop_token& stop) {
  if (matrix.rows() == 1)
    return {matrix.col(0), MatrixXd::Ones(1, 1)};
  Eigensystem out;
  out.vectors = matrix.triangularView<Lower>();
  double scale = out.vectors.cwiseAbs().maxCoeff();
  if (scale == 0)
    scale = 1;
  out.vectors.triangularView<Lower>() /= scale;
  const VectorXd factors = tridiagonalise(out.vectors, stop);
  out.values = out.vectors.diagonal();
  VectorXd beside = out.vectors.diagonal<-1>();
  // In place: assigned to anything else, the reflections would be blocked and round differently.
  out.vectors = Eigen::HouseholderSequence<MatrixXd, VectorXd>(out.vectors, factors)
                    .setLength(matrix.rows() - 1)
                    .setShift(1);
  diagonalise(out.values, beside, out.vectors, stop);
  sort_ascending(out);
  out.values *= scale;
  return out;
}

Eigensystem decompose_generalised(const MatrixXd& matrix, const MatrixXd& metric) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> eigen(matrix, metric);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

}  // namespace perfmodel
