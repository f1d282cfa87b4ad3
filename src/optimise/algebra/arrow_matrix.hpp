#pragma once

#include <Eigen/Core>
#include <optional>
#include <stop_token>
#include <vector>

#include "optimise/algebra/level_columns.hpp"

namespace perfmodel {

/// A symmetric matrix over the constants in which the levels of one column do not meet each other:
/// their block is diagonal, as in J'J where no row has two of them.
struct ArrowMatrix {
  Eigen::Index first = 0;           ///< of the levels among the constants
  Eigen::VectorXd diagonal;         ///< level by level; empty where all constants are in the core
  optimise::RowMajorMatrix border;  ///< levels by others
  Eigen::MatrixXd core;             ///< others by others

  Eigen::Index levels() const { return diagonal.size(); }
  Eigen::Index size() const { return diagonal.size() + core.rows(); }
  /// For the parts of vectors over all constants.
  optimise::LevelColumns layout() const;

  Eigen::VectorXd operator*(const Eigen::VectorXd& x) const;
  /// Its diagonal over all constants.
  Eigen::VectorXd whole_diagonal() const;
  ArrowMatrix& add(double factor, const ArrowMatrix& other);
  void add_to_diagonal(const Eigen::VectorXd& change);
};

/// The zero matrix for the constants that are the columns of `like`.
ArrowMatrix zero_arrow(const optimise::LevelMatrix& like);

/// Without levels that stand apart.
ArrowMatrix dense_arrow(Eigen::MatrixXd matrix);

/// factor J' diag(weights) J; all weights are 1 where there are none.
ArrowMatrix gram(double factor, const optimise::LevelMatrix& jacobian,
                 const Eigen::VectorXd& weights);

/// Rows and columns of held constants are those of the unit matrix times `diagonal`.
ArrowMatrix without(ArrowMatrix matrix, const std::vector<bool>& held, double diagonal);

/// M x = b with the held constants at 0; nothing where M without them is not positive definite, or
/// where a stop was requested.
std::optional<Eigen::VectorXd> solve_free(const ArrowMatrix& matrix, const std::vector<bool>& held,
                                          const Eigen::VectorXd& b, const std::stop_token& stop);

}  // namespace perfmodel
