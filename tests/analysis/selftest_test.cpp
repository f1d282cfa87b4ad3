#include "analysis/selftest.hpp"

#include <cmath>
#include <set>

#include "support/catch.hpp"

using namespace perfmodel;

TEST_CASE("matching digits are the negative logarithm of the relative error", "[selftest]") {
  CHECK(matching_digits(2, 2) == 15);
  CHECK(matching_digits(1.001, 1) == Catch::Approx(3));
  CHECK(matching_digits(-0.99, -1) == Catch::Approx(2));
  CHECK(matching_digits(5, 1) == 0);
  CHECK(matching_digits(std::nan(""), 1) == 0);
}

TEST_CASE("the certified answers of NIST and of the stack loss are met to 9 digits", "[selftest]") {
  std::set<std::string> problems;
  for (const SelftestFigure& figure : run_selftest()) {
    CAPTURE(figure.problem, figure.quantity, figure.computed, figure.certified);
    CHECK(figure.digits >= 9);
    CHECK(figure.passed());
    problems.insert(figure.problem);
  }
  CHECK(problems.size() == 5);
}
