#include "choice/term_choice.hpp"

#include <cmath>

#include "sums/sum_terms.hpp"
#include "support/catch.hpp"
#include "support/sum_runs.hpp"

using namespace perfmodel;
using Eigen::Index;
using Eigen::VectorXd;

namespace {

NumericFactor factor(std::vector<double> values, std::vector<std::uint32_t> codes) {
  return {std::move(values), std::move(codes)};
}

/// Five runs on 1 to 16 workers: the global batch is 8 times the workers, the width has nothing to
/// do with them.
struct Workers {
  ModelSpec spec;
  Design design;

  Workers() {
    spec.intrinsic = {{"width", 3, 7}};
    spec.extrinsic = {{"workers", 1, 16}, {"global_batch", 8, 128}};
    design.rows = 5;
    design.intrinsic = {factor({3, 7}, {0, 1, 0, 1, 0})};
    design.extrinsic = {factor({1, 2, 4, 8, 16}, {0, 1, 2, 3, 4}),
                        factor({8, 16, 32, 64, 128}, {0, 1, 2, 3, 4})};
    design.time = VectorXd::Ones(5);
  }
};

constexpr std::size_t kWorkers = 0;  // among the numeric columns
constexpr std::size_t kWidth = 2;

/// Holds out the run on 16 workers.
std::vector<Fold> extrapolation_folds(const TermCoordinates& coordinates) {
  Fold fold;
  fold.scale = kWorkers;
  for (Index row = 0; row < coordinates.data().rows(); ++row) {
    const bool largest = coordinates.order()[static_cast<std::size_t>(row)] == 4;
    (largest ? fold.held_out : fold.training).push_back(row);
  }
  return {Fold{}, fold};
}

SumShape one_term(int log_power) {
  return {.terms = 1,
          .plain_features = 4,
          .step_factors = {},
          .intercept = false,
          .log_powers = {{log_power, 0}},
          .pure_logarithms = false};
}

/// ln of the time, for these powers of width, workers and global batch.
double far_prediction(const FarPoints& points, int log_power, double width, double workers,
                      double batch) {
  const FarPredictions out =
      points.predictions(one_term(log_power), VectorXd{{0, width, workers, batch}});
  REQUIRE(out.log_time.size() == 1);
  return out.log_time[0];
}

}  // namespace

TEST_CASE("far points have four times the value, and what goes with it moves along",
          "[fit][multi]") {
  const Workers runs;
  const TermCoordinates coordinates(runs.spec, runs.design, {});
  const FarPoints points(coordinates, extrapolation_folds(coordinates));
  // Powers act on a column over its geometric mean: 4 workers, a batch of 32.
  CHECK(far_prediction(points, 0, 0, 1, 0) == Catch::Approx(std::log(64.0 / 4)));
  CHECK(far_prediction(points, 0, 0, 0, 2) == Catch::Approx(2 * std::log(512.0 / 32)));
  CHECK(far_prediction(points, 0, 1, 0, 0) ==
        Catch::Approx(std::log(3 / std::pow(3.0 * 3 * 3 * 7 * 7, 0.2))));
  CHECK(far_prediction(points, 2, 0, 0, 0) == Catch::Approx(2 * std::log(6.0)));
}

TEST_CASE("the disagreement of fits is their distance from the median", "[fit][multi]") {
  const Workers runs;
  const TermCoordinates coordinates(runs.spec, runs.design, {});
  const FarPoints points(coordinates, extrapolation_folds(coordinates));
  const auto fit = [&](double power) {
    return points.predictions(one_term(0), VectorXd{{0, 0, power, 0}});
  };
  CHECK(points.disagreement({fit(1), fit(1), fit(1)}, kWorkers) == 0);
  CHECK(points.disagreement({fit(1), fit(1.2), fit(1)}, kWorkers) ==
        Catch::Approx(0.2 * std::log(16.0) / 3));
  // Useless is as bad as it gets.
  CHECK(points.disagreement({fit(1), fit(90), fit(1)}, kWorkers) == kLargestError);
  CHECK(points.disagreement({}, kWorkers) == 0);
  CHECK(points.disagreement({fit(1), fit(2)}, kWidth) == 0);
}

TEST_CASE("growth beyond the range is a mean over the fits, and a falling time has none",
          "[fit][multi]") {
  const Workers runs;
  const TermCoordinates coordinates(runs.spec, runs.design, {});
  const FarPoints points(coordinates, extrapolation_folds(coordinates));
  const auto fit = [&](double width, double workers, double batch) {
    return points.predictions(one_term(0), VectorXd{{0, width, workers, batch}});
  };
  CHECK(points.growth({fit(0, 1, 0)}) == Catch::Approx(std::log(4.0)));
  CHECK(points.growth({fit(0, 1, -0.5)}) == Catch::Approx(0.5 * std::log(4.0)));
  CHECK(points.growth({fit(0, 1, 0), fit(0, -1, 0)}) == Catch::Approx(0.5 * std::log(4.0)));
  CHECK(points.growth({fit(1, -1, 0)}) == 0);
  CHECK(points.growth({}) == 0);
}

TEST_CASE("every scale has the same weight in the growth, whatever its points", "[fit][multi]") {
  const Workers runs;
  const TermCoordinates coordinates(runs.spec, runs.design, {});
  auto folds = extrapolation_folds(coordinates);
  folds.push_back(folds.back());
  folds.back().scale = kWidth;  // the width: all five rows lie at its far end
  folds.back().held_out = {0, 1, 2, 3, 4};
  const FarPoints points(coordinates, folds);
  const auto of_fit = points.predictions(one_term(0), VectorXd{{0, 1, 1, -1}});
  REQUIRE(of_fit.log_growth.size() == 6);
  // Workers and batch cancel, and the width grows at its own points alone: those of workers have
  // what the width has to do with the workers in these runs, nothing.
  CHECK(points.growth({of_fit}) == Catch::Approx(0.5 * std::log(4.0)));
}
