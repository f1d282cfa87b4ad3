#include <Eigen/Core>
#include <cmath>

#include "gp/kernel.hpp"
#include "support/catch.hpp"

using namespace perfmodel::gp;

TEST_CASE("a column with zeros counts in units of its smallest value above 0", "[process]") {
  const Eigen::Vector4d values(6, 0, 2, 0);
  REQUIRE(usual_form(values) == CoordinateForm::log_one_plus);
  const Coordinate found = standardised(CoordinateForm::log_one_plus, values);
  CHECK(found.unit == 2);
  // In units of 2 the values are 3, 0, 1, 0.
  const Eigen::Vector4d places(std::log(4), 0, std::log(2), 0);
  CHECK(found.centre == Catch::Approx(places.mean()));
  const double deviation = std::sqrt((places.array() - places.mean()).square().mean());
  CHECK(found.scale == Catch::Approx(deviation));
  CHECK(standardised(CoordinateForm::log, Eigen::Vector2d(2, 8)).unit == 1);
}
