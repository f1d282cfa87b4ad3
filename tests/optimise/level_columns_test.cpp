#include "optimise/algebra.hpp"

#include <cmath>
#include <stop_token>
#include <utility>

#include "base/random.hpp"
#include "optimise/least_absolute_deviations.hpp"
#include "perfmodel/error.hpp"
#include "support/catch.hpp"

using namespace perfmodel;
using namespace perfmodel::optimise;
using Eigen::Index;
using Eigen::VectorXd;

namespace {

/// Columns 0..1 dense, then the levels, then two more dense ones; some rows have no level.
LadProblem problem_with_levels(std::uint64_t seed, Index rows, Index levels, Index further = 0) {
  RandomStream random(seed, "levels");
  LadProblem out;
  out.response.resize(rows);
  out.weights.resize(rows);
  out.matrix = {
      rows, 4 + levels + further, true, [&](const auto& put) {
        for (Index i = 0; i < rows; ++i) {
          for (const Index j : {Index{0}, Index{1}, 2 + levels, 3 + levels})
            put(i, j, random.normal());
          const bool has_level = random.uniform() < 0.9;
          const auto level = static_cast<Index>(random.below(static_cast<std::size_t>(levels)));
          const double entry = random.uniform(0.5, 2);
          if (has_level)
            put(i, 2 + level, entry);
          if (further > 0)
            put(i, 4 + levels + static_cast<Index>(random.below(static_cast<std::size_t>(further))),
                random.uniform(0.5, 2));
          out.response[i] = 3 * random.normal() + 0.2 * static_cast<double>(level % 7);
          out.weights[i] = random.uniform(0.5, 2);
        }
      }};
  const Index columns = out.matrix.cols();
  out.linear = VectorXd::Constant(columns, 0.01);
  out.bounds = {VectorXd::Constant(columns, -1.5), VectorXd::Constant(columns, 2)};
  return out;
}

LadProblem with_dense_columns(const LadProblem& problem) {
  LadProblem out = problem;
  out.matrix = RowMajorMatrix(*problem.matrix.sparse);
  return out;
}

}  // namespace

TEST_CASE("products with a sparse matrix are those of the dense one", "[lad]") {
  const LadProblem problem = problem_with_levels(1, 50, 9);
  const RowMajorMatrix dense = with_dense_columns(problem).matrix.dense;
  const VectorXd x = VectorXd::LinSpaced(13, -1, 2);
  const VectorXd v = VectorXd::LinSpaced(50, -3, 1);
  CHECK((problem.matrix * x - dense * x).norm() < 1e-12);
  CHECK((problem.matrix.transposed_times(v) - dense.transpose() * v).norm() < 1e-12);
  CHECK((problem.matrix.absolute().transposed_times(v) - dense.cwiseAbs().transpose() * v).norm() <
        1e-12);
  CHECK(problem.matrix.row(7) == VectorXd(dense.row(7)));
  RowMatrix more = problem.matrix.take_rows({3, 8});
  more.append(problem.matrix.take_rows({5, 6}), 2);
  const std::vector<Index> rows = {3, 8, 5, 5, 6, 6};
  CHECK(RowMajorMatrix(*more.sparse) == dense(rows, Eigen::all));
}

TEST_CASE("levels are the longest columns of which each row has one", "[lad]") {
  const LevelColumns found = LevelColumns::of(*problem_with_levels(1, 200, 9).matrix.sparse);
  CHECK(found.first == 2);
  CHECK(found.count == 9);
  const LevelColumns second = LevelColumns::of(*problem_with_levels(1, 400, 9, 30).matrix.sparse);
  CHECK(second.first == 13);
  CHECK(second.count == 30);
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
    const VectorXd change = result.change_for(raises);
    const VectorXd moved = problem.matrix * change;
    CHECK((moved(result.active_rows) - raises).norm() < 1e-7);
    CHECK(result.slopes(problem.linear).dot(raises) ==
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

TEST_CASE("the levels of a second column stand in the border of the basis", "[lad]") {
  constexpr Index second = 90;  // more than are priced one by one
  LadProblem problem = problem_with_levels(4, 260, 100, second);
  const Index columns = problem.matrix.cols();
  for (const double width : {0.4, 3.0, 50.0}) {
    problem.bounds = {VectorXd::Constant(columns, -width), VectorXd::Constant(columns, width)};
    const VectorXd start = VectorXd::Zero(columns);
    const LadResult dense = solve_lad(with_dense_columns(problem), start);
    const LadResult cold = solve_lad(problem, start);
    const LadResult warm = solve_lad(problem, start, {.active_rows = cold.active_rows});
    INFO("width " << width);
    for (const LadResult& result : {cold, warm}) {
      CHECK(result.cost == Catch::Approx(dense.cost).epsilon(1e-11));
      CHECK(result.cost - result.dual_bound <= 1e-9 * std::abs(result.cost));
      CHECK(problem.bounds.contains(result.x));
    }
    if (width > 10)  // active rows alone are a vertex only where no bound holds
      CHECK(warm.iterations < cold.iterations);
  }
}

namespace {

/// Two columns of levels and three other columns.
RowMatrix jacobian_with_levels(Index rows, Index first, Index second) {
  RandomStream random(5, "sparse matrix");
  return {rows, first + second + 3, true, [&](const auto& put) {
            for (Index i = 0; i < rows; ++i) {
              const double product = random.uniform(0.5, 2);
              for (const auto& [begin, count] : {std::pair(Index{3}, first), {3 + first, second}})
                put(i, begin + static_cast<Index>(random.below(static_cast<std::size_t>(count))),
                    product);
              for (Index j = 0; j < 3; ++j)
                put(i, j, random.normal());
            }
          }};
}

}  // namespace

TEST_CASE("a matrix over constants with levels does what the dense one does", "[lad]") {
  const Index rows = 400;
  const Index first = 60;
  const Index second = GENERATE(80, 20);
  const RowMatrix jacobian = jacobian_with_levels(rows, first, second);
  const Index size = first + second + 3;
  const auto entries = [&](const SymmetricMatrix& matrix) {
    Eigen::MatrixXd out(size, size);
    for (Index j = 0; j < size; ++j)
      out.col(j) = matrix * VectorXd::Unit(size, j);
    return out;
  };
  const VectorXd weights = VectorXd::LinSpaced(rows, 0.5, 2);
  const SymmetricMatrix whole = gram(jacobian, weights);
  REQUIRE(whole.is_sparse());
  const SymmetricMatrix unit = scaled(whole, whole.diagonal().cwiseSqrt().cwiseInverse());
  const Eigen::MatrixXd dense = entries(unit);
  CHECK((dense.diagonal() - VectorXd::Ones(size)).norm() < 1e-12);
  CHECK((dense - dense.transpose()).norm() < 1e-12);

  std::vector<bool> held(static_cast<std::size_t>(size), false);
  held[1] = held[70] = true;
  const SymmetricMatrix dense_matrix = dense;
  // A level of one column more, of the other less: no row tells.
  const Eigen::MatrixXd flat = null_space(unit, held);
  const Eigen::MatrixXd expected = null_space(dense_matrix, held);
  REQUIRE(flat.cols() == expected.cols());
  REQUIRE(null_space(unit, std::vector<bool>(held.size(), false)).cols() == 1);
  CHECK((flat * flat.transpose() - expected * expected.transpose()).norm() < 1e-6);

  VectorXd b = VectorXd::LinSpaced(size, -1, 1);
  for (std::size_t k = 0; k < held.size(); ++k)
    if (held[k])
      b[static_cast<Index>(k)] = 0;
  for (const std::vector<bool>& excluded : {held, std::vector<bool>(held.size(), false)}) {
    const PseudoInverse inverse(unit, excluded);
    const PseudoInverse of_dense(dense_matrix, excluded);
    CHECK(inverse.rank() == of_dense.rank());
    CHECK((inverse * b - of_dense * b).norm() < 1e-8 * (of_dense * b).norm());
  }

  SymmetricMatrix lifted = unit;
  lifted.add_to_diagonal(VectorXd::Constant(size, 0.1));
  const auto solved = solve_free(lifted, held, b, {});
  const auto solved_dense = solve_free(SymmetricMatrix(entries(lifted)), held, b, {});
  REQUIRE((solved && solved_dense));
  CHECK((*solved - *solved_dense).norm() < 1e-10);
}

TEST_CASE("equations of levels are solved whether they fill up or not", "[lad]") {
  // The factors of 60 and 80 levels have hardly any zeros.
  const auto [first, second] = GENERATE(std::pair<Index, Index>(60, 80), std::pair(400, 400));
  SymmetricMatrix matrix = gram(jacobian_with_levels(400, first, second), VectorXd::Ones(400));
  REQUIRE(matrix.is_sparse());
  matrix.add_to_diagonal(VectorXd::Constant(matrix.size(), 0.1));
  std::vector<bool> held(static_cast<std::size_t>(matrix.size()), false);
  held[1] = held[70] = true;
  const VectorXd b = VectorXd::LinSpaced(matrix.size(), -1, 1);
  const auto solved = solve_free(matrix, held, b, {});
  REQUIRE(solved);
  const VectorXd left = b - matrix * *solved;
  for (Index k = 0; k < matrix.size(); ++k)
    CHECK(std::abs(held[static_cast<std::size_t>(k)] ? (*solved)[k] : left[k]) < 1e-10);
}

TEST_CASE("algebra over constants looks at a stop", "[lad]") {
  const RowMatrix jacobian = jacobian_with_levels(400, 60, 20);
  const SymmetricMatrix with_levels = gram(jacobian, VectorXd::Ones(400));
  const std::vector<bool> held(83, false);
  std::stop_source source;
  source.request_stop();
  for (const SymmetricMatrix& matrix :
       {with_levels, SymmetricMatrix(Eigen::MatrixXd::Identity(83, 83))}) {
    CHECK_FALSE(solve_free(matrix, held, VectorXd::Ones(83), source.get_token()));
    CHECK_THROWS_AS(null_space(matrix, held, source.get_token()), Interrupted);
    CHECK_THROWS_AS(PseudoInverse(matrix, held, source.get_token()), Interrupted);
  }
  CHECK_FALSE(solve_free(SymmetricMatrix(-Eigen::MatrixXd::Identity(83, 83)), held,
                         VectorXd::Ones(83), {}));
}
