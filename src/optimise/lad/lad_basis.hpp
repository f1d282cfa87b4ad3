#pragma once

#include <Eigen/Core>
#include <vector>

#include "optimise/lad/least_absolute_deviations.hpp"

namespace perfmodel::optimise {

/// What holds one of the coordinates of a vertex in place.
enum class Hold {
  row,     ///< the residual of a row is zero
  lower,   ///< a coordinate is at its lower bound
  upper,   ///< a coordinate is at its upper bound
  parked,  ///< a coordinate stands where the search began; it leaves as soon as that pays
};

struct ActiveConstraint {
  Hold hold;
  Eigen::Index index;  ///< row, or coordinate
};

/// The constraints that determine a vertex, one per column of the problem, and its edges: the
/// inverse of the matrix of their gradients.
class LadBasis {
 public:
  /// Every coordinate is held by itself.
  LadBasis(const LadProblem& problem, const Eigen::VectorXd& start);

  const std::vector<ActiveConstraint>& constraints() const { return constraints_; }
  const ActiveConstraint& operator[](Eigen::Index k) const {
    return constraints_[static_cast<std::size_t>(k)];
  }

  /// Column k leaves constraint k and stays on all others.
  const Eigen::MatrixXd& edges() const { return edges_; }

  bool holds_row(Eigen::Index row) const { return holds_row_[static_cast<std::size_t>(row)] != 0; }

  /// Replaces constraint k: a rank-one update of the inverse.
  void exchange(Eigen::Index k, ActiveConstraint entering);

  /// Inverts anew, so that rounding does not pile up. Returns the vertex: where the rows that it
  /// holds have no residual and its coordinates are those of `x`.
  Eigen::VectorXd factorise(const Eigen::VectorXd& response, const Eigen::VectorXd& x);

 private:
  const LadProblem* problem_;
  std::vector<ActiveConstraint> constraints_;
  std::vector<char> holds_row_;
  Eigen::MatrixXd edges_;

  Eigen::VectorXd gradient_of(const ActiveConstraint& constraint) const;
};

}  // namespace perfmodel::optimise
