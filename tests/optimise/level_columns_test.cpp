#include "optimise/algebra.hpp"

#include <cmath>

#include "base/random.hpp"
#include "optimise/least_absolute_deviations.hpp"
#include "support/catch.hpp"

using namespace perfmodel;
using namespace perfmodel::optimise;
using Eigen::Index;
using Eigen::VectorXd;

namespace {

/// Columns 0..1 dense, then the levels, then two more dense ones; some rows have no level.
LadProblem problem_with_levels(std::uint64_t seed, Index rows, Index levels) {
  RandomStream random(seed, "levels");
  LadProblem out;
  out.matrix.resize(rows, 4);
  out.response.resize(rows);
  out.weights.resize(rows);
  out.levels = {.first = 2, .count = levels, .of_row = {}, .value = VectorXd(rows)};
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < 4; ++j)
      out.matrix(i, j) = random.normal();
    const bool has_level = random.uniform() < 0.9;
    const auto level = static_cast<Index>(random.below(static_cast<std::size_t>(levels)));
    out.levels.of_row.push_back(has_level ? level : LevelColumns::none);
    out.levels.value[i] = random.uniform(0.5, 2);
    out.response[i] = 3 * random.normal() + 0.2 * static_cast<double>(level % 7);
    out.weights[i] = random.uniform(0.5, 2);
  }
  out.linear = VectorXd::Constant(levels + 4, 0.01);
  out.bounds = {VectorXd::Constant(levels + 4, -1.5), VectorXd::Constant(levels + 4, 2)};
  return out;
}

LadProblem with_dense_columns(const LadProblem& problem) {
  LadProblem out = problem;
  const LevelColumns& levels = problem.levels;
  out.matrix.setZero(problem.matrix.rows(), problem.matrix.cols() + levels.count);
  for (Index i = 0; i < problem.matrix.rows(); ++i) {
    VectorXd entries = VectorXd::Zero(levels.count);
    const Index level = levels.of_row[static_cast<std::size_t>(i)];
    if (level != LevelColumns::none)
      entries[level] = levels.value[i];
    out.matrix.row(i) = levels.joined(problem.matrix.row(i).transpose(), entries).transpose();
  }
  out.levels = {};
  return out;
}

}  // namespace

TEST_CASE("products with level columns are those of the dense matrix", "[lad]") {
  const LadProblem problem = problem_with_levels(1, 50, 9);
  const LadProblem dense = with_dense_columns(problem);
  const VectorXd x = VectorXd::LinSpaced(13, -1, 2);
  const VectorXd v = VectorXd::LinSpaced(50, -3, 1);
  CHECK((product(problem.matrix, problem.levels, x) - dense.matrix * x).norm() < 1e-12);
  CHECK((transposed_product(problem.matrix, problem.levels, v) - dense.matrix.transpose() * v)
            .norm() < 1e-12);
  CHECK((absolute_transposed_product(problem.matrix, problem.levels, v) -
         dense.matrix.cwiseAbs().transpose() * v)
            .norm() < 1e-12);
}

TEST_CASE("absolute deviations with level columns have the optimum of the dense problem", "[lad]") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Index levels = seed % 3 == 0 ? 60 : 20;
    const LadProblem problem = problem_with_levels(seed, 150, levels);
    const VectorXd start = VectorXd::Constant(levels + 4, seed % 2 == 0 ? 0.0 : 2.0);
    const LadResult dense = solve_lad(with_dense_columns(problem), start);
    const LadResult result = solve_lad(problem, start);
    INFO("seed " << seed);
    CHECK(result.cost == Catch::Approx(dense.cost).epsilon(1e-11));
    CHECK(result.cost - result.dual_bound <= 1e-9 * result.cost);
    CHECK(problem.bounds.contains(result.x));
    // The vertex leads where it says: the active rows rise by what is asked, the others' bounds
    // hold.
    const VectorXd raises =
        VectorXd::LinSpaced(static_cast<Index>(result.active_rows.size()), 0.1, 1);
    const VectorXd change = result.vertex->change_for(raises);
    const VectorXd moved = product(problem.matrix, problem.levels, change);
    CHECK((moved(result.active_rows) - raises).norm() < 1e-7);
    CHECK(result.vertex->slopes(problem.linear).dot(raises) ==
          Catch::Approx(problem.linear.dot(change)).epsilon(1e-7));
  }
}

TEST_CASE("the rows that were active are a place to begin with level columns, too", "[lad]") {
  LadProblem problem = problem_with_levels(5, 400, 80);
  problem.bounds = {VectorXd::Constant(84, -50), VectorXd::Constant(84, 50)};
  const VectorXd start = VectorXd::Zero(84);
  const LadResult first = solve_lad(problem, start);
  problem.response[7] += 1e-3;
  const LadResult cold = solve_lad(problem, start);
  const LadResult warm = solve_lad(problem, start, {.active_rows = first.active_rows});
  CHECK(warm.cost == Catch::Approx(cold.cost).epsilon(1e-11));
  CHECK(warm.iterations < cold.iterations);
}

TEST_CASE("sifting keeps the optimum of problems with level columns", "[lad]") {
  const LadProblem problem = problem_with_levels(9, 4000, 12);
  const VectorXd start = VectorXd::Zero(16);
  const LadResult whole = solve_lad(problem, start);
  const LadResult sifted = solve_lad(problem, start, {.sift_above = 100});
  CHECK(sifted.cost == Catch::Approx(whole.cost).epsilon(1e-11));
  CHECK(sifted.cost - sifted.dual_bound <= 1e-9 * sifted.cost);
}
