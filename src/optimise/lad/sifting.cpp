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

/// How near each row is to its kink, in units of what a typical change of x does to it: one that
/// changes a row by one where its entry in a column is as `typical` of that.
VectorXd distance_to_kink(const RowMajorMatrix& matrix, bool with_levels, const VectorXd& residual,
                          const VectorXd& typical) {
  VectorXd reach = matrix.cwiseAbs() * typical.cwiseMax(1e-300).cwiseInverse();
  if (with_levels)
    reach.array() += 1;  // a level's own entry, in units of itself
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

/// The problem of the rows that keep their kink; `linear_cost` is what the others add to its cost
/// at x = 0 and `rows` says which row of the whole problem each of its rows is, ascending.
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

/// The rows of a problem, all but some of which count as linear with the sign that they have at the
/// start.
class SiftedRows {
 public:
  SiftedRows(const LadProblem& problem, const VectorXd& start)
      : problem_(problem),
        residual_(problem.response - product(problem.matrix, problem.levels, start)) {}

  /// Rows that may change their sign keep their kink, and these.
  void keep_nearest(const std::vector<Index>& active) {
    keeps_kink_ = nearest_rows(problem_, residual_);
    for (const Index row : active)
      keeps_kink_[static_cast<std::size_t>(row)] = 1;
  }

  Sifted reduced() const { return reduce(problem_, keeps_kink_, residual_); }

  /// Linear rows whose sign is another at x keep their kink from now on. Returns whether there were
  /// any; `cost` is that of all rows at x.
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

}  // namespace

bool leaves_rows_out(const LadProblem& problem) {
  return rows_at_first(problem) < problem.matrix.rows();
}

LadResult sift(const LadProblem& problem, const VectorXd& start, const LadOptions& options,
               const LadSolver& solve) {
  SiftedRows rows(problem, start);
  rows.keep_nearest(options.active_rows);
  std::vector<Index> active = options.active_rows;
  VectorXd x = start;
  std::size_t iterations = 0;
  while (true) {
    const Sifted sifted = rows.reduced();
    LadOptions inner = options;
    inner.active_rows = places_of(active, sifted.rows);
    LadResult out = solve(sifted.problem, x, inner);
    for (Index& row : out.active_rows)
      row = sifted.rows[static_cast<std::size_t>(row)];
    active = out.active_rows;
    iterations += out.iterations;
    const bool any_wrong = rows.keep_wrong(out.x, out.cost);
    if (any_wrong && out.termination == LadTermination::optimal) {
      // The others keep the signs they were given, so that taking rows in ends.
      x = out.x;
      continue;
    }
    out.dual_bound += sifted.linear_cost;
    out.iterations = iterations;
    return out;
  }
}

}  // namespace perfmodel::optimise
