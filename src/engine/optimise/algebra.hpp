#pragma once

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "base/eigen.hpp"

namespace perfmodel::optimise {

/// The box that is searched: lower[i] <= x[i] <= upper[i]. Equal bounds fix a coordinate.
struct Bounds {
  VectorXd lower;
  VectorXd upper;

  Index size() const { return lower.size(); }
  bool contains(const VectorXd& x) const {
    return (x.array() >= lower.array()).all() && (x.array() <= upper.array()).all();
  }
};

/// Throws std::invalid_argument unless all bounds are finite, with a finite width, and not crossed.
void require_valid(const Bounds& bounds);

/// The coordinates whose bounds differ, ascending.
std::vector<Index> free_coordinates(const Bounds& bounds);

}  // namespace perfmodel::optimise

namespace perfmodel {

/// The point at which a descent ended.
struct Optimum {
  VectorXd at;
  double cost = 0;
  /// Largest possible gain of one more step, as a share of the cost.
  double relative_gap = 0;
  std::size_t steps = 0;
  std::size_t evaluations = 0;
};

}  // namespace perfmodel

namespace perfmodel::optimise {

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

/// A matrix with a column per constant: dense or, if levels of a categorical column of many are
/// among them, stored by its entries, since each row has one of these levels.
struct RowMatrix {
  RowMajorMatrix dense;
  std::optional<SparseRows> sparse = {};  ///< replaces `dense`

  RowMatrix() = default;
  RowMatrix(RowMajorMatrix matrix) : dense(std::move(matrix)) {}  // implicit, as below
  RowMatrix(SparseRows matrix) : sparse(std::move(matrix)) {}
  /// `entries(put)` calls put(row, column, value) for all entries that can differ from 0; equal
  /// places are added up.
  template <class Entries>
  RowMatrix(Index rows, Index columns, bool is_sparse, const Entries& entries) {
    if (!is_sparse) {
      dense = RowMajorMatrix::Zero(rows, columns);
      entries([&](Index row, Index column, double value) { dense(row, column) += value; });
      return;
    }
    std::vector<Eigen::Triplet<double>> all;
    entries([&](Index row, Index column, double value) {
      all.emplace_back(static_cast<int>(row), static_cast<int>(column), value);
    });
    sparse.emplace(rows, columns);
    sparse->setFromTriplets(all.begin(), all.end());
  }

  bool is_sparse() const { return sparse.has_value(); }
  Index rows() const { return is_sparse() ? sparse->rows() : dense.rows(); }
  Index cols() const { return is_sparse() ? sparse->cols() : dense.cols(); }

  VectorXd operator*(const VectorXd& x) const;
  VectorXd transposed_times(const VectorXd& v) const;
  /// The matrix with the absolute values of the entries.
  RowMatrix absolute() const;
  VectorXd row(Index row) const;
  RowMatrix take_rows(const std::vector<Index>& rows) const;
  /// Appends the rows of a matrix that is stored alike, each `times` times.
  void append(const RowMatrix& more, Index times);
};

/// Adjacent columns of a matrix in which each row has at most one entry: the levels of one
/// categorical column. Stored by row, thousands of them take no more memory and time than one.
struct LevelColumns {
  static constexpr Index none = -1;

  Index first = 0;            ///< among all columns
  Index count = 0;            ///< 0: there are none
  std::vector<Index> of_row;  ///< the level with an entry in this row, or none
  VectorXd value;             ///< the entry

  /// The longest ones of a sparse matrix.
  static LevelColumns of(const SparseRows& matrix);

  bool empty() const { return count == 0; }
  Index level_of(Index row) const { return empty() ? none : of_row[static_cast<std::size_t>(row)]; }

  /// The entries of a vector over all columns that do not belong to levels, and those that do.
  VectorXd others(const VectorXd& x) const;
  VectorXd levels(const VectorXd& x) const;
  VectorXd joined(const VectorXd& others, const VectorXd& levels) const;

  bool holds(Index column) const { return column >= first && column < first + count; }
  /// The index among the other columns of a column that is not one of these.
  Index other(Index column) const { return column < first ? column : column - count; }
};

}  // namespace perfmodel::optimise

namespace perfmodel {

/// A symmetric matrix over the constants: dense or, if columns have many levels, stored by its
/// entries, since no row of runs has two levels of a column.
struct SymmetricMatrix {
  MatrixXd dense;
  /// Replaces `dense`; all entries of its diagonal are stored.
  std::optional<Eigen::SparseMatrix<double>> sparse = {};

  SymmetricMatrix() = default;
  SymmetricMatrix(MatrixXd matrix) : dense(std::move(matrix)) {}  // implicit, as below
  /// Stores all entries of the diagonal, even if they are 0.
  SymmetricMatrix(const Eigen::SparseMatrix<double>& matrix);
  /// With these entries, each given once; several at a place are added up.
  SymmetricMatrix(Index size, bool is_sparse, std::vector<Eigen::Triplet<double>> entries);

  bool is_sparse() const { return sparse.has_value(); }
  Index size() const { return is_sparse() ? sparse->rows() : dense.rows(); }

  VectorXd operator*(const VectorXd& x) const;
  VectorXd diagonal() const;
  SymmetricMatrix& add(double factor, const SymmetricMatrix& other);
  void add_to_diagonal(const VectorXd& change);
};

/// J' diag(weights) J.
SymmetricMatrix gram(const optimise::RowMatrix& jacobian, const VectorXd& weights);

/// Multiplies rows and columns by the factors.
SymmetricMatrix scaled(SymmetricMatrix matrix, const VectorXd& factors);

/// Replaces the rows and columns of held constants by those of the unit matrix times `diagonal`.
SymmetricMatrix without(SymmetricMatrix matrix, const std::vector<bool>& held, double diagonal);

/// Solves M x = b with the held constants at 0. Returns nullopt if M without them is not positive
/// definite, or if a stop was requested.
std::optional<VectorXd> solve_free(SymmetricMatrix matrix, const std::vector<bool>& held,
                                   VectorXd b, const std::stop_token& stop);

/// An orthonormal basis of the null space of a positive semidefinite matrix, for the constants that
/// are not held. The diagonal of the matrix is 1 or, for constants that are held or left out, 0.
/// Throws Interrupted.
MatrixXd null_space(const SymmetricMatrix& matrix, const std::vector<bool>& held,
                    const std::stop_token& stop = {});

/// Solves M x = b in the range of M, for the constants that are not held.
class PseudoInverse {
 public:
  PseudoInverse() = default;
  PseudoInverse(const SymmetricMatrix& matrix, const std::vector<bool>& held,
                const std::stop_token& stop = {});

  VectorXd operator*(const VectorXd& b) const;
  std::size_t rank() const { return rank_; }

 private:
  using SparseFactors = Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>;
  MatrixXd dense_;
  /// Used instead if it is set: factors of the matrix plus a small diagonal.
  std::shared_ptr<const SparseFactors> sparse_;
  MatrixXd flat_;  ///< the flat directions
  std::size_t rank_ = 0;
};

}  // namespace perfmodel
