#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <stop_token>

#include "base/random.hpp"
#include "optimise/algebra.hpp"
#include "perfmodel/error.hpp"
#include "support/catch.hpp"

using namespace perfmodel;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// Of full rank, up to `missing`.
MatrixXd random_gram(Index size, Index missing, RandomStream& random) {
  MatrixXd factor(size, size - missing);
  for (double& value : factor.reshaped())
    value = random.normal();
  return factor * factor.transpose();
}

std::stop_token requested() {
  std::stop_source source;
  source.request_stop();
  return source.get_token();
}

}  // namespace

TEST_CASE("Cholesky factors that look at a stop have the bits of Eigen's", "[fit]") {
  RandomStream random(1, "cholesky");
  for (const Index size : {1, 2, 31, 32, 129, 300}) {
    CAPTURE(size);
    const MatrixXd matrix = random_gram(size, 0, random);
    const VectorXd right = matrix.col(0);
    const StoppableCholesky factors(matrix, {});
    CHECK(factors.is_positive());
    CHECK_FALSE(factors.stopped());
    CHECK(factors.solve(right) == matrix.llt().solve(right));
    CHECK(StoppableCholesky(matrix, requested()).stopped());
    CHECK_FALSE(StoppableCholesky(-matrix, {}).is_positive());
  }
}

TEST_CASE("eigenvectors that look at a stop have the bits of Eigen's", "[fit]") {
  RandomStream random(1, "eigen");
  for (const auto& [size, missing] :
       {std::pair<Index, Index>{1, 0}, {2, 1}, {3, 0}, {40, 7}, {200, 0}}) {
    CAPTURE(size, missing);
    const MatrixXd matrix = random_gram(size, missing, random);
    const Eigen::SelfAdjointEigenSolver<MatrixXd> expected(matrix);
    const Eigensystem found = decompose_symmetric(matrix, {});
    CHECK(found.values == expected.eigenvalues());
    CHECK(found.vectors == expected.eigenvectors());
    if (size > 1)
      CHECK_THROWS_AS(decompose_symmetric(matrix, requested()), Interrupted);
  }
  const Eigensystem of_zero = decompose_symmetric(MatrixXd::Zero(3, 3), {});
  CHECK(of_zero.values == VectorXd::Zero(3));
}
