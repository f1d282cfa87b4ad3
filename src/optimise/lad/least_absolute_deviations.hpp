#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <vector>

#include "optimise/algebra/bounds.hpp"
#include "optimise/algebra/level_columns.hpp"

namespace perfmodel::optimise {

/// minimise  sum_i w_i |r_i - A_i x| + c'x   subject to  lower <= x <= upper
///
/// `matrix` is rows x columns (row-major: an iteration reads whole rows), `response` and `weights`
/// have one entry per row (weights >= 0), `linear` one per column (empty: zero). All bounds are
/// finite. The columns of `levels`, where there are any, stand beside those of `matrix`.
struct LadProblem {
  using Matrix = RowMajorMatrix;
  Matrix matrix;
  LevelColumns levels;
  Eigen::VectorXd response;
  Eigen::VectorXd weights;
  Eigen::VectorXd linear;
  Bounds bounds;
};

/// The place where the active rows of a result have no residual, and the ways that lead from it.
class LadVertex {
 public:
  virtual ~LadVertex() = default;
  /// The change of x that raises A x by these amounts in the active rows and leaves the active
  /// bounds as they are.
  virtual Eigen::VectorXd change_for(const Eigen::VectorXd& raises) const = 0;
  /// How a function of x with this gradient changes where A x rises by one in an active row.
  virtual Eigen::VectorXd slopes(const Eigen::VectorXd& gradient) const = 0;
};

enum class LadTermination { optimal, iteration_limit, interrupted };

struct LadResult {
  Eigen::VectorXd x;
  double cost = 0;
  /// A feasible dual value: no point of the box costs less. cost - dual_bound is the certificate.
  double dual_bound = 0;
  /// Rows whose residual is zero at the vertex.
  std::vector<Eigen::Index> active_rows;
  std::shared_ptr<const LadVertex> vertex;
  std::size_t iterations = 0;
  LadTermination termination = LadTermination::optimal;
};

struct LadOptions {
  std::size_t iterations = 100000;
  /// Problems of more rows are solved through smaller ones; the optimum is the same.
  std::size_t sift_above = 5000;
  /// Rows that are thought to be active at the optimum (those of a problem nearby): a place to
  /// begin that saves steps where it is right and costs little where it is not.
  std::vector<Eigen::Index> active_rows = {};
  std::stop_token stop = {};
};

/// Solves the problem exactly (to rounding) from `start`, a point of the box, by a descent along
/// the edges of the piecewise linear cost: each step leaves one active row or bound and runs
/// through as many kinks as still improve (Barrodale and Roberts 1973; Bloomfield and Steiger
/// 1983), with bounds as further kinks of infinite weight. With levels, the edges that move one
/// level alone are followed first: each is a weighted median of its rows.
LadResult solve_lad(const LadProblem& problem, const Eigen::VectorXd& start,
                    const LadOptions& options = {});

}  // namespace perfmodel::optimise
