#include "gp/matrix.hpp"

#include <Eigen/Cholesky>
#include <limits>
#include <optional>
#include <vector>

#include "base/random.hpp"
#include "support/catch.hpp"

using namespace perfmodel;
using namespace perfmodel::gp;
using Eigen::Index;
using Eigen::MatrixXd;

namespace {

MatrixXd random_numbers(Index rows, Index columns) {
  RandomStream random(1, "triangular matrices");
  return MatrixXd::NullaryExpr(rows, columns, [&] { return random.normal(); });
}

MatrixXd lower_half(const MatrixXd& matrix) {
  return matrix.triangularView<Eigen::Lower>();
}

double largest(const MatrixXd& matrix) {
  return matrix.cwiseAbs().maxCoeff();
}

}  // namespace

TEST_CASE(
    "triangular matrices in blocks are those of Eigen, with the same bits for every "
    "instruction set and number of threads",
    "[fit][process]") {
  // Within a tile, beyond it by one, beyond what is copied at once, enough for several threads.
  for (const Index n : {1, 5, 16, 17, 64, 67, 150, 401, 650}) {
    const MatrixXd half = random_numbers(n, n);
    const MatrixXd matrix =
        half * half.transpose() / static_cast<double>(n) + MatrixXd::Identity(n, n);
    const MatrixXd right = random_numbers(n, 7);
    const Eigen::LLT<MatrixXd> expected(matrix);
    std::optional<MatrixXd> first;
    std::vector<DenseWork> ways = {{.threads = 3}};
    for (const InstructionSet instructions : available_instruction_sets())
      ways.push_back({.instructions = instructions});
    for (const DenseWork& work : ways) {
      CAPTURE(n, to_text(work.instructions), work.threads);
      MatrixXd lower = matrix;
      REQUIRE(factorise(lower, work));
      CHECK(largest(lower_half(lower) - MatrixXd(expected.matrixL())) < 1e-13);

      MatrixXd solved = right;
      solve_forward(lower, solved, work);
      CHECK(largest(MatrixXd(expected.matrixL()) * solved - right) < 1e-12);

      const MatrixXd inverse = inverse_of_lower(lower, work);
      CHECK(largest(inverse * MatrixXd(expected.matrixL()) - MatrixXd::Identity(n, n)) < 1e-12);
      CHECK(largest(inverse - lower_half(inverse)) == 0);

      const MatrixXd square = squared_lower(inverse, work);
      CHECK(largest(lower_half(square - expected.solve(MatrixXd::Identity(n, n)))) < 1e-12);

      MatrixXd all(n, 3 * n + 7);
      all << lower_half(lower), solved, inverse, lower_half(square);
      if (!first)
        first = all;
      CHECK(all == *first);
    }
  }
}

TEST_CASE("a matrix that is not positive definite has no Cholesky factor", "[fit][process]") {
  for (const Index n : {1, 16, 40}) {
    MatrixXd matrix = MatrixXd::Identity(n, n);
    matrix(n - 1, n - 1) = -1;
    CHECK_FALSE(factorise(matrix));
    matrix = MatrixXd::Identity(n, n);
    matrix(n / 2, n / 2) = std::numeric_limits<double>::quiet_NaN();
    CHECK_FALSE(factorise(matrix));
  }
}
