#include "perfmodel/table.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "support/catch.hpp"

namespace perfmodel {
namespace {

using Catch::Approx;

Eigen::VectorXd vector(std::initializer_list<double> values) {
  Eigen::VectorXd result(static_cast<Eigen::Index>(values.size()));
  Eigen::Index i = 0;
  for (const double value : values)
    result[i++] = value;
  return result;
}

TEST_CASE("metrics agree with a calculation by hand", "[metrics]") {
  // Errors 1, -1, 2, 0; relative 1/1, 1/2, 2/4, 0; mean of the times 15/4.
  const Metrics m = compute_metrics(vector({1, 2, 4, 8}), vector({2, 1, 6, 8}));
  CHECK(m.rows == 4);
  CHECK(m.mae == 1.0);
  CHECK(m.mape_percent == 50.0);
  CHECK(m.smape_percent == Approx(100 * (2.0 / 3 + 2.0 / 3 + 4.0 / 10) / 4));
  CHECK(m.mse == 1.5);
  CHECK(m.rmse == std::sqrt(1.5));
  // RSS 6; TSS 85 - 4 * (15/4)^2 = 28.75.
  CHECK(m.r2 == Approx(1 - 6 / 28.75));
}

TEST_CASE("a perfect prediction has no error and an R2 of 1, predicting the mean one of 0",
          "[metrics]") {
  const Metrics m = compute_metrics(vector({0.1, 0.7}), vector({0.1, 0.7}));
  CHECK(m.mae == 0);
  CHECK(m.mape_percent == 0);
  CHECK(m.smape_percent == 0);
  CHECK(m.rmse == 0);
  CHECK(m.r2 == 1);
  CHECK(compute_metrics(vector({1, 2, 3}), vector({2, 2, 2})).r2 == 0);
}

TEST_CASE("R2 is not a number where all times are equal", "[metrics]") {
  // The mean of three times 0.1 is not 0.1 in doubles: TSS is tiny, but not 0.
  CHECK(std::isnan(compute_metrics(vector({0.1, 0.1, 0.1}), vector({0.1, 0.2, 0.1})).r2));
  CHECK(std::isnan(compute_metrics(vector({5}), vector({4})).r2));
}

TEST_CASE(
    "rows twice or in another order have the same metrics, and the unit of time scales MAE "
    "and RMSE and leaves percentages and R2",
    "[metrics]") {
  const Metrics once = compute_metrics(vector({1, 2, 4}), vector({2, 1, 6}));
  CHECK(compute_metrics(vector({1, 2, 4, 1, 2, 4}), vector({2, 1, 6, 2, 1, 6})).rows == 6);
  for (const auto& [unit, other] :
       {std::pair(1., compute_metrics(vector({1, 2, 4, 1, 2, 4}), vector({2, 1, 6, 2, 1, 6}))),
        {1., compute_metrics(vector({4, 1, 2}), vector({6, 2, 1}))},
        {1000., compute_metrics(vector({1000, 2000, 4000}), vector({2000, 1000, 6000}))}}) {
    CHECK(other.mae == Approx(unit * once.mae));
    CHECK(other.rmse == Approx(unit * once.rmse));
    CHECK(other.mse == Approx(unit * unit * once.mse));
    CHECK(other.mape_percent == Approx(once.mape_percent));
    CHECK(other.smape_percent == Approx(once.smape_percent));
    CHECK(other.r2 == Approx(once.r2));
  }
}

TEST_CASE("metrics of nothing, or of vectors of different length, are refused", "[metrics]") {
  CHECK_THROWS_AS(compute_metrics(vector({}), vector({})), std::invalid_argument);
  CHECK_THROWS_AS(compute_metrics(vector({1, 2}), vector({1})), std::invalid_argument);
}

}  // namespace
}  // namespace perfmodel
