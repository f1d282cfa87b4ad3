#include <cmath>

#include "base/eigen.hpp"
#include "support/catch.hpp"
#include "trust/turning.hpp"

using namespace perfmodel;
using Catch::Approx;

TEST_CASE("Student's t has the chances of published tables", "[certified][intervals]") {
  // Two-sided quantiles (Abramowitz and Stegun, table 26.10).
  CHECK(chance_of_t(12.706, 1) == Approx(0.05).epsilon(1e-4));
  CHECK(chance_of_t(4.303, 2) == Approx(0.05).epsilon(1e-3));
  CHECK(chance_of_t(9.925, 2) == Approx(0.01).epsilon(1e-3));
  CHECK(chance_of_t(3.182, 3) == Approx(0.05).epsilon(1e-3));
  CHECK(chance_of_t(4.604, 4) == Approx(0.01).epsilon(1e-3));
  CHECK(chance_of_t(2.228, 10) == Approx(0.05).epsilon(1e-3));
  CHECK(chance_of_t(-2.131, 15) == Approx(0.05).epsilon(1e-3));
  CHECK(chance_of_t(2.617, 120) == Approx(0.01).epsilon(2e-3));
  CHECK(chance_of_t(0, 7) == 1);
}

TEST_CASE("a regression with one more column has the t value of its coefficient",
          "[certified][intervals]") {
  const VectorXd x{{1, 2, 3, 4, 5, 6}};
  const VectorXd y{{2.1, 3.9, 6.2, 7.8, 10.1, 11.7}};
  MatrixXd columns(6, 3);  // a constant, twice, and nothing: rank 1
  columns << VectorXd::Ones(6), VectorXd::Ones(6) * 1e6, VectorXd::Zero(6);
  const auto found = regression_with(columns, x, y);
  REQUIRE(found);
  // The textbook's slope and its standard error.
  const double sxx = (x.array() - x.mean()).square().sum();
  const double slope = ((x.array() - x.mean()) * (y.array() - y.mean())).sum() / sxx;
  const VectorXd left = y.array() - y.mean() - slope * (x.array() - x.mean());
  const double deviation = std::sqrt(left.squaredNorm() / 4);
  CHECK(found->coefficients[3] == Approx(slope));
  CHECK(found->deviation == Approx(deviation));
  CHECK(found->error_of(VectorXd::Unit(4, 3)) == Approx(deviation / std::sqrt(sxx)));
  CHECK(found->chance == Approx(chance_of_t(slope / (deviation / std::sqrt(sxx)), 4)));
  // What the columns have already says nothing, nor do two runs.
  CHECK_FALSE(regression_with(columns, VectorXd::Constant(6, 3), y));
  CHECK_FALSE(regression_with(columns.topRows(2), x.head(2), y.head(2)));
}
