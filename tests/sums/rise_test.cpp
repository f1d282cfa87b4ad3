#include "forms/fit_options.hpp"
#include "sums/sum_finish.hpp"
#include "sums/sum_terms.hpp"
#include "sums/term_search.hpp"
#include "support/catch.hpp"
#include "support/sum_runs.hpp"

using namespace perfmodel;
using Eigen::Index;

TEST_CASE("the rise by a small move is that of a fit with the coordinate held", "[fit][multi]") {
  const test::SumRuns runs = test::sum_runs(120, 0.05, 1);
  FitOptions options;
  options.loss = Loss::soft_l1;
  const TermCoordinates coordinates(runs.spec, runs.design, {});
  const SumShape shape = coordinates.shape(2, false);  // a C of 0 could not follow
  const TermData data = coordinates.data(shape);
  constexpr double kRidge = 1e-4;
  const SumGoal goal(coordinates, shape, options, kRidge);
  std::vector<SumFit> path;
  extend_path(data, shape, term_search_options(options, kRidge), path);
  const SumFit best = finish(data, shape, goal, path.back(), options, kSettledSumGap);
  const SymmetricMatrix curvature = curvature_at(data, shape, goal, best, options);
  for (const Index moved : coordinates.numeric_features()) {
    constexpr double kMove = 0.01;
    SumGoal held = goal;
    held.hold(moved, best.theta[moved] + kMove);
    const SumFit refitted = finish(data, shape, held, best, options, kSettledSumGap);
    const double expected = refitted.cost - best.cost;
    REQUIRE(expected > 1e-7 * best.cost);
    std::vector<bool> fixed(static_cast<std::size_t>(shape.size()), false);
    fixed[static_cast<std::size_t>(moved)] = true;
    const auto rise =
        rise_by_move(curvature, fixed, kMove * VectorXd::Unit(shape.size(), moved), {});
    REQUIRE(rise);
    CAPTURE(moved);
    // A move of 1 % of a power of about 1 leaves third derivatives a few percent of the rise.
    CHECK(*rise == Catch::Approx(expected).epsilon(0.1));
  }
}

TEST_CASE("near an optimum a descent takes few steps", "[fit][multi]") {
  for (const Loss loss : {Loss::soft_l1, Loss::rmsle, Loss::mse}) {
    const test::SumRuns runs = test::sum_runs(120, 0.3, 2);  // residuals wider than the kink
    FitOptions options;
    options.loss = loss;
    const TermCoordinates coordinates(runs.spec, runs.design, {});
    const SumShape shape = coordinates.shape(2, true);
    const TermData data = coordinates.data(shape);
    constexpr double kRidge = 1e-4;
    std::vector<SumFit> path;
    extend_path(data, shape, term_search_options(options, kRidge), path);
    const SumFit best = approach(data, shape, options, kRidge, path.back().theta, Reach::nearby);
    const VectorXd start = best.theta.array() + 0.02;
    const SumFit again = approach(data, shape, options, kRidge, start, Reach::nearby);
    CAPTURE(static_cast<int>(loss), best.cost, again.cost, again.evaluations);
    CHECK(again.cost == Catch::Approx(best.cost).epsilon(1e-6));
    CHECK(again.evaluations <= 6);  // 8 to 11 by Gauss and Newton, whose steps gain linearly
  }
}
