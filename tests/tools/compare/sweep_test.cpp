#include "compare/sweep.hpp"

#include <cmath>

#include "fit/fit.hpp"
#include "support/catch.hpp"
#include "support/paper_runs.hpp"

using namespace perfmodel;
using perfmodel::test::Framework;

namespace {

SweepPoint point(PenaltyKind penalty, double lambda, double loss, double standard_error) {
  SweepPoint out;
  out.penalty = penalty;
  out.lambda = lambda;
  out.validation_loss = loss;
  out.standard_error = standard_error;
  return out;
}

}  // namespace

TEST_CASE("a grid of lambdas is equally spaced in the logarithm and round at decades") {
  CHECK(log_grid(1e-6, 1e2, 9) ==
        std::vector<double>{1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100});
  const auto grid = log_grid(0.001, 0.5, 4);
  CHECK(grid.front() == 0.001);
  CHECK(grid.back() == 0.5);
  CHECK(grid[2] / grid[1] == Catch::Approx(grid[1] / grid[0]));
}

TEST_CASE(
    "lambda is chosen by the lowest validation loss, the first of equal ones, or as the "
    "largest of the same penalty within one standard error") {
  CHECK(choose({point(PenaltyKind::none, 0, 3, 1), point(PenaltyKind::l1, 0.1, 2, 0.5),
                point(PenaltyKind::l1, 1, 2.4, 0.5), point(PenaltyKind::l2, 0.1, 2, 0.5),
                point(PenaltyKind::l2, 10, 2.3, 0.5)},
               LambdaRule::lowest) == 1);
  std::vector<SweepPoint> points = {
      point(PenaltyKind::none, 0, 3, 1), point(PenaltyKind::l1, 0.1, 2, 0.5),
      point(PenaltyKind::l1, 1, 2.5, 0.9), point(PenaltyKind::l1, 10, 2.6, 0.9),
      point(PenaltyKind::l2, 100, 2.1, 0.5)};
  CHECK(choose(points, LambdaRule::one_standard_error) == 2);
  // Where no penalty is best, the penalty that comes nearest may stand in for it.
  points[0].validation_loss = 1.9;
  points[0].standard_error = 0.15;
  CHECK(choose(points, LambdaRule::one_standard_error) == 1);
  points[0].standard_error = 0.01;
  CHECK(choose(points, LambdaRule::one_standard_error) == 0);
}

TEST_CASE("each point of a sweep is the single fit with that penalty, for any threads",
          "[whole-fits]") {
  const auto training = test::paper_runs(Framework::mxnet, 150, 0.05, 1);
  const auto validation = test::paper_runs(Framework::mxnet, 60, 0.05, 2);
  FitOptions options;
  options.starts = 1;
  options.threads = 2;
  options.penalty.constants = Penalise::scaled;
  const auto points = sweep({training.spec, training.design, validation.design}, options,
                            {PenaltyKind::l2}, {1e-3, 1e1});
  REQUIRE(points.size() == 3);
  CHECK(points[0].penalty == PenaltyKind::none);
  for (const SweepPoint& p : points) {
    FitOptions single = options;
    single.threads = 1;
    single.penalty.l2 = p.lambda;
    CHECK(fit(training.spec, training.design, single).constants == p.model.constants);
    REQUIRE(p.model.known.metrics.validation);
    CHECK(p.validation_loss == Catch::Approx(p.model.known.metrics.validation->mae));
    CHECK(p.standard_error > 0);
    CHECK_FALSE(p.model.known.metrics.test);
  }
  CHECK(points[2].validation_loss > points[0].validation_loss);
}
