#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "optimise/algebra.hpp"

namespace perfmodel::optimise {

/// minimise  sum_i w_i |r_i - A_i x| + c'x   subject to  lower <= x <= upper
///
/// `matrix` is rows x columns (row-major: an iteration reads whole rows), `response` and `weights`
/// have one entry per row (weights >= 0), `linear` one per column (empty: zero). All bounds are
/// finite.
struct LadProblem {
  RowMatrix matrix;
  VectorXd response;
  VectorXd weights;
  VectorXd linear;
  Bounds bounds;
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
  /// The change of x that raises A x by these amounts in the active rows and stays on the active
  /// bounds.
  std::function<VectorXd(const VectorXd& raises)> change_for;
  /// Change of a function of x with this gradient per unit by which A x rises in each active row.
  std::function<VectorXd(const VectorXd& gradient)> slopes;
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
/// 1983), with bounds as further kinks of infinite weight. If the matrix is sparse, the edges that
/// move one of its levels alone are followed first: each ends at a weighted median of its rows.
LadResult solve_lad(const LadProblem& problem, const VectorXd& start,
                    const LadOptions& options = {});

/// Rows that represent the square of a linear function in a problem of absolute values.
inline constexpr Index kSquareRows = 8;

/// Writes weight v^2, |v| <= reach, into the rows from `row` on, which all contain the linear
/// function v, as its tangents at multiples of s = reach / 4: weight s sum_k |v - b_k|, b_k = +-(k
/// + 1/2) s, less what is added to `constant`.
void put_square(double weight, double reach, Index row, LadProblem& problem, double& constant);

}  // namespace perfmodel::optimise
