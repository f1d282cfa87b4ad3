#include "analysis/errors.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/random.hpp"
#include "support/catch.hpp"

using namespace perfmodel;
using Eigen::VectorXd;

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
  // A model that had no error drifts without bound as soon as there is one.
  Metrics worse;
  const VectorXd one = VectorXd::Ones(1);
  CHECK(drift(worse, {}, one, one).front().second == 0);
  worse.mae = 1e-9;
  CHECK(std::isinf(drift(worse, {}, one, one).front().second));
}

namespace {

/// Runs of configurations 1, 2, ..., each measured `copies` times.
Design runs_of(std::size_t configurations, std::size_t copies) {
  Design out;
  out.rows = configurations * copies;
  VectorXd values(static_cast<Eigen::Index>(out.rows));
  for (std::size_t row = 0; row < out.rows; ++row)
    values[static_cast<Eigen::Index>(row)] = static_cast<double>(row / copies + 1);
  out.intrinsic = {{std::vector<double>(values.begin(), values.end()), {}}};
  out.time = VectorXd::Ones(values.size());
  return out;
}

const DriftFigure& mape_drift(const std::vector<DriftFigure>& figures) {
  return *std::find_if(
      figures.begin(), figures.end(),
      [](const DriftFigure& figure) { return figure.name == "mape_drift"; });
}

}  // namespace

TEST_CASE("the interval of a drift is that of the mean of paired differences", "[drift]") {
  // Errors of 10 % before; now 10 % and d = -4 to 6 % more in equal shares: mean 1, deviation of
  // the mean sqrt(10 / 200). Of 20,000 configurations, some are drawn.
  const Eigen::Index count = GENERATE(200, 20'000);
  const Design runs = runs_of(static_cast<std::size_t>(count), 1);
  VectorXd now(count);
  for (Eigen::Index row = 0; row < count; ++row)
    now[row] = 1.1 + 0.01 * static_cast<double>(row % 11 - 4);
  const VectorXd before = VectorXd::Constant(count, 1.1);
  const DriftFigure figure = mape_drift(drift_with_intervals(runs, now, before));
  const VectorXd differences = 100 * (now - before);
  const double error = std::sqrt((differences.array() - differences.mean()).square().mean() /
                                 static_cast<double>(count));
  CHECK(figure.value == Catch::Approx(differences.mean()));
  REQUIRE(figure.interval);
  // A thousand draws place each end to about 0.1 standard errors.
  CHECK(figure.interval->low == Catch::Approx(figure.value - 1.96 * error).margin(0.3 * error));
  CHECK(figure.interval->high == Catch::Approx(figure.value + 1.96 * error).margin(0.3 * error));
}

TEST_CASE("runs of one configuration count as one in the interval of a drift", "[drift]") {
  const auto width = [](const Design& runs, std::size_t copies) {
    VectorXd now(static_cast<Eigen::Index>(runs.rows));
    for (std::size_t row = 0; row < runs.rows; ++row)
      now[static_cast<Eigen::Index>(row)] = (row / copies) % 2 == 0 ? 1.1 : 1.2;
    const VectorXd before = VectorXd::Constant(now.size(), 1.15);
    const auto interval = mape_drift(drift_with_intervals(runs, now, before)).interval;
    return interval ? interval->high - interval->low : 0;
  };
  const double once = width(runs_of(40, 1), 1);
  CHECK(once > 0);
  CHECK(width(runs_of(40, 9), 9) == Catch::Approx(once).epsilon(0.1));
  CHECK(width(runs_of(9, 9), 9) == 0);  // too few to say
}

TEST_CASE("bias is the slowdown of all runs, whatever the errors of each", "[evaluate][drift]") {
  // Errors of 20 %, and all runs 10 % slower: the mean error hardly grows.
  Design runs;
  runs.rows = 200;
  runs.time.resize(200);
  VectorXd predicted(200);
  NumericFactor sizes;
  RandomStream random(1, "bias");
  for (Eigen::Index row = 0; row < 200; ++row) {
    sizes.values.push_back(1 + static_cast<double>(row));
    sizes.codes.push_back(static_cast<std::uint32_t>(row));
    predicted[row] = 1 + static_cast<double>(row);
    runs.time[row] = predicted[row] * std::exp(0.2 * random.normal());
  }
  runs.intrinsic = {sizes};
  ModelSpec spec;
  spec.intrinsic = {{"size", 1, 200}};
  const DriftFigure before = biases_of(spec, runs, predicted).all;
  CHECK(before.name == "bias");
  CHECK(before.value == bias_percent(runs.time, predicted));
  REQUIRE(before.interval.has_value());
  CHECK(before.interval->low < 0);
  CHECK(before.interval->high > 0);
  runs.time *= 1.1;
  const DriftFigure slower = biases_of(spec, runs, predicted).all;
  CHECK(slower.value == Catch::Approx(1.1 * (100 + before.value) - 100));
  // The median of 200 such errors has a standard deviation of 1.25 * 0.2 / sqrt(200) = 1.8 %.
  CHECK(slower.interval->low > 3);
  CHECK(slower.interval->high - slower.interval->low == Catch::Approx(4 * 1.8).epsilon(0.5));
  // Below ten configurations nothing is said of other runs.
  Design few = runs;
  for (std::uint32_t& code : few.intrinsic[0].codes)
    code %= 9;
  CHECK_FALSE(biases_of(spec, few, predicted).all.interval.has_value());
}

namespace {

/// Runs of three programs at several sizes, of which one takes `factor` times as long as predicted.
Biases biases_of_programs(double factor, std::uint64_t seed) {
  Design runs;
  ModelSpec spec;
  spec.intrinsic = {{"size", 1, 8}};
  spec.categorical = {{"program", {"bert", "gpt", "resnet"}}};
  NumericFactor sizes;
  LevelFactor programs{3, {}};
  RandomStream random(seed, "programs");
  std::vector<double> times;
  for (std::uint32_t program = 0; program < 3; ++program)
    for (std::uint32_t size = 0; size < 8; ++size) {
      sizes.codes.push_back(size);
      programs.codes.push_back(program);
      times.push_back((program == 1 ? factor : 1) * std::exp(0.05 * random.normal()));
    }
  for (int size = 1; size <= 8; ++size)
    sizes.values.push_back(size);
  runs.rows = times.size();
  runs.intrinsic = {sizes};
  runs.categorical = {programs};
  runs.time = Eigen::Map<const VectorXd>(times.data(), 24);
  return biases_of(spec, runs, VectorXd::Ones(24));
}

}  // namespace

TEST_CASE("one of three programs that slows is found and the others are not blamed", "[drift]") {
  std::size_t false_alarms = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Biases slower = biases_of_programs(1.25, seed);
    REQUIRE(!slower.levels.empty());
    false_alarms += slower.levels.size() - 1;
    CHECK(slower.levels[0].level == "gpt");
    CHECK(slower.levels[0].bias.value == Catch::Approx(25).margin(8));
    CHECK(is_drift(slower.levels[0].bias, slower.levels[0].mape));
    CHECK(slower.others.value == Catch::Approx(0).margin(5));
    false_alarms += biases_of_programs(1, seed).levels.size();
  }
  CHECK(false_alarms <= 2);  // of 40 nights, with a p-value of 1 %
}
