#pragma once

#include <functional>
#include <vector>

#include "optimise/lad/least_absolute_deviations.hpp"

namespace perfmodel::optimise {

using LadSolver =
    std::function<LadResult(const LadProblem&, const Eigen::VectorXd& start, const LadOptions&)>;

/// Whether sifting begins with fewer rows than the problem has.
bool leaves_rows_out(const LadProblem& problem);

/// The problem of the rows that keep their kink; `linear_cost` is what the others add to its cost
/// at x = 0 and `rows` says which row of the whole problem each of its rows is, ascending.
struct Sifted {
  LadProblem problem;
  std::vector<Eigen::Index> rows;
  double linear_cost = 0;
};

/// The rows of a problem, wherever they are, all but some of which count as linear with the sign
/// that they have at the start.
class SiftedRows {
 public:
  virtual ~SiftedRows() = default;
  /// Rows that may change their sign keep their kink, and these.
  virtual void keep_nearest(const std::vector<Eigen::Index>& active) = 0;
  virtual Sifted reduced() = 0;
  /// Linear rows whose sign is another at x keep their kink from now on. Returns whether there were
  /// any; `cost` is that of all rows at x.
  virtual bool keep_wrong(const Eigen::VectorXd& x, double& cost) = 0;
};

/// Solves a problem of many rows through problems of few: only rows whose residual may change its
/// sign keep their kink, all others count as linear with the sign they have. Rows that turn out to
/// have changed sign are taken in, and it is solved again. Exact: at the end no sign is wrong, and
/// the multipliers of the linear rows, +-w, are feasible (Portnoy and Koenker 1997, "globs").
LadResult sift(SiftedRows& rows, const Eigen::VectorXd& start, const LadOptions& options,
               const LadSolver& solve);
LadResult sift(const LadProblem& problem, const Eigen::VectorXd& start, const LadOptions& options,
               const LadSolver& solve);

/// How many rows keep their kink at first, of so many and of so many columns.
Eigen::Index rows_to_keep(Eigen::Index rows, Eigen::Index columns);

/// How near each row is to its kink, in units of what a typical change of x does to it: one that
/// changes a row by one where its entry in a column is as `typical` of that.
Eigen::VectorXd distance_to_kink(const RowMajorMatrix& matrix, bool with_levels,
                                 const Eigen::VectorXd& residual, const Eigen::VectorXd& typical);

}  // namespace perfmodel::optimise
