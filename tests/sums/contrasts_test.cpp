#include "sums/normal_matrix.hpp"

#include "base/text.hpp"
#include "support/catch.hpp"

using namespace perfmodel;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST_CASE("contrasts are orthonormal, sum to 0 and tell all levels apart", "[fit][multi]") {
  for (const Index levels : {2, 3, 9}) {
    const MatrixXd basis = contrasts(to_size(levels));
    const Index size = levels - 1;
    CHECK((basis.transpose() * basis).isApprox(MatrixXd::Identity(size, size), 1e-14));
    CHECK(basis.colwise().sum().norm() < 1e-14);
    for (Index level = 0; level <= size; ++level)
      CHECK(level_of(basis.row(level)) == level);
  }
}

TEST_CASE("sums over levels are put in contrasts as their products would be", "[fit][multi]") {
  for (const Index levels : {2, 3, 9}) {
    const MatrixXd basis = contrasts(to_size(levels));
    const MatrixXd of_levels = MatrixXd::NullaryExpr(
        basis.rows(), 4, [](Index i, Index j) { return 1 / static_cast<double>(1 + i + 3 * j); });
    CHECK(contrast_sums(of_levels).isApprox(basis.transpose() * of_levels, 1e-13));
    const VectorXd weights = of_levels.col(1);
    CHECK(contrast_products(weights).isApprox(basis.transpose() * weights.asDiagonal() * basis,
                                              1e-13));
  }
}
