#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "optimise/least_absolute_deviations.hpp"

namespace perfmodel::optimise {

/// The kind of a constraint that is active at a vertex.
enum class Hold {
  row,     ///< the residual of a row is zero
  lower,   ///< a coordinate is at its lower bound
  upper,   ///< a coordinate is at its upper bound
  parked,  ///< a coordinate has its start value; it leaves as soon as that gains
};

struct ActiveConstraint {
  Hold hold;
  Index index;  ///< row, or coordinate
};

/// A direction or a point, with one entry per level and one per other column.
struct BorderedVector {
  VectorXd levels;
  VectorXd others;
};

/// Columns and entries of a row.
using SparseRow = std::vector<std::pair<Index, double>>;

/// The columns of a matrix, of a sparse one divided into its levels and the others: those are
/// sparse, too, since most of them are levels of further columns.
class DividedColumns {
 public:
  explicit DividedColumns(const RowMatrix& matrix);

  bool is_sparse() const { return sparse_.rows() > 0; }
  const LevelColumns& levels() const { return levels_; }

  // Of the columns that are not levels:
  Index others() const { return is_sparse() ? sparse_.cols() : rows_->cols(); }
  /// The matrix times a vector.
  VectorXd operator*(const VectorXd& x) const;
  /// The product of a row and a vector.
  double along(Index row, const VectorXd& x) const;
  /// Adds a multiple of a row.
  void add_row(Index row, double times, VectorXd& to) const;
  /// Appends the entries of a multiple of a row.
  void append_row(Index row, double times, SparseRow& to) const;

 private:
  const RowMajorMatrix* rows_;  ///< of the given matrix, if it is dense
  MatrixXd columns_;            ///< the same by columns
  LevelColumns levels_;
  SparseRows sparse_;
};

/// A square matrix whose rows change.
///
/// A dense one is inverted: each row that is added or replaced is a rank-one update of the inverse.
/// Of a sparse one, there are LU factors, with rows from the shortest to the longest and pivots in
/// the columns with fewest entries (after Markowitz 1957), and one elementary matrix per later
/// change (the product form of the inverse, Dantzig and Orchard-Hays 1954).
class ChangingMatrix {
 public:
  static constexpr Index none = -1;

  /// Starts with an empty matrix; `rows` determine the counts and sizes of the entries of columns.
  void start(Index size, const std::vector<SparseRow>& rows, bool is_sparse);
  /// Appends a row. Returns false, without a change, if elimination by the previous rows leaves no
  /// entry above the share `least` of its largest.
  bool add(const SparseRow& row, double least) {
    return is_sparse_ ? eliminate(row, least) : update(row, least);
  }
  bool has_pivot(Index column) const { return step_of_[static_cast<std::size_t>(column)] != none; }

  /// Replaces a row.
  void replace_row(Index row, const SparseRow& entries);
  /// Adds a row, times an entry each, to others, then multiplies it by `pivot`. For sparse ones.
  void spread_row(Index row, double pivot, SparseRow others);

  VectorXd solve(VectorXd right) const;
  VectorXd solve_transposed(VectorXd right) const;
  /// All columns of a dense one's inverse, one per row of the matrix.
  const RowMajorMatrix& inverse() const { return inverse_; }

 private:
  struct Pivot {
    Index column = none;
    double value = 0;
    SparseRow upper;  ///< by column
    SparseRow lower;  ///< by previous row
  };
  struct Update {
    Index at;
    double pivot;
    bool is_row;
    SparseRow others;

    void apply(bool gathers, VectorXd& x) const;
  };
  bool is_sparse_ = true;
  Index rows_ = 0;          ///< number of rows that have been added
  RowMajorMatrix inverse_;  ///< until all rows are added, with that of row k in its pivot's column
  std::vector<Pivot> pivots_;  ///< one per row
  std::vector<Update> updates_;
  std::vector<Index> step_of_;  ///< per column: the row whose pivot is in it
  std::vector<Index> count_;    ///< number of entries of the columns
  VectorXd scale_;              ///< largest entry of the columns
  VectorXd work_;               ///< the row that is being added; otherwise 0
  std::vector<char> touched_;

  bool eliminate(const SparseRow& row, double least);
  bool update(const SparseRow& row, double least);
  VectorXd along_inverse(const SparseRow& row) const;
  void update_inverse(Index row, const VectorXd& along);
};

/// The constraints that determine a vertex of a problem, one per column, and its edges.
///
/// Each level has one constraint of its own: a row of that level, or one of its bounds. The border
/// has as many further constraints as there are other columns. In
///
///     | D  B |   own constraints: D is diagonal
///     | E  F |   border: a row has an entry in one level at most
///
/// all products with the inverse come from D and from the factors of S = F - E D^-1 B, which has
/// one row per other column (generalised upper bounds, Dantzig and Van Slyke 1967) and is as sparse
/// as their rows. Without levels, all constraints are in the border. The own constraint of level l
/// has the number l; those of the border follow.
class BorderedBasis {
 public:
  /// Every coordinate is its own constraint. `rows`: those of the problem.
  BorderedBasis(const Bounds& bounds, std::shared_ptr<const DividedColumns> rows, Index row_count,
                const VectorXd& start);

  Index levels() const { return levels_; }
  Index size() const { return levels_ + border_; }
  const ActiveConstraint& operator[](Index k) const {
    return constraints_[static_cast<std::size_t>(k)];
  }
  bool holds_row(Index row) const { return holds_row_[static_cast<std::size_t>(row)] != 0; }
  /// True if the edge that leaves the own constraint of this level moves that level alone.
  bool moves_alone(Index level) const { return touching_[level] == 0; }
  double own_entry(Index level) const { return diagonal_[level]; }

  /// The change that leaves constraint k at the rate 1 and stays on all others.
  BorderedVector edge(Index k) const;
  /// Length of every edge in a weighted 1-norm; empty with levels, where each takes a solution.
  VectorXd lengths(const BorderedVector& weights) const;
  /// The change that raises each constraint by its entry (by number).
  BorderedVector solve(const VectorXd& raises) const;
  /// Slope along every edge of a function with this gradient, by number of the constraint.
  VectorXd slopes(const BorderedVector& gradient) const;

  /// Replaces constraint k; the numbers of others may change. The edge of k must
  /// change the entering constraint.
  void exchange(Index k, ActiveConstraint entering);
  /// Replaces parked coordinates by rows, as far as these determine them.
  void hold(const std::vector<Index>& rows);
  /// Factorises anew; the numbers of the border change. A parked coordinate replaces a
  /// constraint that depends on others because of rounding.
  void factorise();

 private:
  std::shared_ptr<const DividedColumns> rows_;
  Index first_;
  Index levels_;
  Index border_;
  std::vector<ActiveConstraint> constraints_;
  std::vector<char> holds_row_;
  VectorXd diagonal_;                ///< D
  std::vector<Index> border_level_;  ///< column of E with an entry, or none
  VectorXd border_entry_;            ///< the entry there
  Eigen::VectorXi touching_;         ///< number of border constraints in each level
  ChangingMatrix complement_;        ///< S

  void append_others(const ActiveConstraint& constraint, double times, SparseRow& to) const;
  Index level_of(const ActiveConstraint& constraint) const;
  double level_entry_of(const ActiveConstraint& constraint) const;
  void set_own(Index level, ActiveConstraint constraint);
  void set_border(Index place, ActiveConstraint constraint);
  SparseRow complement_row(const ActiveConstraint& constraint) const;
  void rebuild(std::vector<ActiveConstraint> wanted, double least);
  Index swap_with_border(Index level);
  void mark(const ActiveConstraint& constraint, char held);
};

}  // namespace perfmodel::optimise
