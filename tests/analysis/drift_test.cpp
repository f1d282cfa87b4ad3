#include "analysis/drift.hpp"

#include <cmath>
#include <map>

#include "support/catch.hpp"

using namespace perfmodel;

TEST_CASE("drift is in points for percentages and relative for times", "[drift]") {
  const Metrics old{
      .rows = 2, .mae = 2, .mape_percent = 10, .smape_percent = 9, .mse = 4, .rmse = 2, .r2 = 0.9};
  const Metrics now{.rows = 2,
                    .mae = 3,
                    .mape_percent = 12.5,
                    .smape_percent = 8,
                    .mse = 5,
                    .rmse = 1,
                    .r2 = 0.8};
  const auto list = drift(now, old, Eigen::Vector2d(1.1, 4), Eigen::Vector2d(1, 5));
  const std::map<std::string, double> found(list.begin(), list.end());
  CHECK(found.at("mae_drift") == 50);
  CHECK(found.at("mape_drift") == 2.5);
  CHECK(found.at("smape_drift") == -1);
  CHECK(found.at("mse_drift") == 25);
  CHECK(found.at("rmse_drift") == -50);
  CHECK(found.at("r2_drift") == Catch::Approx(-0.1));
  CHECK(found.at("prediction_drift") == Catch::Approx(15));
  CHECK(drift_names().size() == list.size());
}

TEST_CASE("a model that had no error drifts without bound as soon as there is one", "[drift]") {
  Metrics old;
  Metrics now;
  const Eigen::VectorXd one = Eigen::VectorXd::Ones(1);
  CHECK(drift(now, old, one, one).front().second == 0);
  now.mae = 1e-9;
  CHECK(std::isinf(drift(now, old, one, one).front().second));
}
