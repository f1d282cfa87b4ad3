#include "trust/resampling.hpp"

#include <cmath>

#include "base/random.hpp"
#include "support/catch.hpp"

using namespace perfmodel;

TEST_CASE("the runs farthest from the model come first, in standard deviations", "[fit]") {
  RandomStream random(1, "outliers test");
  Eigen::VectorXd predicted(2001);
  Eigen::VectorXd measured(2001);
  for (Eigen::Index r = 0; r < 2001; ++r) {
    predicted[r] = 1 + random.uniform();
    measured[r] = predicted[r] * std::exp(0.1 * random.normal());
  }
  measured[70] = predicted[70] * std::exp(1);
  measured[7] = predicted[7] * std::exp(-2);
  const auto ranked = ranked_outliers(measured, predicted);
  REQUIRE(ranked.size() == 2001);
  CHECK(ranked[0].row == 7);
  // The standard error of a robust scale from 2001 rows is 2.6 %.
  CHECK(ranked[0].robust_z == Catch::Approx(-20).epsilon(0.1));
  CHECK(ranked[1].row == 70);
  CHECK(ranked[1].robust_z == Catch::Approx(10).epsilon(0.1));
  // Runs that the model meets exactly have no scale to measure outliers by.
  CHECK(ranked_outliers(Eigen::VectorXd::Ones(5), Eigen::VectorXd::Ones(5)).empty());
  CHECK(ranked_outliers(Eigen::VectorXd(), Eigen::VectorXd()).empty());
}
