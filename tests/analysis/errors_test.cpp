#include "page/page_content.hpp"

#include <cmath>
#include <numeric>

#include "base/random.hpp"
#include "support/catch.hpp"

using namespace perfmodel;
using namespace perfmodel::page;

namespace {

struct NoisyTimes {
  std::vector<std::uint32_t> lines;
  Eigen::VectorXd measured;
  Eigen::VectorXd predicted;
};

NoisyTimes noisy_times(std::size_t rows) {
  NoisyTimes out;
  out.lines.resize(rows);
  std::iota(out.lines.begin(), out.lines.end(), 2U);
  out.measured.resize(static_cast<Eigen::Index>(rows));
  out.predicted = out.measured;
  RandomStream random(1, "report");
  for (Eigen::Index row = 0; row < out.measured.size(); ++row) {
    out.predicted[row] = std::exp(random.uniform(-5, 5));
    out.measured[row] = out.predicted[row] * std::exp(0.3 * random.normal());
  }
  return out;
}

std::size_t counted(const Cloud& cloud) {
  std::size_t count = 0;
  for (const Cell& cell : cloud.cells)
    count += cell.count;
  return count;
}

Errors errors_of_times(const NoisyTimes& times) {
  return errors_of(times.lines, times.measured, times.predicted, 5);
}

}  // namespace

TEST_CASE("a figure of few runs has a point for each, one of many counts them and loses none",
          "[report]") {
  const Errors few = errors_of_times(noisy_times(150));
  REQUIRE(few.predicted_against_measured);
  CHECK(few.predicted_against_measured->points.size() == 150);
  CHECK(few.predicted_against_measured->cells.empty());
  CHECK(few.error_against_predicted->outside == 0);
  const std::size_t rows = 100000;
  const Errors errors = errors_of_times(noisy_times(rows));
  const Cloud& times = *errors.predicted_against_measured;
  CHECK(times.points.empty());
  CHECK(times.cells.size() <= Cloud::cells_per_side * Cloud::cells_per_side);
  CHECK(counted(times) == rows);
  const Cloud& residuals = *errors.error_against_predicted;
  CHECK(counted(residuals) + residuals.outside == rows);
  CHECK(residuals.outside <= rows / 100);
  std::size_t bars = errors.beyond_histogram;
  for (const Bar& bar : errors.histogram)
    bars += bar.count;
  CHECK(bars == rows);
}

TEST_CASE("the worst runs are those of the largest errors in percent", "[report]") {
  const Eigen::Vector4d measured(1, 2, 4, 1);
  const Eigen::Vector4d predicted(1.5, 0.5, 4, 0.5);
  const Errors errors = errors_of({2, 3, 5, 9}, measured, predicted, 3);
  REQUIRE(errors.worst.size() == 3);
  CHECK(errors.worst[0].line == 3);
  CHECK(errors.worst[0].error_percent == -75);
  CHECK(errors.worst[1].line == 2);  // of equal errors the earlier line
  CHECK(errors.worst[1].error_percent == 50);
  CHECK(errors.worst[2].line == 9);
  CHECK(errors.quantiles.median == -25);
}

TEST_CASE("the bars of a histogram have round borders with 0 among them", "[report]") {
  const Errors errors = errors_of_times(noisy_times(3000));
  bool zero = false;
  for (const Bar& bar : errors.histogram) {
    zero = zero || bar.low == 0;
    CHECK(bar.high - bar.low == Catch::Approx(errors.histogram[0].high - errors.histogram[0].low));
  }
  CHECK(zero);
  CHECK(errors.histogram.size() <= 62);
  CHECK(errors_of_times(noisy_times(36)).histogram.size() <= 14);  // of few runs few bars
}

TEST_CASE("runs without errors have figures too", "[report]") {
  const Eigen::VectorXd times = Eigen::VectorXd::Constant(4, 0.25);
  const Errors errors = errors_of({2, 3, 4, 5}, times, times, 10);
  CHECK(errors.worst.size() == 4);
  CHECK(errors.predicted_against_measured->x.low < 0.25);
  CHECK(errors.predicted_against_measured->x.high > 0.25);
  CHECK(errors.error_against_predicted->y.low < -0.9);
  CHECK(errors.error_against_predicted->y.high > 0.9);
}

TEST_CASE("predictions that are no times are counted, not drawn", "[report]") {
  const Errors some = errors_of({2, 3}, Eigen::Vector2d(1, 1), Eigen::Vector2d(-1, 2), 10);
  CHECK(some.not_positive == 1);
  CHECK(some.predicted_against_measured->inside == 1);
  const Errors all = errors_of({2, 3}, Eigen::Vector2d(1, 1), Eigen::Vector2d(-1, 0), 10);
  CHECK(all.not_positive == 2);
  CHECK_FALSE(all.predicted_against_measured);
}

TEST_CASE("ranges of very large and very small times are ranges", "[report]") {
  for (const auto& values : {std::vector<double>{5e-324, 1e308}, {1e308}, {5e-324}}) {
    const Range range = range_of(values, Spacing::logarithmic);
    CHECK(range.low > 0);
    CHECK(range.low < range.high);
    CHECK(std::isfinite(range.high));
    CHECK(std::isfinite(range.position(values[0])));
    CHECK(range.value(1) == Catch::Approx(range.high));
  }
}
