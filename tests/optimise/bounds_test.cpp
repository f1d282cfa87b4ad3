#include "optimise/algebra.hpp"

#include <limits>
#include <stdexcept>
#include <string>

#include "support/catch.hpp"

using namespace perfmodel::optimise;

namespace {

std::string bounds_complaint(const Bounds& bounds) {
  try {
    require_valid(bounds);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

Bounds box(double lower, double upper) {
  return {Eigen::Vector2d(0, lower), Eigen::Vector2d(1, upper)};
}

}  // namespace

TEST_CASE("A box contains its bounds and nothing outside them", "[optimise]") {
  const Bounds bounds = box(-1, 1);
  CHECK(bounds.contains(Eigen::Vector2d(0, 1)));
  CHECK(bounds.contains(Eigen::Vector2d(1, -1)));
  CHECK_FALSE(bounds.contains(Eigen::Vector2d(0.5, 1.0000001)));
  CHECK_FALSE(bounds.contains(Eigen::Vector2d(std::numeric_limits<double>::quiet_NaN(), 0)));
}

TEST_CASE("A coordinate with equal bounds is not free", "[optimise]") {
  CHECK(free_coordinates(box(-1, 1)) == std::vector<Eigen::Index>{0, 1});
  CHECK(free_coordinates(box(3, 3)) == std::vector<Eigen::Index>{0});
}

TEST_CASE("Bounds that cannot be searched are refused with their coordinate", "[optimise]") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK(bounds_complaint(box(-1, 1)).empty());
  CHECK(bounds_complaint(box(2, 1)) == "the bounds 2:1 of coordinate 1 are crossed");
  CHECK(bounds_complaint(box(0, infinity)) == "the bounds 0:inf of coordinate 1 are not finite");
  CHECK(bounds_complaint(box(std::numeric_limits<double>::quiet_NaN(), 0)) ==
        "the bounds nan:0 of coordinate 1 are not finite");
  CHECK(bounds_complaint(box(-1e308, 1e308)) ==
        "the bounds -1e+308:1e+308 of coordinate 1 are too far apart");
  CHECK(bounds_complaint({Eigen::Vector2d(0, 0), Eigen::VectorXd::Zero(1)}) ==
        "there are 2 lower but 1 upper bounds");
}
