#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "optimise/algebra.hpp"

namespace perfmodel::optimise {

/// A point of an edge at which the residual of a row changes its sign.
struct Kink {
  double at;
  double rise;  ///< increase of the slope of the cost
  Eigen::Index row;
};

/// Passes kinks as long as the cost still falls: a weighted median by selection. `slope`: negative
/// slope of the cost before the first kink. Reorders the kinks: those before the returned one are
/// passed, and the minimum is at the returned one; `end()` if the cost falls beyond all of them.
std::vector<Kink>::iterator run_through(std::vector<Kink>& kinks, double slope);

/// minimise  sum_i w_i |r_i - A_i x| + c'x   subject to  lower <= x <= upper
///
/// `matrix` is rows x columns (row-major: an iteration reads whole rows), `response` and `weights`
/// have one entry per row (weights >= 0), `linear` one per column (empty: zero). All bounds are
/// finite. The columns of `levels`, if there are any, are additional to those of `matrix`.
struct LadProblem {
  using Matrix = RowMajorMatrix;
  Matrix matrix;
  LevelColumns levels;
  Eigen::VectorXd response;
  Eigen::VectorXd weights;
  Eigen::VectorXd linear;
  Bounds bounds;
};

/// The vertex at which the active rows of a result have no residual, and its edges.
class LadVertex {
 public:
  virtual ~LadVertex() = default;
  /// The change of x that raises A x by these amounts in the active rows and stays on the active
  /// bounds.
  virtual Eigen::VectorXd change_for(const Eigen::VectorXd& raises) const = 0;
  /// Change of a function of x with this gradient per unit by which A x rises in each active row.
  virtual Eigen::VectorXd slopes(const Eigen::VectorXd& gradient) const = 0;
};

enum class LadTermination { optimal, iteration_limit, interrupted };

struct LadResult {
  Eigen::VectorXd x;
  double cost = 0;
  /// A feasible dual value: no point of the box has a lower cost. cost - dual_bound is the
  /// certificate.
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
  /// Rows that are probably active at the optimum (those of a similar problem): a start that saves
  /// steps if it is right and costs little if it is not.
  std::vector<Eigen::Index> active_rows = {};
  std::stop_token stop = {};
};

/// Solves the problem exactly (to rounding) from `start`, a point of the box, by a descent along
/// the edges of the piecewise linear cost: each step leaves one active row or bound and
/// passes as many kinks as still improve (Barrodale and Roberts 1973; Bloomfield and Steiger
/// 1983), with bounds as further kinks of infinite weight. With levels, the edges that move one
/// level alone are followed first: each ends at a weighted median of its rows.
LadResult solve_lad(const LadProblem& problem, const Eigen::VectorXd& start,
                    const LadOptions& options = {});

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

/// The constraints that determine a vertex, one per column of the problem, and its edges: the
/// inverse E of the matrix of their gradients.
///
/// A coordinate that is its own constraint has a row of the unit matrix in E, so that only the rows
/// of the free coordinates are stored and updated. Their number is that of the active rows.
class LadBasis {
 public:
  /// Every coordinate is its own constraint.
  LadBasis(const LadProblem& problem, const Eigen::VectorXd& start);

  const std::vector<ActiveConstraint>& constraints() const { return constraints_; }
  const ActiveConstraint& operator[](Eigen::Index k) const {
    return constraints_[static_cast<std::size_t>(k)];
  }
  bool holds_row(Eigen::Index row) const { return holds_row_[static_cast<std::size_t>(row)] != 0; }

  /// The edge that leaves constraint k and stays on all others.
  Eigen::VectorXd edge(Eigen::Index k) const;
  /// Slope along every edge of a function with this gradient.
  Eigen::VectorXd slopes(const Eigen::VectorXd& gradient) const;
  /// Length of every edge in a weighted 1-norm.
  Eigen::VectorXd lengths(const Eigen::VectorXd& weights) const;

  /// Replaces constraint k: a rank-one update of the inverse.
  void exchange(Eigen::Index k, ActiveConstraint entering);

  /// Inverts anew, so that rounding does not accumulate. Returns the vertex: the rows that it holds
  /// have no residual, and its other coordinates are those of `x`.
  Eigen::VectorXd factorise(const Eigen::VectorXd& response, const Eigen::VectorXd& x);

 private:
  const LadProblem* problem_;
  std::vector<ActiveConstraint> constraints_;
  std::vector<char> holds_row_;
  RowMajorMatrix edges_;            ///< E; only rows of free coordinates are valid
  std::vector<Eigen::Index> free_;  ///< the free coordinates
};

/// A direction or a point, with one entry per level and one per other column.
struct BorderedVector {
  Eigen::VectorXd levels;
  Eigen::VectorXd others;
};

/// Columns and entries of a row.
using SparseRow = std::vector<std::pair<Eigen::Index, double>>;

/// A square sparse matrix whose rows change: its LU factors, with rows from the shortest to the
/// longest and pivots in the columns with fewest entries (after Markowitz 1957), and one elementary
/// matrix per later change (the product form of the inverse, Dantzig and Orchard-Hays 1954).
class SparseLu {
 public:
  static constexpr Eigen::Index none = -1;

  /// Starts with an empty matrix; `rows` determine the counts and sizes of the entries of columns.
  void start(Eigen::Index size, const std::vector<SparseRow>& rows);
  /// Appends a row. Returns false, without a change, if elimination by the previous rows leaves no
  /// entry above the share `least` of its largest.
  bool add(const SparseRow& row, double least);
  bool has_pivot(Eigen::Index column) const {
    return step_of_[static_cast<std::size_t>(column)] != none;
  }

  /// Replaces a row.
  void replace_row(Eigen::Index row, const SparseRow& entries);
  /// Adds a row, times an entry each, to others, then multiplies it by `pivot`.
  void spread_row(Eigen::Index row, double pivot, SparseRow others);

  Eigen::VectorXd solve(Eigen::VectorXd right) const;
  Eigen::VectorXd solve_transposed(Eigen::VectorXd right) const;

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
  std::vector<Pivot> pivots_;  ///< one per row
  std::vector<Update> updates_;
  std::vector<Eigen::Index> step_of_;  ///< per column: the row whose pivot is in it
  std::vector<Eigen::Index> count_;    ///< number of entries of the columns
  Eigen::VectorXd scale_;              ///< largest entry of the columns
  Eigen::VectorXd work_;               ///< the row that is being added; otherwise 0
  std::vector<char> touched_;
};

/// The constraints that determine a vertex of a problem with levels.
///
/// Each level has one constraint of its own: a row of that level, or one of its bounds. The border
/// has as many further constraints as there are other columns. In
///
///     | D  B |   own constraints: D is diagonal
///     | E  F |   border: a row has an entry in one level at most
///
/// all products with the inverse come from D and from the factors of S = F - E D^-1 B, which has
/// one row per other column (generalised upper bounds, Dantzig and Van Slyke 1967) and is as sparse
/// as their rows, since it contains the levels of further columns. The own constraint of level l
/// has the number l; those of the border follow.
class BorderedBasis {
 public:
  /// Every coordinate is its own constraint. `rows`: those of the problem's matrix.
  BorderedBasis(const LadProblem& problem, std::shared_ptr<const SparseRows> rows,
                const Eigen::VectorXd& start);

  Eigen::Index levels() const { return levels_; }
  Eigen::Index border() const { return border_; }
  const ActiveConstraint& operator[](Eigen::Index k) const {
    return constraints_[static_cast<std::size_t>(k)];
  }
  bool holds_row(Eigen::Index row) const { return holds_row_[static_cast<std::size_t>(row)] != 0; }
  /// True if the edge that leaves the own constraint of this level moves that level alone.
  bool moves_alone(Eigen::Index level) const { return touching_[level] == 0; }
  double own_entry(Eigen::Index level) const { return diagonal_[level]; }

  /// The change that leaves constraint k at the rate 1 and stays on all others.
  BorderedVector edge(Eigen::Index k) const;
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
  std::shared_ptr<const SparseRows> rows_;
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
  SparseLu factors_;                        ///< those of S

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

/// Responses with tiny different shifts. Equal rows make vertices where many residuals are zero at
/// once, and a descent may then cycle; the shifts separate them. Multipliers do not depend on the
/// responses, so that the final basis is also right for the given problem.
Eigen::VectorXd perturbed_response(const LadProblem& problem);

/// For any |lambda_i| <= w_i:  cost(x) >= lambda'r + min over the box of (c - A'lambda)'x.
double dual_bound_of(const LadProblem& problem, const Eigen::VectorXd& lambda);

/// Sets the cost and the point of a result: those of the problem at `x`, clamped to its box.
void set_point(const LadProblem& problem, const Eigen::VectorXd& x, LadResult& out);

/// A row whose pivot is below this share of the largest cannot replace a coordinate.
inline constexpr double kWorthlessPivot = 1e-8;
/// An active row below this share depends on the others, except for rounding.
inline constexpr double kDependent = 1e-13;

/// Pivots after which a basis is factorised anew, so that rounding does not accumulate.
inline constexpr std::size_t kRefactorEvery = 64;

/// Rows that represent the square of a linear function in a problem of absolute values.
inline constexpr Eigen::Index kSquareRows = 8;

/// Writes weight v^2, v = direction'x with |v| <= reach, into the rows from `row` on, as its
/// tangents at multiples of s = reach / 4: weight s sum_k |v - b_k|, b_k = +-(k + 1/2) s, less what
/// is added to `constant`.
void put_square(const Eigen::VectorXd& direction, double weight, double reach, Eigen::Index row,
                LadProblem& problem, double& constant);

/// A descent along the edges of the cost of a LadProblem, from vertex to vertex.
class EdgeDescent {
 public:
  /// Starts at the vertex at which the options' active rows have no residual, if that is in the
  /// box, else at `start`.
  EdgeDescent(const LadProblem& problem, const Eigen::VectorXd& start, const LadOptions& options);

  /// Follows one edge. False if no edge descends: the vertex is optimal.
  bool step();

  /// The vertex of the unperturbed problem, with its certificate.
  LadResult result();

 private:
  const LadProblem& problem_;
  Eigen::Index rows_;
  Eigen::Index columns_;
  Eigen::VectorXd x_;
  Eigen::VectorXd response_;
  Eigen::VectorXd residual_;
  Eigen::VectorXd gradient_;      ///< of the cost without the active rows
  Eigen::VectorXd column_scale_;  ///< largest possible slope along each coordinate
  std::stop_token stop_;
  LadBasis basis_;
  Eigen::MatrixXd matrix_;  ///< matrix of the problem, stored by columns
  std::vector<Kink> kinks_;
  std::size_t pivots_ = 0;

  void start_at_vertex(const std::vector<Eigen::Index>& rows, const std::stop_token& stop);

  double hold_weight(Eigen::Index k) const;
  Eigen::Index choose_leaving(const Eigen::VectorXd& slope) const;
  Eigen::VectorXd change_of(const Eigen::VectorXd& direction) const;

  struct BoundAhead;
  BoundAhead nearest_bound(const Eigen::VectorXd& direction) const;
  void collect_kinks(const Eigen::VectorXd& change, double limit);
  void move(Eigen::Index leaving, const Eigen::VectorXd& direction, double slope);
  void turn(Eigen::Index row, double times);
  void release(Eigen::Index leaving, const Eigen::VectorXd& change);
  void advance(Eigen::Index leaving, const Eigen::VectorXd& direction,
               const Eigen::VectorXd& change, double length);

  void factorise();
  void refresh_gradient();
  Eigen::VectorXd multipliers() const;
};

/// The descent along the edges of the cost of a LadProblem with levels: as EdgeDescent, but an edge
/// that moves one level alone is a weighted median of that level's rows and costs no more than
/// they do. Such edges are followed as long as one descends; the others only if none does.
class LevelDescent {
 public:
  /// Starts at the vertex at which the options' active rows have no residual, if that is in the
  /// box, else at `start`.
  LevelDescent(const LadProblem& problem, const Eigen::VectorXd& start, const LadOptions& options);

  /// Moves every level until it alone cannot improve, then follows one edge of the border. False if
  /// none descends: the vertex is optimal.
  bool step();

  /// The vertex of the unperturbed problem, with its certificate.
  LadResult result();

 private:
  const LadProblem& problem_;
  Eigen::VectorXd response_;
  BorderedVector x_;
  BorderedVector lower_;
  BorderedVector upper_;
  Eigen::VectorXd residual_;
  BorderedVector gradient_;      ///< of the cost without the active rows
  BorderedVector column_scale_;  ///< largest possible slope along each coordinate
  /// The rows of level l are rows_[rows_begin_[l]] .. rows_[rows_begin_[l + 1]].
  std::vector<Eigen::Index> rows_;
  std::vector<std::size_t> rows_begin_;
  std::shared_ptr<const SparseRows> matrix_;  ///< matrix of the problem
  BorderedBasis basis_;
  std::vector<Kink> kinks_;
  std::size_t border_pivots_ = 0;

  BorderedVector parted(const Eigen::VectorXd& x) const;
  double& coordinate(Eigen::Index j);
  double bound(Eigen::Index j, Hold hold) const;
  void list_rows();
  void start_at_vertex(const std::vector<Eigen::Index>& rows);

  double hold_weight(Eigen::Index k) const;
  double descent_of(Eigen::Index k, double slope) const;
  void settle_level(Eigen::Index level);
  bool pivot_border();
  struct Leaving;
  std::vector<Leaving> candidates(const Eigen::VectorXd& slopes) const;
  bool price(Leaving& candidate) const;
  void move_alone(Eigen::Index level, double slope);
  void move_together(Eigen::Index leaving, const BorderedVector& direction, double slope);
  void add_kink(Eigen::Index row, double change, double tiny, double limit);
  void turn(Eigen::Index row, double times);
  void release(Eigen::Index leaving, double change);

  Eigen::VectorXd change_of(const BorderedVector& direction) const;
  void factorise();
  void refresh_residual();
  void refresh_gradient();
  Eigen::VectorXd multipliers() const;
};

}  // namespace perfmodel::optimise

namespace perfmodel {

/// A sum of absolute deviations of a smooth model as a sequence of problems of linear models, one
/// per step, in the changes of the constants.
class LinearisedRows {
 public:
  virtual ~LinearisedRows() = default;

  virtual double cost(const Eigen::VectorXd& at) const = 0;
  virtual void linearise_at(const Eigen::VectorXd& at) = 0;

  /// The problem within the trust region; `constant`: its cost minus that of the model.
  virtual optimise::LadProblem problem(double radius, double& constant) const = 0;

  /// The change of the constants that returns the residuals of the step's active rows to zero after
  /// the curvature of the model has moved them: a second-order correction.
  virtual Eigen::VectorXd correction(const optimise::LadResult& step,
                                     const Eigen::VectorXd& trial) const = 0;

  /// Clamps to the box. `cost`: scale of the effects that are rounding errors.
  virtual Eigen::VectorXd inside(const Eigen::VectorXd& at, double cost) const = 0;

  /// Constants from which refinement can continue if no step gains any more; nullopt if there are
  /// none.
  virtual std::optional<Eigen::VectorXd> wake(const optimise::LadResult&) const { return {}; }

  /// Length of a step in the constants that the trust region limits.
  virtual double length(const Eigen::VectorXd& step) const = 0;

  /// True if the length of a step that fails limits the radius of the region: not if the radius
  /// does not limit all curved constants.
  virtual bool length_bounds_radius() const { return true; }
};

/// Sequential linear programming: each step solves the linearised problem exactly within a trust
/// region (Osborne and Watson 1971; trust regions after Fletcher 1981). Never worse than the start.
Optimum minimise_by_sequential_lad(LinearisedRows& problem, const Eigen::VectorXd& start,
                                   double gap_to_stop, const std::stop_token& stop);

}  // namespace perfmodel
