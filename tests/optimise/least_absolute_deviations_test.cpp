#include "optimise/least_absolute_deviations.hpp"

#include <cmath>
#include <stop_token>

#include "base/random.hpp"
#include "support/catch.hpp"
#include "support/certified.hpp"

using namespace perfmodel;
using namespace perfmodel::optimise;
using Eigen::Index;
using Eigen::VectorXd;
using test::matching_digits;

namespace {

LadProblem empty_problem(Index rows, Index columns, double bound) {
  LadProblem problem;
  problem.matrix.dense.resize(rows, columns);
  problem.response.resize(rows);
  problem.weights = VectorXd::Ones(rows);
  problem.linear = VectorXd::Zero(columns);
  problem.bounds = {VectorXd::Constant(columns, -bound), VectorXd::Constant(columns, bound)};
  return problem;
}

LadProblem random_problem(std::uint64_t seed, Index rows, Index columns) {
  RandomStream random(seed, "lad test");
  LadProblem problem = empty_problem(rows, columns, 5);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j)
      problem.matrix.dense(i, j) = random.normal();
    problem.response[i] = 3 * random.normal();
    problem.weights[i] = random.uniform(0.5, 2);
  }
  return problem;
}

/// Brownlee's stack loss plant: air flow, water temperature, acid concentration, stack loss.
LadProblem stackloss() {
  constexpr double data[21][4] = {
      {80, 27, 89, 42}, {80, 27, 88, 37}, {75, 25, 90, 37}, {62, 24, 87, 28}, {62, 22, 87, 18},
      {62, 23, 87, 18}, {62, 24, 93, 19}, {62, 24, 93, 20}, {58, 23, 87, 15}, {58, 18, 80, 14},
      {58, 18, 89, 14}, {58, 17, 88, 13}, {58, 18, 82, 11}, {58, 19, 93, 12}, {50, 18, 89, 8},
      {50, 18, 86, 7},  {50, 19, 72, 8},  {50, 19, 79, 8},  {50, 20, 80, 9},  {56, 20, 82, 15},
      {70, 20, 91, 15}};
  LadProblem problem = empty_problem(21, 4, 1000);
  for (Index i = 0; i < 21; ++i) {
    problem.matrix.dense.row(i) << 1, data[i][0], data[i][1], data[i][2];
    problem.response[i] = data[i][3];
  }
  return problem;
}

double cost_at(const LadProblem& problem, const VectorXd& x) {
  return problem.weights.dot((problem.response - problem.matrix * x).cwiseAbs()) +
         problem.linear.dot(x);
}

}  // namespace

TEST_CASE("the stack loss certificate is met to 12 digits", "[lad][certified]") {
  const LadResult result = solve_lad(stackloss(), VectorXd::Zero(4));
  CHECK(matching_digits(result.x[0], -13693.0 / 345) > 12);
  CHECK(matching_digits(result.x[1], 287.0 / 345) > 12);
  CHECK(matching_digits(result.x[2], 66.0 / 115) > 12);
  CHECK(matching_digits(result.x[3], -7.0 / 115) > 12);
  CHECK(matching_digits(result.cost, 14518.0 / 345) > 12);
  CHECK(result.cost - result.dual_bound < 1e-8);
}

TEST_CASE("one column without bounds in the way gives the weighted median", "[lad]") {
  LadProblem problem = empty_problem(5, 1, 100);
  problem.matrix.dense.setOnes();
  problem.response << 1, 2, 3, 10, 20;
  problem.weights << 1, 1, 1, 1, 5;
  CHECK(solve_lad(problem, VectorXd::Zero(1)).x[0] == Catch::Approx(20));
  problem.weights << 1, 1, 1, 1, 1;
  CHECK(solve_lad(problem, VectorXd::Zero(1)).x[0] == Catch::Approx(3));
}

TEST_CASE("the duality gap closes on random problems and no random point of the box is better",
          "[lad]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const LadProblem problem = random_problem(seed, 80, 6);
    const LadResult result = solve_lad(problem, VectorXd::Constant(6, 1.0));
    CAPTURE(seed);
    CHECK(result.termination == LadTermination::optimal);
    CHECK(result.cost == Catch::Approx(cost_at(problem, result.x)).epsilon(1e-12));
    CHECK(result.cost - result.dual_bound < 1e-9 * result.cost);
    RandomStream random(seed, "probe");
    for (int probe = 0; probe < 200; ++probe) {
      VectorXd x = result.x;
      for (Index j = 0; j < 6; ++j)
        x[j] += 0.1 * random.normal();
      if (problem.bounds.contains(x))
        CHECK(cost_at(problem, x) >= result.cost);
    }
  }
}

TEST_CASE("bounds that bind hold exactly and the gap still closes", "[lad]") {
  LadProblem problem = random_problem(7, 100, 5);
  problem.bounds = {VectorXd::Constant(5, 0.0), VectorXd::Constant(5, 0.05)};
  const LadResult result = solve_lad(problem, VectorXd::Constant(5, 0.02));
  CHECK(problem.bounds.contains(result.x));
  CHECK(((result.x.array() == 0.0) || (result.x.array() == 0.05)).any());
  CHECK(result.cost - result.dual_bound < 1e-9 * result.cost);
}

TEST_CASE("equal bounds fix a coordinate", "[lad]") {
  LadProblem problem = random_problem(3, 60, 3);
  problem.bounds.lower[1] = problem.bounds.upper[1] = 0.25;
  const LadResult result = solve_lad(problem, VectorXd::Constant(3, 0.25));
  CHECK(result.x[1] == 0.25);
  CHECK(result.cost - result.dual_bound < 1e-9 * result.cost);
}

TEST_CASE("duplicate rows, which make vertices degenerate, neither cycle nor spoil the certificate",
          "[lad]") {
  LadProblem problem = random_problem(5, 200, 8);
  for (Index i = 50; i < 200; ++i) {
    problem.matrix.dense.row(i) = problem.matrix.dense.row(i % 50);
    problem.response[i] = problem.response[i % 50];
    problem.weights[i] = problem.weights[i % 50];
  }
  LadProblem merged = random_problem(5, 200, 8);
  merged.matrix.dense.conservativeResize(50, 8);
  merged.response.conservativeResize(50);
  merged.weights = 4 * problem.weights.head(50);
  const LadResult repeated = solve_lad(problem, VectorXd::Zero(8));
  const LadResult single = solve_lad(merged, VectorXd::Zero(8));
  CHECK(repeated.cost - repeated.dual_bound < 1e-8 * repeated.cost);
  CHECK(repeated.cost == Catch::Approx(single.cost).epsilon(1e-9));
}

TEST_CASE("columns that depend on each other still give the optimal cost", "[lad]") {
  LadProblem problem = random_problem(9, 120, 6);
  problem.matrix.dense.col(2) = problem.matrix.dense.col(3) + problem.matrix.dense.col(4);
  problem.matrix.dense.col(5).setZero();
  const LadResult result = solve_lad(problem, VectorXd::Zero(6));
  CHECK(result.cost - result.dual_bound < 1e-9 * result.cost);
}

TEST_CASE("a linear cost tilts the optimum", "[lad]") {
  LadProblem problem = random_problem(11, 60, 4);
  problem.linear = VectorXd::Constant(4, 3.0);
  const LadResult result = solve_lad(problem, VectorXd::Zero(4));
  CHECK(result.cost == Catch::Approx(cost_at(problem, result.x)).epsilon(1e-12));
  CHECK(result.cost - result.dual_bound < 1e-9 * std::abs(result.cost));
}

TEST_CASE("the order of the rows does not move the optimum", "[lad]") {
  const LadProblem problem = random_problem(13, 90, 5);
  LadProblem reversed = problem;
  reversed.matrix.dense = problem.matrix.dense.colwise().reverse().eval();
  reversed.response = problem.response.reverse().eval();
  reversed.weights = problem.weights.reverse().eval();
  const VectorXd start = VectorXd::Zero(5);
  CHECK((solve_lad(problem, start).x - solve_lad(reversed, start).x).norm() < 1e-9);
}

TEST_CASE("a limit of iterations and a stop request end the descent with a feasible point",
          "[lad]") {
  const LadProblem problem = random_problem(17, 200, 10);
  const LadResult limited = solve_lad(problem, VectorXd::Zero(10), {.iterations = 3});
  CHECK(limited.termination == LadTermination::iteration_limit);
  CHECK(limited.iterations == 3);
  CHECK(problem.bounds.contains(limited.x));
  CHECK(limited.cost <= cost_at(problem, VectorXd::Zero(10)));
  std::stop_source source;
  source.request_stop();
  const LadResult stopped = solve_lad(problem, VectorXd::Zero(10), {.stop = source.get_token()});
  CHECK(stopped.termination == LadTermination::interrupted);
}

TEST_CASE("a start outside the box is the caller's mistake", "[lad]") {
  const LadProblem problem = random_problem(1, 10, 2);
  CHECK_THROWS_AS(solve_lad(problem, VectorXd::Constant(2, 6.0)), std::invalid_argument);
}

TEST_CASE("a problem solved through smaller ones has the same optimum and certificate", "[lad]") {
  for (const std::uint64_t seed : {21U, 22U, 23U}) {
    LadProblem problem = random_problem(seed, 4000, 6);
    problem.bounds.upper[0] = 0.01;
    problem.linear[2] = 5;
    const LadResult whole = solve_lad(problem, VectorXd::Zero(6));
    const LadResult sifted = solve_lad(problem, VectorXd::Zero(6), {.sift_above = 100});
    CAPTURE(seed);
    CHECK(sifted.cost == Catch::Approx(whole.cost).epsilon(1e-11));
    CHECK(sifted.cost - sifted.dual_bound < 1e-9 * sifted.cost);
    CHECK((sifted.x - whole.x).norm() < 1e-8);
    for (const Index row : sifted.active_rows)
      CHECK(std::abs(problem.response[row] - problem.matrix.dense.row(row).dot(sifted.x)) < 1e-9);
  }
}

TEST_CASE(
    "a descent that begins at the active rows of a problem nearby ends at the same optimum sooner",
    "[lad]") {
  LadProblem problem = random_problem(31, 600, 8);
  const LadResult first = solve_lad(problem, VectorXd::Zero(8));
  problem.matrix.dense *= 1.001;
  const LadResult cold = solve_lad(problem, VectorXd::Zero(8));
  const LadResult warm = solve_lad(problem, VectorXd::Zero(8), {.active_rows = first.active_rows});
  CHECK(warm.cost == Catch::Approx(cold.cost).epsilon(1e-12));
  CHECK(warm.cost - warm.dual_bound < 1e-9 * warm.cost);
  CHECK(warm.iterations < cold.iterations);
}

TEST_CASE("active rows that hold no vertex of the box are no harm", "[lad]") {
  LadProblem problem = random_problem(33, 100, 4);
  problem.matrix.dense.row(1) = problem.matrix.dense.row(0);
  problem.bounds = {VectorXd::Constant(4, -0.01), VectorXd::Constant(4, 0.01)};
  const LadResult result = solve_lad(problem, VectorXd::Zero(4), {.active_rows = {0, 1, 2, 3, 4}});
  CHECK(problem.bounds.contains(result.x));
  CHECK(result.cost - result.dual_bound < 1e-9 * result.cost);
}
