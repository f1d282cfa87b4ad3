#include "optimise/least_absolute_deviations.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "base/text.hpp"

namespace perfmodel::optimise {

/// Solves a problem with all of its rows at once, by a descent along the edges of its cost.
LadResult descend(const LadProblem& problem, const VectorXd& start, const LadOptions& options);

namespace {

/// Rows that keep their kink at first: this many per column, at least this share of all.
constexpr Index kRowsPerColumn = 50;
constexpr Index kOneRowIn = 100;

Index rows_at_first(const LadProblem& problem) {
  const Index rows = problem.matrix.rows();
  return std::min(rows, std::max(kRowsPerColumn * problem.matrix.cols(), rows / kOneRowIn));
}

/// Distance of each row to its kink, in units of the effect of a typical change of x: a change by
/// which a row with a typical entry in a column changes by one.
VectorXd distance_to_kink(const RowMatrix& matrix, const VectorXd& residual) {
  const RowMatrix size = matrix.absolute();
  VectorXd typical(size.cols());
  if (size.is_sparse()) {
    VectorXd counts = VectorXd::Zero(size.cols());
    for (Index k = 0; k < size.sparse->nonZeros(); ++k)
      ++counts[size.sparse->innerIndexPtr()[k]];
    const VectorXd sums = size.transposed_times(VectorXd::Ones(size.rows()));
    typical = sums.cwiseQuotient(counts.cwiseMax(1));
  } else {
    typical = size.dense.colwise().mean().transpose();
  }
  const VectorXd reach = size * typical.cwiseMax(1e-300).cwiseInverse();
  return (residual.array().abs() / reach.array().max(1e-300)).matrix();
}

std::vector<char> nearest_rows(const LadProblem& problem, const VectorXd& residual) {
  const Index rows = problem.matrix.rows();
  const Index kept = rows_at_first(problem);
  const VectorXd distance = distance_to_kink(problem.matrix, residual);
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
  out.problem.linear = -problem.matrix.transposed_times(pull);
  if (problem.linear.size() > 0)
    out.problem.linear += problem.linear;
  out.problem.matrix = problem.matrix.take_rows(out.rows);
  out.problem.response = problem.response(out.rows);
  out.problem.weights = problem.weights(out.rows);
  return out;
}

/// Indices of rows of the whole problem in the reduced one, whose rows ascend.
std::vector<Index> places_of(const std::vector<Index>& rows, const std::vector<Index>& kept) {
  std::vector<Index> places;
  for (const Index row : rows)
    places.push_back(std::ranges::lower_bound(kept, row) - kept.begin());
  return places;
}

/// Solves a problem of many rows through problems of few: only rows whose residual may change its
/// sign keep their kink, all others count as linear with their current sign. Rows whose sign turns
/// out to have changed are added, and the problem is solved again. Exact: at the end no sign is
/// wrong, and the multipliers of the linear rows, +-w, are feasible (Portnoy and Koenker 1997,
/// "globs").
LadResult sift(const LadProblem& problem, const VectorXd& start, const LadOptions& options) {
  const VectorXd at_start = problem.response - problem.matrix * start;
  std::vector<char> keeps_kink = nearest_rows(problem, at_start);
  for (const Index row : options.active_rows)
    keeps_kink[static_cast<std::size_t>(row)] = 1;
  std::vector<Index> active = options.active_rows;
  VectorXd x = start;
  std::size_t iterations = 0;
  while (true) {
    const Sifted sifted = reduce(problem, keeps_kink, at_start);
    LadOptions inner = options;
    inner.active_rows = places_of(active, sifted.rows);
    LadResult out = descend(sifted.problem, x, inner);
    for (Index& row : out.active_rows)
      row = sifted.rows[static_cast<std::size_t>(row)];
    active = out.active_rows;
    iterations += out.iterations;
    const VectorXd residual = problem.response - problem.matrix * out.x;
    bool any_wrong = false;
    for (Index i = 0; i < residual.size(); ++i) {
      char& keeps = keeps_kink[static_cast<std::size_t>(i)];
      const bool is_wrong = !keeps && (residual[i] > 0) != (at_start[i] > 0);
      keeps = keeps || is_wrong ? 1 : 0;
      any_wrong = any_wrong || is_wrong;
    }
    if (any_wrong && out.termination == LadTermination::optimal) {
      // The others keep their signs, so that the number of iterations is finite.
      x = out.x;
      continue;
    }
    out.cost = problem.weights.dot(residual.cwiseAbs());
    if (problem.linear.size() > 0)
      out.cost += problem.linear.dot(out.x);
    out.dual_bound += sifted.linear_cost;
    out.iterations = iterations;
    return out;
  }
}

}  // namespace

void put_square(double weight, double reach, Index row, LadProblem& problem, double& constant) {
  constexpr Index on_each_side = kSquareRows / 2;
  const double spacing = reach / static_cast<double>(on_each_side);
  for (Index k = 0; k < on_each_side; ++k) {
    for (const double side : {-1.0, 1.0}) {
      const double kink = side * (static_cast<double>(k) + 0.5) * spacing;
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
  const bool many_rows = problem.matrix.rows() > index(options.sift_above);
  return many_rows && rows_at_first(problem) < problem.matrix.rows()
             ? sift(problem, start, options)
             : descend(problem, start, options);
}

}  // namespace perfmodel::optimise
