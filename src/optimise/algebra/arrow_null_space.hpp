#pragma once

#include <Eigen/Core>
#include <stop_token>
#include <vector>

#include "optimise/algebra/arrow_matrix.hpp"

namespace perfmodel {

/// An orthonormal basis of the directions in which a matrix that is never indefinite is flat, of
/// the constants that are not held. Its diagonal is 1 or, for constants that are held or left out,
/// 0.
///
/// Only what is left of the others when the levels are eliminated is decomposed. A flat direction
/// is one of the others that the levels follow, so its length is measured with them. Throws
/// Interrupted.
Eigen::MatrixXd null_space(const ArrowMatrix& matrix, const std::vector<bool>& held,
                           const std::stop_token& stop = {});

/// Solves M x = b in the range of M, of the constants that are not held.
class ArrowPseudoInverse {
 public:
  ArrowPseudoInverse() = default;
  ArrowPseudoInverse(const ArrowMatrix& matrix, const std::vector<bool>& held,
                     const std::stop_token& stop = {});

  Eigen::VectorXd operator*(const Eigen::VectorXd& b) const;
  std::size_t rank() const { return rank_; }

 private:
  optimise::LevelColumns layout_;
  Eigen::VectorXd level_inverse_;
  optimise::RowMajorMatrix eliminated_;  ///< the border, each level's row over its diagonal
  Eigen::MatrixXd core_inverse_;
  std::size_t rank_ = 0;
};

}  // namespace perfmodel
