#include "optimise/lad/lad_basis.hpp"

#include <Eigen/LU>

namespace perfmodel::optimise {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

LadBasis::LadBasis(const LadProblem& problem, const VectorXd& start)
    : problem_(&problem),
      holds_row_(static_cast<std::size_t>(problem.matrix.rows()), 0),
      edges_(MatrixXd::Identity(start.size(), start.size())) {
  for (Index j = 0; j < start.size(); ++j) {
    constraints_.push_back({Hold::parked, j});
    if (start[j] <= problem.bounds.lower[j])
      constraints_.back().hold = Hold::lower;
    if (start[j] >= problem.bounds.upper[j])
      constraints_.back().hold = Hold::upper;
  }
}

void LadBasis::exchange(Index k, ActiveConstraint entering) {
  const Eigen::RowVectorXd along = gradient_of(entering).transpose() * edges_;
  const VectorXd pivot = edges_.col(k) / along[k];
  for (Index j = 0; j < edges_.cols(); ++j)
    if (j != k)
      edges_.col(j) -= along[j] * pivot;
  edges_.col(k) = pivot;

  ActiveConstraint& place = constraints_[static_cast<std::size_t>(k)];
  if (place.hold == Hold::row)
    holds_row_[static_cast<std::size_t>(place.index)] = 0;
  if (entering.hold == Hold::row)
    holds_row_[static_cast<std::size_t>(entering.index)] = 1;
  place = entering;
}

VectorXd LadBasis::factorise(const VectorXd& response, const VectorXd& x) {
  MatrixXd gradients(edges_.rows(), edges_.cols());
  VectorXd level(edges_.rows());
  for (Index k = 0; k < edges_.cols(); ++k) {
    const ActiveConstraint& held = (*this)[k];
    gradients.row(k) = gradient_of(held).transpose();
    level[k] = held.hold == Hold::row ? response[held.index] : x[held.index];
  }
  const Eigen::PartialPivLU<MatrixXd> factors(gradients);
  edges_ = factors.inverse();
  return factors.solve(level);
}

VectorXd LadBasis::gradient_of(const ActiveConstraint& constraint) const {
  if (constraint.hold == Hold::row)
    return problem_->matrix.row(constraint.index).transpose();
  return VectorXd::Unit(edges_.rows(), constraint.index);
}

}  // namespace perfmodel::optimise
