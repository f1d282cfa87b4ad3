#include "fit/fit_with_process.hpp"

#include <cmath>

#include "support/catch.hpp"

using namespace perfmodel;
using Eigen::VectorXd;

TEST_CASE("errors count by the larger of their logarithm and what they are of the time",
          "[fit][process]") {
  // Half and twice the time; e^5 times counts as e^3 times.
  CHECK(mean_either_way(VectorXd{{std::log(2.0)}}) == Approx(std::log(2.0)));
  CHECK(mean_either_way(VectorXd{{-std::log(2.0)}}) == Approx(1.0));
  CHECK(mean_either_way(VectorXd{{-5, 0}}) == Approx((std::exp(3.0) - 1) / 2));
  CHECK(mean_either_way(VectorXd{{5, 0}}) == Approx(1.5));
}

TEST_CASE("errors are clearly smaller where most runs say so, not where one does",
          "[fit][process]") {
  const VectorXd large = VectorXd::Constant(20, 0.2);
  const VectorXd small = VectorXd::Constant(20, 0.1);
  CHECK(clearly_smaller(small, large));
  CHECK_FALSE(clearly_smaller(large, small));
  CHECK_FALSE(clearly_smaller(small, small));
  VectorXd one_off = small;
  one_off[3] = -3;
  CHECK_FALSE(clearly_smaller(small, one_off));
  CHECK_FALSE(clearly_smaller(small.head(5), large));
}
