#pragma once

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
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

/// Adjacent columns of a matrix in which each row has at most one entry: the levels of one
/// categorical column. Stored by row, thousands of them take no more memory and time than one. The
/// other columns are in a separate dense matrix, in their order.
struct LevelColumns {
  static constexpr Index none = -1;

  Index first = 0;            ///< among all columns
  Index count = 0;            ///< 0: all columns are dense
  std::vector<Index> of_row;  ///< the level with an entry in this row, or none
  VectorXd value;             ///< the entry

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

/// A matrix with both kinds of columns.
struct LevelMatrix {
  RowMajorMatrix others;
  LevelColumns levels;

  Index rows() const { return others.rows(); }
  Index cols() const { return others.cols() + levels.count; }
};

/// The entries of both kinds that are not 0.
SparseRows sparse_rows(const LevelMatrix& matrix);

/// If a matrix has at least this many columns besides those of the separate levels, most of them
/// are levels of further categorical columns, with few entries.
inline constexpr Index kSparseColumns = 64;

/// Products of the matrix that `others` and `levels` make together.
VectorXd product(const RowMajorMatrix& others, const LevelColumns& levels, const VectorXd& x);
VectorXd transposed_product(const RowMajorMatrix& others, const LevelColumns& levels,
                            const VectorXd& v);
/// The transposed product with the absolute values of the entries.
VectorXd absolute_transposed_product(const RowMajorMatrix& others, const LevelColumns& levels,
                                     const VectorXd& v);

}  // namespace perfmodel::optimise

namespace perfmodel {

/// A symmetric matrix over the constants in which the block of the levels of one column is
/// diagonal, as in J'J, since no row has two of them. If further columns have many levels, the
/// whole matrix is sparse.
struct ArrowMatrix {
  Index first = 0;                  ///< index of the first level among the constants
  VectorXd diagonal;                ///< of the levels; empty if all constants are in the core
  optimise::RowMajorMatrix border;  ///< levels by others
  MatrixXd core;                    ///< others by others
  /// Replaces the members above; all entries of its diagonal are stored.
  std::optional<Eigen::SparseMatrix<double>> sparse = {};

  bool is_sparse() const { return sparse.has_value(); }
  bool is_dense() const { return !is_sparse() && levels() == 0; }
  Index levels() const { return diagonal.size(); }
  Index size() const { return is_sparse() ? sparse->rows() : diagonal.size() + core.rows(); }
  /// Splits vectors over all constants into levels and others.
  optimise::LevelColumns layout() const;

  VectorXd operator*(const VectorXd& x) const;
  /// The diagonal over all constants.
  VectorXd whole_diagonal() const;
  ArrowMatrix& add(double factor, const ArrowMatrix& other);
  void add_to_diagonal(const VectorXd& change);
};

/// The symmetric matrix with these entries, each given once, for the constants that are the columns
/// of `like`.
ArrowMatrix arrow_of(const optimise::LevelColumns& like, Index size,
                     const std::vector<Eigen::Triplet<double>>& entries);

/// A matrix without separate levels.
ArrowMatrix dense_arrow(MatrixXd matrix);

/// J' diag(weights) J.
ArrowMatrix gram(const optimise::LevelMatrix& jacobian, const VectorXd& weights);
ArrowMatrix gram(const optimise::SparseRows& jacobian, const VectorXd& weights);

/// Multiplies rows and columns by the factors.
ArrowMatrix scaled(ArrowMatrix matrix, const VectorXd& factors);

/// Replaces the rows and columns of held constants by those of the unit matrix times `diagonal`.
ArrowMatrix without(ArrowMatrix matrix, const std::vector<bool>& held, double diagonal);

/// A Jacobian, stored by entries if several columns have many levels.
class LevelJacobian {
 public:
  /// `like`: the columns that are levels. `entries(put)` calls put(row, column, value) for all
  /// entries that can differ from 0; equal places are added up, except among the levels.
  template <class Entries>
  LevelJacobian(const optimise::LevelColumns& like, Index rows, Index columns,
                const Entries& entries)
      : levels_{.first = like.first, .count = like.count, .of_row = {}, .value = {}} {
    if (!levels_.empty() && columns - levels_.count >= optimise::kSparseColumns) {
      std::vector<Eigen::Triplet<double>> all;
      entries([&](Index row, Index column, double value) {
        all.emplace_back(static_cast<int>(row), static_cast<int>(column), value);
      });
      sparse_.resize(rows, columns);
      sparse_.setFromTriplets(all.begin(), all.end());
      return;
    }
    matrix_ = empty(rows, columns);
    entries([&](Index row, Index column, double value) { put(row, column, value, matrix_); });
  }

  optimise::LevelMatrix matrix() const;
  /// J'v.
  VectorXd slopes(const VectorXd& v) const;
  /// J' diag(weights) J.
  ArrowMatrix gram(const VectorXd& weights) const;

 private:
  optimise::LevelColumns levels_;  ///< without entries
  optimise::LevelMatrix matrix_;
  optimise::SparseRows sparse_;  ///< used instead if it has rows

  optimise::LevelMatrix empty(Index rows, Index columns) const;
  static void put(Index row, Index column, double value, optimise::LevelMatrix& to) {
    if (!to.levels.empty() && to.levels.holds(column)) {
      to.levels.of_row[static_cast<std::size_t>(row)] = column - to.levels.first;
      to.levels.value[row] = value;
    } else {
      to.others(row, to.levels.other(column)) += value;
    }
  }
};

/// Solves M x = b with the held constants at 0. Returns nullopt if M without them is not positive
/// definite, or if a stop was requested.
std::optional<VectorXd> solve_free(ArrowMatrix matrix, const std::vector<bool>& held, VectorXd b,
                                   const std::stop_token& stop);

/// An orthonormal basis of the null space of a positive semidefinite matrix, for the constants that
/// are not held. The diagonal of the matrix is 1 or, for constants that are held or left out, 0.
/// Throws Interrupted.
MatrixXd null_space(const ArrowMatrix& matrix, const std::vector<bool>& held,
                    const std::stop_token& stop = {});

/// Solves M x = b in the range of M, for the constants that are not held.
class PseudoInverse {
 public:
  PseudoInverse() = default;
  PseudoInverse(const ArrowMatrix& matrix, const std::vector<bool>& held,
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
