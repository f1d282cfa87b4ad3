#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "optimise/lad/lad_basis.hpp"

namespace perfmodel::optimise {

/// A direction, or a point: one entry per level and one per other column.
struct BorderedVector {
  Eigen::VectorXd levels;
  Eigen::VectorXd others;
};

/// The constraints that determine a vertex of a problem with levels.
///
/// Each level has one constraint of its own: a row of that level, or a bound of it. As many more
/// as there are other columns stand in the border. In
///
///     | D  B |   own constraints: D is diagonal
///     | E  F |   border: a row has an entry in one level at most
///
/// all products with the inverse come from D and from the inverse of S = F - E D^-1 B, which is as
/// small as the number of other columns (generalised upper bounds, Dantzig and Van Slyke 1967).
/// Constraints have numbers: level l's own is l, those of the border follow.
class BorderedBasis {
 public:
  /// Every coordinate is held by itself.
  BorderedBasis(const LadProblem& problem, const Eigen::VectorXd& start);

  Eigen::Index levels() const { return levels_; }
  Eigen::Index border() const { return border_; }
  const ActiveConstraint& operator[](Eigen::Index k) const {
    return constraints_[static_cast<std::size_t>(k)];
  }
  bool holds_row(Eigen::Index row) const { return holds_row_[static_cast<std::size_t>(row)] != 0; }
  /// Whether leaving the own constraint of this level moves that level alone.
  bool moves_alone(Eigen::Index level) const { return touching_[level] == 0; }
  double own_entry(Eigen::Index level) const { return diagonal_[level]; }

  /// The change that leaves constraint k at the rate 1 and stays on all others.
  BorderedVector edge(Eigen::Index k) const;
  /// The change that raises each constraint by its entry (by number).
  BorderedVector solve(const Eigen::VectorXd& raises) const;
  /// Slope along every edge of a function with this gradient, by number.
  Eigen::VectorXd slopes(const BorderedVector& gradient) const;

  /// Replaces constraint k; the numbers of others may change. The edge of k must not be flat along
  /// the one that enters.
  void exchange(Eigen::Index k, ActiveConstraint entering);
  /// Inverts anew.
  void factorise();

  /// Entries of a row, or of a bound, in the other columns, and of that in the levels.
  Eigen::VectorXd others_of(const ActiveConstraint& constraint) const;
  Eigen::Index level_of(const ActiveConstraint& constraint) const;
  double level_entry_of(const ActiveConstraint& constraint) const;

 private:
  const LadProblem* problem_;
  Eigen::Index levels_;
  Eigen::Index border_;
  std::vector<ActiveConstraint> constraints_;
  std::vector<char> holds_row_;
  Eigen::VectorXd diagonal_;                ///< D
  RowMajorMatrix own_others_;               ///< B
  RowMajorMatrix border_others_;            ///< F
  std::vector<Eigen::Index> border_level_;  ///< which column of E, or none
  Eigen::VectorXd border_entry_;            ///< the entry there
  Eigen::VectorXi touching_;                ///< border constraints in each level
  Eigen::MatrixXd inverse_;                 ///< of S

  void set_own(Eigen::Index level, ActiveConstraint constraint);
  void set_border(Eigen::Index place, ActiveConstraint constraint);
  Eigen::RowVectorXd complement_row(Eigen::Index place) const;
  void replace_row(Eigen::Index place);
  void mark(const ActiveConstraint& constraint, char held);
};

}  // namespace perfmodel::optimise
