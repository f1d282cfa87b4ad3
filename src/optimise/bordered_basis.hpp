#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "optimise/algebra.hpp"
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
  Eigen::Index index;  ///< row, or coordinate
};

/// A direction or a point, with one entry per level and one per other column.
struct BorderedVector {
  Eigen::VectorXd levels;
  Eigen::VectorXd others;
};

/// Columns and entries of a row.
using SparseRow = std::vector<std::pair<Eigen::Index, double>>;

/// The columns of a problem that are not levels: sparse if there are levels, since most of them are
/// then those of further columns; else dense.
class OtherColumns {
 public:
  explicit OtherColumns(const LadProblem& problem);

  bool is_sparse() const { return sparse_.rows() > 0; }
  /// The matrix times a vector.
  Eigen::VectorXd operator*(const Eigen::VectorXd& x) const;
  /// The product of a row and a vector.
  double along(Eigen::Index row, const Eigen::VectorXd& x) const;
  /// Adds a multiple of a row.
  void add_row(Eigen::Index row, double times, Eigen::VectorXd& to) const;
  /// Appends the entries of a multiple of a row.
  void append_row(Eigen::Index row, double times, SparseRow& to) const;

 private:
  const RowMajorMatrix* rows_;  ///< of the problem
  Eigen::MatrixXd columns_;     ///< the same by columns, if it is dense
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
  static constexpr Eigen::Index none = -1;

  /// Starts with an empty matrix; `rows` determine the counts and sizes of the entries of columns.
  void start(Eigen::Index size, const std::vector<SparseRow>& rows, bool is_sparse);
  /// Appends a row. Returns false, without a change, if elimination by the previous rows leaves no
  /// entry above the share `least` of its largest.
  bool add(const SparseRow& row, double least) {
    return is_sparse_ ? eliminate(row, least) : update(row, least);
  }
  bool has_pivot(Eigen::Index column) const {
    return step_of_[static_cast<std::size_t>(column)] != none;
  }

  /// Replaces a row.
  void replace_row(Eigen::Index row, const SparseRow& entries);
  /// Adds a row, times an entry each, to others, then multiplies it by `pivot`. For sparse ones.
  void spread_row(Eigen::Index row, double pivot, SparseRow others);

  Eigen::VectorXd solve(Eigen::VectorXd right) const;
  Eigen::VectorXd solve_transposed(Eigen::VectorXd right) const;
  /// All columns of a dense one's inverse, one per row of the matrix.
  const RowMajorMatrix& inverse() const { return inverse_; }

 private:
  struct Pivot {
    Eigen::Index column = none;
    double value = 0;
    SparseRow upper;  ///< by column
    SparseRow lower;  ///< by previous row
  };
  struct Update {
    Eigen::Index at;
    double pivot;
    bool is_row;
    SparseRow others;

    void apply(bool gathers, Eigen::VectorXd& x) const;
  };
  bool is_sparse_ = true;
  Eigen::Index rows_ = 0;   ///< number of rows that have been added
  RowMajorMatrix inverse_;  ///< until all rows are added, with that of row k in its pivot's column
  std::vector<Pivot> pivots_;  ///< one per row
  std::vector<Update> updates_;
  std::vector<Eigen::Index> step_of_;  ///< per column: the row whose pivot is in it
  std::vector<Eigen::Index> count_;    ///< number of entries of the columns
  Eigen::VectorXd scale_;              ///< largest entry of the columns
  Eigen::VectorXd work_;               ///< the row that is being added; otherwise 0
  std::vector<char> touched_;

  bool eliminate(const SparseRow& row, double least);
  bool update(const SparseRow& row, double least);
  Eigen::VectorXd along_inverse(const SparseRow& row) const;
  void update_inverse(Eigen::Index row, const Eigen::VectorXd& along);
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
  BorderedBasis(const LadProblem& problem, std::shared_ptr<const OtherColumns> rows,
                const Eigen::VectorXd& start);

  Eigen::Index levels() const { return levels_; }
  Eigen::Index size() const { return levels_ + border_; }
  const ActiveConstraint& operator[](Eigen::Index k) const {
    return constraints_[static_cast<std::size_t>(k)];
  }
  bool holds_row(Eigen::Index row) const { return holds_row_[static_cast<std::size_t>(row)] != 0; }
  /// True if the edge that leaves the own constraint of this level moves that level alone.
  bool moves_alone(Eigen::Index level) const { return touching_[level] == 0; }
  double own_entry(Eigen::Index level) const { return diagonal_[level]; }

  /// The change that leaves constraint k at the rate 1 and stays on all others.
  BorderedVector edge(Eigen::Index k) const;
  /// Length of every edge in a weighted 1-norm; empty with levels, where each takes a solution.
  Eigen::VectorXd lengths(const BorderedVector& weights) const;
  /// The change that raises each constraint by its entry (by number).
  BorderedVector solve(const Eigen::VectorXd& raises) const;
  /// Slope along every edge of a function with this gradient, by number of the constraint.
  Eigen::VectorXd slopes(const BorderedVector& gradient) const;

  /// Replaces constraint k; the numbers of others may change. The edge of k must
  /// change the entering constraint.
  void exchange(Eigen::Index k, ActiveConstraint entering);
  /// Replaces parked coordinates by rows, as far as these determine them.
  void hold(const std::vector<Eigen::Index>& rows);
  /// Factorises anew; the numbers of the border change. A parked coordinate replaces a
  /// constraint that depends on others because of rounding.
  void factorise();

 private:
  std::shared_ptr<const OtherColumns> rows_;
  const LadProblem* problem_;  ///< only used by changes
  Eigen::Index first_;
  Eigen::Index levels_;
  Eigen::Index border_;
  std::vector<ActiveConstraint> constraints_;
  std::vector<char> holds_row_;
  Eigen::VectorXd diagonal_;                ///< D
  std::vector<Eigen::Index> border_level_;  ///< column of E with an entry, or none
  Eigen::VectorXd border_entry_;            ///< the entry there
  Eigen::VectorXi touching_;                ///< number of border constraints in each level
  ChangingMatrix complement_;               ///< S

  void append_others(const ActiveConstraint& constraint, double times, SparseRow& to) const;
  Eigen::Index level_of(const ActiveConstraint& constraint) const;
  double level_entry_of(const ActiveConstraint& constraint) const;
  void set_own(Eigen::Index level, ActiveConstraint constraint);
  void set_border(Eigen::Index place, ActiveConstraint constraint);
  SparseRow complement_row(const ActiveConstraint& constraint) const;
  void rebuild(std::vector<ActiveConstraint> wanted, double least);
  Eigen::Index swap_with_border(Eigen::Index level);
  void mark(const ActiveConstraint& constraint, char held);
};

}  // namespace perfmodel::optimise
