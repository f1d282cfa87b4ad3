#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "base/eigen.hpp"
#include "optimise/algebra.hpp"

namespace perfmodel::optimise {

/// minimise  sum_i w_i |r_i - A_i x| + c'x   subject to  lower <= x <= upper
///
/// `matrix` is rows x columns (row-major: an iteration reads whole rows), `response` and `weights`
/// have one entry per row (weights >= 0), `linear` one per column (empty: zero). All bounds are
/// finite. The columns of `levels`, if there are any, are additional to those of `matrix`.
struct LadProblem {
  RowMajorMatrix matrix;
  LevelColumns levels;
  VectorXd response;
  VectorXd weights;
  VectorXd linear;
  Bounds bounds;
};

/// The vertex at which the active rows of a result have no residual, and its edges.
class LadVertex {
 public:
  virtual ~LadVertex() = default;
  /// The change of x that raises A x by these amounts in the active rows and stays on the active
  /// bounds.
  virtual VectorXd change_for(const VectorXd& raises) const = 0;
  /// Change of a function of x with this gradient per unit by which A x rises in each active row.
  virtual VectorXd slopes(const VectorXd& gradient) const = 0;
};

enum class LadTermination { optimal, iteration_limit, interrupted };

struct LadResult {
  VectorXd x;
  double cost = 0;
  /// A feasible dual value: no point of the box has a lower cost. cost - dual_bound is the
  /// certificate.
  double dual_bound = 0;
  /// Rows whose residual is zero at the vertex.
  std::vector<Index> active_rows;
  std::shared_ptr<const LadVertex> vertex;
  std::size_t iterations = 0;
  LadTermination termination = LadTermination::optimal;
};

struct LadOptions {
  std::size_t iterations = 100000;
  /// Problems of more rows are solved through smaller ones; the optimum is the same.
  std::size_t sift_above = 5000;
  /// Rows that are probably active at the optimum (those of a similar problem): a start that saves
  /// steps if it is right and costs little if it is not.
  std::vector<Index> active_rows = {};
  std::stop_token stop = {};
};

/// Solves the problem exactly (to rounding) from `start`, a point of the box, by a descent along
/// the edges of the piecewise linear cost: each step leaves one active row or bound and
/// passes as many kinks as still improve (Barrodale and Roberts 1973; Bloomfield and Steiger
/// 1983), with bounds as further kinks of infinite weight. With levels, the edges that move one
/// level alone are followed first: each ends at a weighted median of its rows.
LadResult solve_lad(const LadProblem& problem, const VectorXd& start,
                    const LadOptions& options = {});

/// Rows that represent the square of a linear function in a problem of absolute values.
inline constexpr Index kSquareRows = 8;

/// Writes weight v^2, v = direction'x with |v| <= reach, into the rows from `row` on, as its
/// tangents at multiples of s = reach / 4: weight s sum_k |v - b_k|, b_k = +-(k + 1/2) s, less what
/// is added to `constant`.
void put_square(const VectorXd& direction, double weight, double reach, Index row,
                LadProblem& problem, double& constant);

}  // namespace perfmodel::optimise

namespace perfmodel {

/// A sum of absolute deviations of a smooth model as a sequence of problems of linear models, one
/// per step, in the changes of the constants.
class LinearisedRows {
 public:
  virtual ~LinearisedRows() = default;

  virtual double cost(const VectorXd& at) const = 0;
  virtual void linearise_at(const VectorXd& at) = 0;

  /// The problem within the trust region; `constant`: its cost minus that of the model.
  virtual optimise::LadProblem problem(double radius, double& constant) const = 0;

  /// The change of the constants that returns the residuals of the step's active rows to zero after
  /// the curvature of the model has moved them: a second-order correction.
  virtual VectorXd correction(const optimise::LadResult& step, const VectorXd& trial) const = 0;

  /// Clamps to the box. `cost`: scale of the effects that are rounding errors.
  virtual VectorXd inside(const VectorXd& at, double cost) const = 0;

  /// Constants from which refinement can continue if no step gains any more; nullopt if there are
  /// none.
  virtual std::optional<VectorXd> wake(const optimise::LadResult&) const { return {}; }

  /// Length of a step in the constants that the trust region limits.
  virtual double length(const VectorXd& step) const = 0;

  /// True if the length of a step that fails limits the radius of the region: not if the radius
  /// does not limit all curved constants.
  virtual bool length_bounds_radius() const { return true; }
};

/// Sequential linear programming: each step solves the linearised problem exactly within a trust
/// region (Osborne and Watson 1971; trust regions after Fletcher 1981). Never worse than the start.
Optimum minimise_by_sequential_lad(LinearisedRows& problem, const VectorXd& start,
                                   double gap_to_stop, const std::stop_token& stop);

}  // namespace perfmodel
