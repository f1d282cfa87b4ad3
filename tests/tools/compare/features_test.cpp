#include "compare/comparison.hpp"

#include <cmath>

#include "support/catch.hpp"

using namespace perfmodel;

TEST_CASE("features are the numbers and one column of 0 and 1 per level") {
  Design design;
  design.rows = 2;
  design.intrinsic.push_back({.values = {1, 100}, .codes = {1, 0}});
  design.extrinsic.push_back({.values = {4, 4}, .codes = {}});
  design.categorical.push_back({.levels = 3, .codes = {2, 0}});
  Eigen::MatrixXd expected(2, 5);
  expected << 100, 4, 0, 0, 1, 1, 4, 1, 0, 0;
  CHECK(one_hot_features(design, NumericForm::plain) == expected);
  expected(0, 0) = std::log(100);
  expected(1, 0) = 0;
  expected.col(1).setConstant(std::log(4));
  CHECK(one_hot_features(design, NumericForm::logarithmic) == expected);
}

TEST_CASE("standardised columns have mean 0 and standard deviation 1 over n") {
  Eigen::MatrixXd rows(4, 2);
  rows << 1, 5, 3, 5, 1, 5, 3, 5;
  Eigen::MatrixXd expected(4, 2);
  expected << -1, 0, 1, 0, -1, 0, 1, 0;
  CHECK(standard_units(rows)(rows) == expected);
}
