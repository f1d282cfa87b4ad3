#include "trust/prediction_intervals.hpp"

#include <cmath>

#include "base/random.hpp"
#include "perfmodel/error.hpp"
#include "support/catch.hpp"

using namespace perfmodel;
using Eigen::VectorXd;

namespace {

/// Predictions of 1, measured as exp(1), exp(2), ..., exp(rows), in a mixed order.
PredictionIntervals counted(Eigen::Index rows, double level) {
  VectorXd measured(rows);
  for (Eigen::Index i = 0; i < rows; ++i)
    measured[i] = std::exp(1e-3 * static_cast<double>((i * 7) % rows + 1 - rows / 2));
  return calibrate(measured, VectorXd::Ones(rows), Calibration::validation, level);
}

}  // namespace

TEST_CASE("an interval ends at the conformal ranks of the scores", "[intervals]") {
  // 19 rows at 90 %: ranks 1 and 19 of 20 places. The scores are -8e-3 .. 10e-3.
  const PredictionIntervals intervals = counted(19, 0.9);
  CHECK(intervals.count == 19);
  CHECK(intervals.scores.size() == 19);
  const IntervalFactors factors = interval_factors(intervals, 0.9);
  CHECK(std::log(factors.lower) == Catch::Approx(-8e-3).margin(2e-6));
  CHECK(std::log(factors.upper) == Catch::Approx(10e-3).margin(2e-6));
  // 50 %: ranks 5 and 15.
  const IntervalFactors half = interval_factors(intervals, 0.5);
  CHECK(std::log(half.lower) == Catch::Approx(-4e-3).margin(2e-6));
  CHECK(std::log(half.upper) == Catch::Approx(6e-3).margin(2e-6));
}

TEST_CASE("a level beyond the reach of the rows ends at the outermost scores", "[intervals]") {
  const IntervalFactors factors = interval_factors(counted(9, 0.9), 0.99);
  CHECK(std::log(factors.lower) == Catch::Approx(-3e-3).margin(2e-6));
  CHECK(std::log(factors.upper) == Catch::Approx(5e-3).margin(2e-6));
  CHECK(highest_level(199) == Catch::Approx(0.99));
}

TEST_CASE("an interval never leaves its prediction out, and one that is no time has none",
          "[intervals]") {
  const VectorXd measured = VectorXd::LinSpaced(39, 2, 3);
  const PredictionIntervals biased =
      calibrate(measured, VectorXd::Ones(39), Calibration::validation, 0.9);
  CHECK(interval_factors(biased, 0.9).lower == 1);
  CHECK(interval_factors(biased, 0.9).upper > 2.9);
  VectorXd predicted = VectorXd::Ones(30);
  predicted[3] = 0;
  CHECK_THROWS_AS(calibrate(VectorXd::Ones(30), predicted, Calibration::validation, 0.9),
                  InputError);
}

TEST_CASE("scores of many rows are kept in part, and cover no less", "[intervals]") {
  const PredictionIntervals intervals = counted(10007, 0.9);
  CHECK(intervals.scores.size() <= 241);
  CHECK(intervals.ranks.front() == 1);
  CHECK(intervals.ranks.back() == 10007);
  for (const double level : {0.1, 0.5, 0.68, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9997}) {
    CAPTURE(level);
    const IntervalFactors factors = interval_factors(intervals, level);
    double inside = 0;
    for (int k = 1; k <= 10007; ++k) {
      const double score = 1e-3 * (k - 10007 / 2);
      inside += std::log(factors.lower) <= score && score <= std::log(factors.upper) ? 1 : 0;
    }
    CHECK(inside / 10007 >= level - 1e-4);
    // The even choice between leaves steps of 1 / 160 on each side.
    CHECK(inside / 10007 <= level + 2.0 / 160);
  }
}

TEST_CASE("intervals cover new rows as often as they say", "[intervals]") {
  // 400 draws of 99 calibration rows and 50 new ones: the mean coverage is 0.9 with a standard
  // deviation of about sqrt(0.09 * (1 / 99 + 1 / 50) / 400) = 0.0026; five of them are allowed.
  RandomStream random(11, "conformal coverage");
  double covered = 0;
  for (int draw = 0; draw < 400; ++draw) {
    VectorXd measured(99);
    for (double& time : measured)
      time = std::exp(0.3 * random.normal() + (random.uniform() < 0.2 ? 1 : 0));
    const IntervalFactors factors = interval_factors(
        calibrate(measured, VectorXd::Ones(99), Calibration::validation, 0.9), 0.9);
    for (int k = 0; k < 50; ++k) {
      const double time = std::exp(0.3 * random.normal() + (random.uniform() < 0.2 ? 1 : 0));
      covered += factors.lower <= time && time <= factors.upper ? 1 : 0;
    }
  }
  CHECK(covered / (400 * 50) == Catch::Approx(0.9).margin(0.013));
}

TEST_CASE("scores that are divided by deviations cover as often near as far", "[intervals]") {
  // Half of the rows scatter by 0.05, half by 0.5, and the model knows which. 400 draws as above.
  RandomStream random(12, "divided scores");
  const auto deviation_of = [](Eigen::Index row) { return row % 2 == 0 ? 0.05 : 0.5; };
  const auto time_of = [&](Eigen::Index row) {
    return std::exp(deviation_of(row) * random.normal());
  };
  double covered_rows[2][2] = {};  // divided or not, near or far
  for (int draw = 0; draw < 400; ++draw) {
    VectorXd measured(100);
    VectorXd deviations(100);
    for (Eigen::Index row = 0; row < measured.size(); ++row) {
      measured[row] = time_of(row);
      deviations[row] = deviation_of(row);
    }
    for (const bool divided : {false, true}) {
      const PredictionIntervals intervals =
          calibrate(measured, VectorXd::Ones(100), Calibration::validation, 0.9,
                    divided ? std::optional(deviations) : std::nullopt);
      CHECK(intervals.by_deviation == divided);
      VectorXd new_times(50);
      GpReach reach{.deviations = VectorXd(50), .near = std::vector<bool>(50, true)};
      for (Eigen::Index row = 0; row < new_times.size(); ++row) {
        new_times[row] = time_of(row);
        reach.deviations[row] = deviation_of(row);
      }
      const auto inside =
          covered(row_intervals(intervals, 0.9, 50, reach), new_times, VectorXd::Ones(50));
      for (Eigen::Index row = 0; row < inside.size(); ++row)
        covered_rows[divided ? 1 : 0][row % 2] += inside[row] ? 1.0 / (400 * 25) : 0;
    }
  }
  CHECK(covered_rows[1][0] == Catch::Approx(0.9).margin(0.02));
  CHECK(covered_rows[1][1] == Catch::Approx(0.9).margin(0.02));
  // Undivided ones cover both together alone.
  CHECK(covered_rows[0][0] > 0.97);
  CHECK(covered_rows[0][1] < 0.85);
}

TEST_CASE("the deviation of held-out rows is the middle one of those that scores are divided by",
          "[intervals]") {
  // 19 rows: 1 to 18 in a mixed order and one that is far from all runs.
  VectorXd deviations(19);
  for (Eigen::Index i = 0; i < 19; ++i)
    deviations[i] = static_cast<double>((i * 7) % 19);
  deviations[0] = 1000;
  const PredictionIntervals intervals = calibrate(VectorXd::LinSpaced(19, 2, 3), VectorXd::Ones(19),
                                                  Calibration::validation, 0.9, deviations);
  REQUIRE(intervals.held_out_deviation);
  CHECK(*intervals.held_out_deviation == 10);
  CHECK_FALSE(counted(19, 0.9).held_out_deviation);
}

TEST_CASE("no single row decides scores that are divided by deviations", "[intervals]") {
  // 20 rows off by 2 % each way; one says that it is as sure as of nothing else.
  VectorXd measured(20);
  for (Eigen::Index row = 0; row < 20; ++row)
    measured[row] = row % 2 == 0 ? 1.02 : 1 / 1.02;
  VectorXd deviations = VectorXd::Constant(20, 0.02);
  deviations[7] = 2.5e-6;
  const auto widest = [&] {
    const PredictionIntervals intervals =
        calibrate(measured, VectorXd::Ones(20), Calibration::cross_validation, 0.9, deviations);
    const GpReach reach{.deviations = VectorXd::Constant(1, 0.5), .near = {false}};
    const RowIntervals own = row_intervals(intervals, 0.9, 1, reach);
    return own.upper[0] / own.lower[0];
  };
  // Half a unit of ln(time), twice: a normal distribution would have e^(2 * 1.64 * 0.5) = 5.2.
  CHECK(widest() < 12);
  // Nor does one that is far off.
  deviations.setConstant(0.02);
  measured[7] = 5;
  CHECK(widest() < 12);
  // Nor do three repeats of one configuration: at most twice the next, each.
  measured[8] = measured[9] = 5;
  CHECK(widest() < 12 * 12);
}

TEST_CASE("deviations that say next to nothing are widened by the scatter of held-out rows",
          "[intervals]") {
  RandomStream random(4, "added deviations");
  VectorXd measured(400);
  for (double& time : measured)
    time = std::exp(0.05 * random.normal());
  const PredictionIntervals intervals =
      calibrate(measured, VectorXd::Ones(400), Calibration::cross_validation, 0.9,
                VectorXd::Constant(400, 1e-6));
  // The median of 400 absolute errors scatters by about 6 %.
  CHECK(intervals.added_deviation == Catch::Approx(0.05).epsilon(0.2));
  CHECK(intervals.held_out_deviation.value() == Catch::Approx(intervals.added_deviation));
}
