#include "optimise/lad/sifting.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace perfmodel::optimise {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Rows that keep their kink at first: this many per column, at least this share of all.
constexpr Index kRowsPerColumn = 50;
constexpr Index kOneRowIn = 100;

/// All columns, those of levels included.
Index columns_of(const LadProblem& problem) {
  return problem.matrix.cols() + problem.levels.count;
}

Index rows_at_first(const LadProblem& problem) {
  const Index rows = problem.matrix.rows();
  return std::min(rows, std::max(kRowsPerColumn * columns_of(problem), rows / kOneRowIn));
}

/// How near each row is to its kink, in units of what a typical change of x does to it.
VectorXd distance_to_kink(const LadProblem& problem, const VectorXd& residual) {
  const Eigen::RowVectorXd typical =
      problem.matrix.cwiseAbs().colwise().mean().array().max(1e-300).matrix();
  VectorXd reach = problem.matrix.cwiseAbs() * typical.cwiseInverse().transpose();
  if (!problem.levels.empty())
    reach.array() += 1;  // a level's own entry, in units of itself
  return (residual.array().abs() / reach.array().max(1e-300)).matrix();
}

std::vector<char> nearest_rows(const LadProblem& problem, const VectorXd& residual) {
  const Index rows = problem.matrix.rows();
  const Index kept = rows_at_first(problem);
  const VectorXd distance = distance_to_kink(problem, residual);
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

/// The problem of the rows that keep their kink; `linear_cost` is what the others add to its cost
/// at x = 0 and `rows` says which row of the whole problem each of its rows is.
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

/// Where the rows of the whole problem stand in the reduced one, which ascends.
std::vector<Index> places_of(const std::vector<Index>& rows, const std::vector<Index>& kept) {
  std::vector<Index> places;
  for (const Index row : rows)
    places.push_back(std::lower_bound(kept.begin(), kept.end(), row) - kept.begin());
  return places;
}

}  // namespace

bool leaves_rows_out(const LadProblem& problem) {
  return rows_at_first(problem) < problem.matrix.rows();
}

LadResult sift(const LadProblem& problem, const VectorXd& start, const LadOptions& options,
               const LadSolver& solve) {
  VectorXd residual = problem.response - product(problem.matrix, problem.levels, start);
  std::vector<char> keeps_kink = nearest_rows(problem, residual);
  std::vector<Index> active = options.active_rows;
  for (const Index row : active)
    keeps_kink[static_cast<std::size_t>(row)] = 1;
  VectorXd x = start;
  std::size_t iterations = 0;
  while (true) {
    const Sifted sifted = reduce(problem, keeps_kink, residual);
    LadOptions inner = options;
    inner.active_rows = places_of(active, sifted.rows);
    LadResult out = solve(sifted.problem, x, inner);
    for (Index& row : out.active_rows)
      row = sifted.rows[static_cast<std::size_t>(row)];
    active = out.active_rows;
    iterations += out.iterations;
    const VectorXd new_residual = problem.response - product(problem.matrix, problem.levels, out.x);
    bool any_wrong = false;
    for (Index i = 0; i < new_residual.size(); ++i) {
      char& keeps = keeps_kink[static_cast<std::size_t>(i)];
      if (keeps || (new_residual[i] > 0) == (residual[i] > 0))
        continue;
      keeps = 1;
      any_wrong = true;
    }
    if (any_wrong && out.termination == LadTermination::optimal) {
      // The others keep the signs they were given, so that taking rows in ends.
      x = out.x;
      continue;
    }
    out.cost = problem.weights.dot(new_residual.cwiseAbs());
    if (problem.linear.size() > 0)
      out.cost += problem.linear.dot(out.x);
    out.dual_bound += sifted.linear_cost;
    out.iterations = iterations;
    return out;
  }
}

}  // namespace perfmodel::optimise
