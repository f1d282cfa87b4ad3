#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace perfmodel::optimise {

/// The box that is searched: lower[i] <= x[i] <= upper[i]. Equal bounds fix a coordinate.
struct Bounds {
  Eigen::VectorXd lower;
  Eigen::VectorXd upper;

  Eigen::Index size() const { return lower.size(); }
  bool contains(const Eigen::VectorXd& x) const {
    return (x.array() >= lower.array()).all() && (x.array() <= upper.array()).all();
  }
};

/// Throws std::invalid_argument unless all bounds are finite, with a finite width, and not crossed.
void require_valid(const Bounds& bounds);

/// The coordinates whose bounds differ, ascending.
std::vector<Eigen::Index> free_coordinates(const Bounds& bounds);

}  // namespace perfmodel::optimise

namespace perfmodel {

/// Where a descent ended.
struct Optimum {
  Eigen::VectorXd at;
  double cost = 0;
  /// What one more step could gain, as a share of the cost.
  double relative_gap = 0;
  std::size_t steps = 0;
  std::size_t evaluations = 0;
};

/// The Cholesky factors of a symmetric matrix, of which the lower half counts: bit by bit those of
/// Eigen::LLT, but a stop is looked at between the panels of a large matrix.
class StoppableCholesky {
 public:
  StoppableCholesky(Eigen::MatrixXd matrix, const std::stop_token& stop);

  /// There are no factors: a stop was requested before they were complete.
  bool stopped() const { return stopped_; }
  /// Whether the matrix is positive definite; if not, what is solved has no meaning.
  bool is_positive() const { return positive_; }

  Eigen::VectorXd solve(Eigen::VectorXd right) const;

 private:
  Eigen::MatrixXd factors_;
  bool stopped_ = false;
  bool positive_ = true;

  void factorise(const std::stop_token& stop);
};

struct Eigensystem {
  Eigen::VectorXd values;  ///< ascending
  Eigen::MatrixXd vectors;
};

/// Of a symmetric matrix, of which the lower half counts: bit by bit what
/// Eigen::SelfAdjointEigenSolver finds, but a stop is looked at on the way. Throws Interrupted.
Eigensystem decompose_symmetric(const Eigen::MatrixXd& matrix, const std::stop_token& stop);

/// Of A v = lambda M v with a symmetric A and a positive definite M: v' M v = 1. Not stopped.
Eigensystem decompose_generalised(const Eigen::MatrixXd& matrix, const Eigen::MatrixXd& metric);

}  // namespace perfmodel

namespace perfmodel::optimise {

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

/// Neighbouring columns of a matrix of which each row has one entry at most: those of the levels of
/// one categorical column. Stored by row, thousands of them take no more room and time than one.
/// The other columns stand in a dense matrix beside them, in their order.
struct LevelColumns {
  static constexpr Eigen::Index none = -1;

  Eigen::Index first = 0;            ///< among all columns
  Eigen::Index count = 0;            ///< 0: all columns are dense
  std::vector<Eigen::Index> of_row;  ///< the level with an entry in this row, or none
  Eigen::VectorXd value;             ///< the entry

  bool empty() const { return count == 0; }

  /// A vector over all columns without the part of the levels, and the part itself.
  Eigen::VectorXd others(const Eigen::VectorXd& x) const;
  Eigen::VectorXd levels(const Eigen::VectorXd& x) const;
  Eigen::VectorXd joined(const Eigen::VectorXd& others, const Eigen::VectorXd& levels) const;

  bool holds(Eigen::Index column) const { return column >= first && column < first + count; }
  /// Where a column that is not one of these stands among the others.
  Eigen::Index other(Eigen::Index column) const { return column < first ? column : column - count; }
};

/// Both kinds of columns together.
struct LevelMatrix {
  RowMajorMatrix others;
  LevelColumns levels;

  Eigen::Index rows() const { return others.rows(); }
  Eigen::Index cols() const { return others.cols() + levels.count; }
};

/// What is not 0 of both kinds.
SparseRows sparse_rows(const LevelMatrix& matrix);

/// Beside a column whose levels stand apart, so many others are levels of further columns, most of
/// them: they are empty in most rows.
inline constexpr Eigen::Index kSparseColumns = 64;

/// Products of the matrix that `others` and `levels` make together.
Eigen::VectorXd product(const RowMajorMatrix& others, const LevelColumns& levels,
                        const Eigen::VectorXd& x);
Eigen::VectorXd transposed_product(const RowMajorMatrix& others, const LevelColumns& levels,
                                   const Eigen::VectorXd& v);
/// Of the entries without their signs.
Eigen::VectorXd absolute_transposed_product(const RowMajorMatrix& others,
                                            const LevelColumns& levels, const Eigen::VectorXd& v);

}  // namespace perfmodel::optimise

namespace perfmodel {

/// A symmetric matrix over the constants in which the levels of one column do not meet each other:
/// their block is diagonal, as in J'J where no row has two of them. Where further columns have many
/// levels, a sparse one.
struct ArrowMatrix {
  Eigen::Index first = 0;           ///< of the levels among the constants
  Eigen::VectorXd diagonal;         ///< level by level; empty where all constants are in the core
  optimise::RowMajorMatrix border;  ///< levels by others
  Eigen::MatrixXd core;             ///< others by others
  /// In place of these, with its whole diagonal.
  Eigen::SparseMatrix<double> sparse = {};

  bool is_sparse() const { return sparse.rows() > 0; }
  bool is_dense() const { return !is_sparse() && levels() == 0; }
  Eigen::Index levels() const { return diagonal.size(); }
  Eigen::Index size() const { return is_sparse() ? sparse.rows() : diagonal.size() + core.rows(); }
  /// For the parts of vectors over all constants.
  optimise::LevelColumns layout() const;

  Eigen::VectorXd operator*(const Eigen::VectorXd& x) const;
  /// Its diagonal over all constants.
  Eigen::VectorXd whole_diagonal() const;
  ArrowMatrix& add(double factor, const ArrowMatrix& other);
  void add_to_diagonal(const Eigen::VectorXd& change);
};

/// The matrix of these entries, each of one half, for the constants that are the columns of `like`.
ArrowMatrix arrow_of(const optimise::LevelColumns& like, Eigen::Index size,
                     const std::vector<Eigen::Triplet<double>>& entries);

/// Without levels that stand apart.
ArrowMatrix dense_arrow(Eigen::MatrixXd matrix);

/// factor J' diag(weights) J; all weights are 1 where there are none.
ArrowMatrix gram(double factor, const optimise::LevelMatrix& jacobian,
                 const Eigen::VectorXd& weights);
ArrowMatrix gram(double factor, const optimise::SparseRows& jacobian,
                 const Eigen::VectorXd& weights);

/// Rows and columns times the factors.
ArrowMatrix scaled(ArrowMatrix matrix, const Eigen::VectorXd& factors);

/// Rows and columns of held constants are those of the unit matrix times `diagonal`.
ArrowMatrix without(ArrowMatrix matrix, const std::vector<bool>& held, double diagonal);

/// M x = b with the held constants at 0; nothing where M without them is not positive definite, or
/// where a stop was requested.
std::optional<Eigen::VectorXd> solve_free(const ArrowMatrix& matrix, const std::vector<bool>& held,
                                          const Eigen::VectorXd& b, const std::stop_token& stop);

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
  using SparseFactors = Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>;
  std::shared_ptr<const SparseFactors> sparse_;  ///< of a sparse matrix, its flat directions lifted
  Eigen::MatrixXd flat_;                         ///< those
  optimise::LevelColumns layout_;
  Eigen::VectorXd level_inverse_;
  Eigen::SparseMatrix<double, Eigen::RowMajor>
      eliminated_;  ///< the border, each level's row over its diagonal
  Eigen::MatrixXd core_inverse_;
  std::size_t rank_ = 0;
};

}  // namespace perfmodel
