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

/// Where along an edge the residual of a row changes its sign.
struct Kink {
  double at;
  double rise;  ///< of the slope of the cost
  Eigen::Index row;
};

/// Runs through the kinks as long as the cost still falls: a weighted median by selection. `slope`
/// is that of the cost before the first of them, negative. The kinks are reordered: those before
/// the returned one are run through, it is the one to stop at. `end()` where the cost falls beyond
/// all of them.
std::vector<Kink>::iterator run_through(std::vector<Kink>& kinks, double slope);

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

/// What holds one of the coordinates of a vertex in place.
enum class Hold {
  row,     ///< the residual of a row is zero
  lower,   ///< a coordinate is at its lower bound
  upper,   ///< a coordinate is at its upper bound
  parked,  ///< a coordinate stands where the search began; it leaves as soon as that pays
};

struct ActiveConstraint {
  Hold hold;
  Eigen::Index index;  ///< row, or coordinate
};

/// The constraints that determine a vertex, one per column of the problem, and its edges: the
/// inverse E of the matrix of their gradients.
///
/// A coordinate that is held by itself has a row of the unit matrix in E, so that only the rows of
/// the free coordinates are stored and updated. There are as many of them as rows that are held.
class LadBasis {
 public:
  /// Every coordinate is held by itself.
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

/// A direction, or a point: one entry per level and one per other column.
struct BorderedVector {
  Eigen::VectorXd levels;
  Eigen::VectorXd others;
};

/// Columns and entries of a row.
using SparseRow = std::vector<std::pair<Eigen::Index, double>>;

/// A square sparse matrix of which rows change: its LU factors, in rows from the shortest to the
/// longest with pivots in the emptiest columns (after Markowitz 1957), and one elementary matrix
/// per change since (the product form of the inverse, Dantzig and Orchard-Hays 1954).
class SparseLu {
 public:
  static constexpr Eigen::Index none = -1;

  /// Forgets all; `rows` says which columns are full and how large entries are.
  void start(Eigen::Index size, const std::vector<SparseRow>& rows);
  /// Appends a row, but not one of which the rows before leave no entry above this share of its
  /// largest: then false.
  bool add(const SparseRow& row, double least);
  bool has_pivot(Eigen::Index column) const {
    return step_of_[static_cast<std::size_t>(column)] != none;
  }

  /// Puts another row in the place of one.
  void replace_row(Eigen::Index row, const SparseRow& entries);
  /// Multiplies a row by `pivot` after it was added to others, times an entry each.
  void spread_row(Eigen::Index row, double pivot, SparseRow others);

  Eigen::VectorXd solve(Eigen::VectorXd right) const;
  Eigen::VectorXd solve_transposed(Eigen::VectorXd right) const;

 private:
  struct Pivot {
    Eigen::Index column = none;
    double value = 0;
    SparseRow upper;  ///< by column
    SparseRow lower;  ///< by row, of those before
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
  std::vector<Eigen::Index> step_of_;  ///< the row whose pivot a column has
  std::vector<Eigen::Index> count_;    ///< entries of the columns
  Eigen::VectorXd scale_;              ///< the largest of them
  Eigen::VectorXd work_;               ///< a row that is being added; else 0
  std::vector<char> touched_;
};

/// The constraints that determine a vertex of a problem with levels.
///
/// Each level has one constraint of its own: a row of that level, or a bound of it. As many more
/// as there are other columns stand in the border. In
///
///     | D  B |   own constraints: D is diagonal
///     | E  F |   border: a row has an entry in one level at most
///
/// all products with the inverse come from D and from the factors of S = F - E D^-1 B, which is as
/// small as the number of other columns (generalised upper bounds, Dantzig and Van Slyke 1967) and
/// as empty as their rows: the levels of further columns stand in it.
/// Constraints have numbers: level l's own is l, those of the border follow.
class BorderedBasis {
 public:
  /// Every coordinate is held by itself. `rows` are those of the problem's matrix.
  BorderedBasis(const LadProblem& problem, std::shared_ptr<const SparseRows> rows,
                const Eigen::VectorXd& start);

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
  /// Rows take the places of parked coordinates, as far as they determine them.
  void hold(const std::vector<Eigen::Index>& rows);
  /// Factorises anew; the numbers of the border change. A constraint that rounding has made depend
  /// on others is left for a parked coordinate.
  void factorise();

 private:
  std::shared_ptr<const SparseRows> rows_;
  const LadProblem* problem_;  ///< only for changes
  Eigen::Index first_;
  Eigen::Index levels_;
  Eigen::Index border_;
  std::vector<ActiveConstraint> constraints_;
  std::vector<char> holds_row_;
  Eigen::VectorXd diagonal_;                ///< D
  std::vector<Eigen::Index> border_level_;  ///< which column of E, or none
  Eigen::VectorXd border_entry_;            ///< the entry there
  Eigen::VectorXi touching_;                ///< border constraints in each level
  SparseLu factors_;                        ///< of S

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
/// once, and a descent may then cycle; the shifts part them. Multipliers do not depend on the
/// responses, so the final basis is the right one for the given problem too.
Eigen::VectorXd perturbed_response(const LadProblem& problem);

/// For any |lambda_i| <= w_i:  cost(x) >= lambda'r + min over the box of (c - A'lambda)'x.
double dual_bound_of(const LadProblem& problem, const Eigen::VectorXd& lambda);

/// The cost and the point of a result, of the given problem at `x` moved into its box.
void set_point(const LadProblem& problem, const Eigen::VectorXd& x, LadResult& out);

/// A row that moves a coordinate less than this, beside the others, cannot hold it in place.
inline constexpr double kWorthlessPivot = 1e-8;
/// One that has held it does not any more where rounding is all that is left of it.
inline constexpr double kDependent = 1e-13;

/// Pivots after which a basis is factorised anew, so that rounding does not pile up.
inline constexpr std::size_t kRefactorEvery = 64;

/// Rows that stand for the square of a linear function in a problem of absolute values.
inline constexpr Eigen::Index kSquareRows = 8;

/// Writes weight v^2, v = direction'x with |v| <= reach, into the rows from `row` on, as its
/// tangents at multiples of s = reach / 4: weight s sum_k |v - b_k|, b_k = +-(k + 1/2) s, less what
/// is added to `constant`.
void put_square(const Eigen::VectorXd& direction, double weight, double reach, Eigen::Index row,
                LadProblem& problem, double& constant);

/// The descent along the edges of a LadProblem's cost, from vertex to vertex.
class EdgeDescent {
 public:
  /// Begins at `start`, or where the options' active rows have no residual if that is a vertex in
  /// the box.
  EdgeDescent(const LadProblem& problem, const Eigen::VectorXd& start, const LadOptions& options);

  /// One edge. False where no edge descends: the vertex is optimal.
  bool step();

  /// The vertex of the unperturbed problem and its certificate.
  LadResult result();

 private:
  const LadProblem& problem_;
  Eigen::Index rows_;
  Eigen::Index columns_;
  Eigen::VectorXd x_;
  Eigen::VectorXd response_;
  Eigen::VectorXd residual_;
  Eigen::VectorXd gradient_;      ///< of the cost without the rows that the basis holds
  Eigen::VectorXd column_scale_;  ///< the largest slope a coordinate can have
  std::stop_token stop_;
  LadBasis basis_;
  Eigen::MatrixXd matrix_;  ///< that of the problem, stored by columns
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
/// they do. Such edges are followed wherever one descends; the others only where none does.
class LevelDescent {
 public:
  /// Begins at `start`, or where the options' active rows have no residual if that is a vertex in
  /// the box.
  LevelDescent(const LadProblem& problem, const Eigen::VectorXd& start, const LadOptions& options);

  /// Every level to where it alone cannot improve, then one edge of the border. False where none
  /// descends: the vertex is optimal.
  bool step();

  /// The vertex of the unperturbed problem and its certificate.
  LadResult result();

 private:
  const LadProblem& problem_;
  Eigen::VectorXd response_;
  BorderedVector x_;
  BorderedVector lower_;
  BorderedVector upper_;
  Eigen::VectorXd residual_;
  BorderedVector gradient_;      ///< of the cost without the rows that the basis holds
  BorderedVector column_scale_;  ///< the largest slope a coordinate can have
  /// The rows of level l are rows_[rows_begin_[l]] .. rows_[rows_begin_[l + 1]].
  std::vector<Eigen::Index> rows_;
  std::vector<std::size_t> rows_begin_;
  std::shared_ptr<const SparseRows> matrix_;  ///< that of the problem
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

/// A sum of absolute deviations of a smooth model, as a sequence of problems of linear models sees
/// it: one per step, in the changes of the constants.
class LinearisedRows {
 public:
  virtual ~LinearisedRows() = default;

  virtual double cost(const Eigen::VectorXd& at) const = 0;
  virtual void linearise_at(const Eigen::VectorXd& at) = 0;

  /// The problem within the trust region; `constant` is what its cost holds on top of the model's.
  virtual optimise::LadProblem problem(double radius, double& constant) const = 0;

  /// The change of the constants that brings the residuals of the step's active rows back to zero
  /// where the curvature of the model has moved them: a second-order correction.
  virtual Eigen::VectorXd correction(const optimise::LadResult& step,
                                     const Eigen::VectorXd& trial) const = 0;

  /// In the box; the cost says how much a change is worth.
  virtual Eigen::VectorXd inside(const Eigen::VectorXd& at, double cost) const = 0;

  /// The constants from which the finish can go on where no step gains any more.
  virtual std::optional<Eigen::VectorXd> wake(const optimise::LadResult&) const { return {}; }

  /// How far a step moves what the trust region holds.
  virtual double length(const Eigen::VectorXd& step) const = 0;

  /// Whether a step that fails also tells how large the region may be: where something curved is
  /// not held by its radius alone, it does not.
  virtual bool length_bounds_radius() const { return true; }
};

/// Sequential linear programming: each step solves the linearised problem exactly within a trust
/// region (Osborne and Watson 1971; trust regions after Fletcher 1981). Never worse than the start.
Optimum minimise_by_sequential_lad(LinearisedRows& problem, const Eigen::VectorXd& start,
                                   double gap_to_stop, const std::stop_token& stop);

}  // namespace perfmodel
