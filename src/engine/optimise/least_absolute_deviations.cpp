#include "optimise/least_absolute_deviations.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace perfmodel::optimise {

/// Solves a problem with all of its rows at once, by a descent along the edges of its cost.
LadResult descend(const LadProblem& problem, const VectorXd& start, const LadOptions& options);

namespace {

/// Rows that keep their kink at first: this many per column, at least this share of all.
constexpr Index kRowsPerColumn = 50;
constexpr Index kOneRowIn = 100;

/// All columns, including those of levels.
Index columns_of(const LadProblem& problem) {
  return problem.matrix.cols() + problem.levels.count;
}

Index rows_at_first(const LadProblem& problem) {
  const Index rows = problem.matrix.rows();
  return std::min(rows, std::max(kRowsPerColumn * columns_of(problem), rows / kOneRowIn));
}

/// Distance of each row to its kink, in units of the effect of a typical change of x: a change by
/// which a row with a `typical` entry in a column changes by one.
VectorXd distance_to_kink(const RowMajorMatrix& matrix, bool with_levels, const VectorXd& residual,
                          const VectorXd& typical) {
  VectorXd reach = matrix.cwiseAbs() * typical.cwiseMax(1e-300).cwiseInverse();
  if (with_levels)
    reach.array() += 1;  // the entry of its level, in units of itself
  return (residual.array().abs() / reach.array().max(1e-300)).matrix();
}

std::vector<char> nearest_rows(const LadProblem& problem, const VectorXd& residual) {
  const Index rows = problem.matrix.rows();
  const Index kept = rows_at_first(problem);
  const VectorXd typical = problem.matrix.cwiseAbs().colwise().mean().transpose();
  const VectorXd distance =
      distance_to_kink(problem.matrix, !problem.levels.empty(), residual, typical);
  std::vector<Index> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), Index{0});
  std::nth_element(order.begin(), order.begin() + (kept - 1), order.end(), [&](Index a, Index b) {
    return distance[a] != distance[b] ? distance[a] < distance[b] : a < b;
  });
  std::vector<char> keeps_kink(static_cast<std::size_t>(rows), 0);
  for (Index k = 0; k < kept; ++k)
    keeps_kink[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])] = 1;
  return keeps_kink;
}

/// The problem of the rows that keep their kink. `linear_cost`: cost of the others at x = 0;
/// `rows`: the index of each row in the whole problem, ascending.
struct Sifted {
  LadProblem problem;
  std::vector<Index> rows;
  double linear_cost = 0;
};

Sifted reduce(const LadProblem& problem, const std::vector<char>& keeps_kink,
              const VectorXd& residual) {
  Sifted out;
  VectorXd pull = VectorXd::Zero(problem.matrix.rows());
  for (Index i = 0; i < problem.matrix.rows(); ++i)
    if (keeps_kink[static_cast<std::size_t>(i)])
      out.rows.push_back(i);
    else
      pull[i] = residual[i] > 0 ? problem.weights[i] : -problem.weights[i];
  out.linear_cost = pull.dot(problem.response);
  out.problem.bounds = problem.bounds;
  out.problem.linear = -transposed_product(problem.matrix, problem.levels, pull);
  if (problem.linear.size() > 0)
    out.problem.linear += problem.linear;
  const Index kept = static_cast<Index>(out.rows.size());
  out.problem.matrix.resize(kept, problem.matrix.cols());
  out.problem.response.resize(kept);
  out.problem.weights.resize(kept);
  if (!problem.levels.empty())
    out.problem.levels = {.first = problem.levels.first,
                          .count = problem.levels.count,
                          .of_row = {},
                          .value = VectorXd(kept)};
  for (Index k = 0; k < kept; ++k) {
    const Index row = out.rows[static_cast<std::size_t>(k)];
    out.problem.matrix.row(k) = problem.matrix.row(row);
    out.problem.response[k] = problem.response[row];
    out.problem.weights[k] = problem.weights[row];
    if (!problem.levels.empty()) {
      out.problem.levels.of_row.push_back(problem.levels.of_row[static_cast<std::size_t>(row)]);
      out.problem.levels.value[k] = problem.levels.value[row];
    }
  }
  return out;
}

/// Indices of rows of the whole problem in the reduced one, whose rows ascend.
std::vector<Index> places_of(const std::vector<Index>& rows, const std::vector<Index>& kept) {
  std::vector<Index> places;
  for (const Index row : rows)
    places.push_back(std::lower_bound(kept.begin(), kept.end(), row) - kept.begin());
  return places;
}

/// The rows of a problem. All but some count as linear, with the sign that they have at the start.
class SiftedRows {
 public:
  SiftedRows(const LadProblem& problem, const VectorXd& start)
      : problem_(problem),
        residual_(problem.response - product(problem.matrix, problem.levels, start)) {}

  /// The rows that may change their sign keep their kink, and so do the given ones.
  void keep_nearest(const std::vector<Index>& active) {
    keeps_kink_ = nearest_rows(problem_, residual_);
    for (const Index row : active)
      keeps_kink_[static_cast<std::size_t>(row)] = 1;
  }

  Sifted reduced() const { return reduce(problem_, keeps_kink_, residual_); }

  /// Linear rows with another sign at x keep their kink from now on. Returns true if there were
  /// any; `cost` is set to that of all rows at x.
  bool keep_wrong(const VectorXd& x, double& cost) {
    const VectorXd residual = problem_.response - product(problem_.matrix, problem_.levels, x);
    bool any_wrong = false;
    for (Index i = 0; i < residual.size(); ++i) {
      char& keeps = keeps_kink_[static_cast<std::size_t>(i)];
      if (keeps || (residual[i] > 0) == (residual_[i] > 0))
        continue;
      keeps = 1;
      any_wrong = true;
    }
    cost = problem_.weights.dot(residual.cwiseAbs());
    if (problem_.linear.size() > 0)
      cost += problem_.linear.dot(x);
    return any_wrong;
  }

 private:
  const LadProblem& problem_;
  VectorXd residual_;
  std::vector<char> keeps_kink_;
};

/// True if sifting starts with fewer rows than the problem has.
bool leaves_rows_out(const LadProblem& problem) {
  return rows_at_first(problem) < problem.matrix.rows();
}

/// Solves a problem of many rows through problems of few: only rows whose residual may change its
/// sign keep their kink, all others count as linear with their current sign. Rows whose sign turns
/// out to have changed are added, and the problem is solved again. Exact: at the end no sign is
/// wrong, and the multipliers of the linear rows, +-w, are feasible (Portnoy and Koenker 1997,
/// "globs").
LadResult sift(const LadProblem& problem, const VectorXd& start, const LadOptions& options) {
  SiftedRows rows(problem, start);
  rows.keep_nearest(options.active_rows);
  std::vector<Index> active = options.active_rows;
  VectorXd x = start;
  std::size_t iterations = 0;
  while (true) {
    const Sifted sifted = rows.reduced();
    LadOptions inner = options;
    inner.active_rows = places_of(active, sifted.rows);
    LadResult out = descend(sifted.problem, x, inner);
    for (Index& row : out.active_rows)
      row = sifted.rows[static_cast<std::size_t>(row)];
    active = out.active_rows;
    iterations += out.iterations;
    const bool any_wrong = rows.keep_wrong(out.x, out.cost);
    if (any_wrong && out.termination == LadTermination::optimal) {
      // The others keep their signs, so that the number of iterations is finite.
      x = out.x;
      continue;
    }
    out.dual_bound += sifted.linear_cost;
    out.iterations = iterations;
    return out;
  }
}

}  // namespace

void put_square(const VectorXd& direction, double weight, double reach, Index row,
                LadProblem& problem, double& constant) {
  constexpr Index on_each_side = kSquareRows / 2;
  const double spacing = reach / static_cast<double>(on_each_side);
  for (Index k = 0; k < on_each_side; ++k) {
    for (const double side : {-1.0, 1.0}) {
      const double kink = side * (static_cast<double>(k) + 0.5) * spacing;
      problem.matrix.row(row) = direction.transpose();
      problem.response[row] = kink;
      problem.weights[row] = weight * spacing;
      constant += weight * spacing * std::abs(kink);
      ++row;
    }
  }
}

LadResult solve_lad(const LadProblem& problem, const VectorXd& start, const LadOptions& options) {
  if (!problem.bounds.contains(start))
    throw std::invalid_argument("the start is outside the box");
  const bool many_rows = problem.matrix.rows() > static_cast<Index>(options.sift_above);
  return many_rows && leaves_rows_out(problem) ? sift(problem, start, options)
                                               : descend(problem, start, options);
}

}  // namespace perfmodel::optimise

namespace perfmodel {
namespace {

constexpr double kFirstRadius = 0.5;
constexpr double kSmallestRadius = 1e-8;
constexpr std::size_t kMostSteps = 100;
/// Predicted gain, as a share of the cost, below which idle terms are checked before refinement has
/// ended, and the gain since the last check that makes another worthwhile.
constexpr double kGainToWake = 1e-4;
constexpr double kGainBetweenWakes = 1e-3;
/// Share of the predicted gain above which a step needs no correction and the radius may grow.
constexpr double kGoodRatio = 0.75;
constexpr int kCorrections = 3;
/// Predicted gain, as a share of the cost, below which a step is also tried at a multiple.
constexpr double kGainToExtrapolate = 1e-5;
constexpr int kMostStrides = 10;
/// Gap above which an optimum does not count as proven.
constexpr double kUnproven = 1e-9;

/// Solves the problem from a change of zero.
optimise::LadResult solve(const optimise::LadProblem& problem,
                          const optimise::LadOptions& options) {
  return optimise::solve_lad(problem, VectorXd::Zero(problem.bounds.lower.size()), options);
}

}  // namespace

Optimum minimise_by_sequential_lad(LinearisedRows& fit, const VectorXd& start, double gap_to_stop,
                                   const std::stop_token& stop) {
  Optimum out;
  out.at = start;
  out.cost = fit.cost(start);
  fit.linearise_at(start);
  double radius = kFirstRadius;
  std::optional<VectorXd> anchor;  // start of the last step
  double cost_when_woken = std::numeric_limits<double>::infinity();
  std::vector<Index> active_rows;
  while (out.steps < kMostSteps && radius > kSmallestRadius && !stop.stop_requested()) {
    ++out.steps;
    double constant = 0;
    const optimise::LadResult step =
        solve(fit.problem(radius, constant), {.active_rows = active_rows, .stop = stop});
    const double gain = out.cost - (step.cost - constant);
    const double possible = std::max(0.0, out.cost - (step.dual_bound - constant));
    out.relative_gap = out.cost > 0 ? possible / out.cost : 0;
    const bool at_end = gain <= gap_to_stop * out.cost;
    // More kinks than constants may meet at the optimum. The rows that an earlier step has left
    // active may then be a set that proves nothing; a cold start to the same point finds one that
    // does.
    if (at_end && out.relative_gap > std::max(kUnproven, 10 * gap_to_stop) &&
        !active_rows.empty()) {
      active_rows.clear();
      continue;
    }
    active_rows = step.active_rows;
    const double since_woken = at_end ? gap_to_stop : kGainBetweenWakes;
    if ((at_end || gain <= kGainToWake * out.cost) &&
        out.cost < (1 - since_woken) * cost_when_woken) {
      cost_when_woken = out.cost;
      if (const auto woken = fit.wake(step)) {
        anchor.reset();
        out.at = *woken;
        fit.linearise_at(*woken);
        radius = kFirstRadius;
        continue;
      }
    }
    if (at_end)
      break;
    VectorXd trial = fit.inside(out.at + step.x, out.cost);
    double trial_cost = fit.cost(trial);
    ++out.evaluations;
    for (int k = 0; k < kCorrections && trial_cost > out.cost - kGoodRatio * gain; ++k) {
      const VectorXd corrected = fit.inside(trial + fit.correction(step, trial), out.cost);
      const double corrected_cost = fit.cost(corrected);
      ++out.evaluations;
      if (!(corrected_cost < trial_cost))
        break;
      trial = corrected;
      trial_cost = corrected_cost;
    }
    const double ratio = (out.cost - trial_cost) / gain;
    const double used = fit.length(step.x);
    if (ratio < 0.25)
      radius = 0.25 * (fit.length_bounds_radius() ? std::min(radius, used) : radius);
    else if (ratio > kGoodRatio)
      radius = std::max(radius, 2 * used);
    if (trial_cost < out.cost) {
      // Small steps zigzag along a curved valley, from one side to the other: the sum of two
      // successive ones points along the valley.
      if (ratio < kGoodRatio && gain <= kGainToExtrapolate * out.cost && anchor) {
        VectorXd stride = trial - *anchor;
        for (int k = 0; k < kMostStrides; ++k) {
          VectorXd ahead = fit.inside(trial + stride, out.cost);
          ahead = fit.inside(ahead + fit.correction(step, ahead), out.cost);
          const double cost_ahead = fit.cost(ahead);
          ++out.evaluations;
          if (!(cost_ahead < trial_cost))
            break;
          stride = 2 * (ahead - trial);
          trial = ahead;
          trial_cost = cost_ahead;
        }
      }
      anchor = out.at;
      out.at = trial;
      out.cost = trial_cost;
      fit.linearise_at(trial);
    }
  }
  return out;
}

}  // namespace perfmodel
