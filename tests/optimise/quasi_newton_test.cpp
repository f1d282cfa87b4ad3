#include "optimise/newton.hpp"

#include "support/catch.hpp"
#include "support/test_functions.hpp"

using namespace perfmodel;
using namespace perfmodel::optimise;
using Eigen::VectorXd;

TEST_CASE("Quasi-Newton steps reach the minimum of smooth functions", "[optimise]") {
  for (const test::TestFunction& function : {test::kSphere, test::kRosenbrock}) {
    CAPTURE(function.name);
    const Bounds bounds = function.bounds(5);
    const auto result =
        quasi_newton(batch_of(function.cost), bounds, VectorXd::Constant(5, -1), {});
    CHECK(result.cost < 1e-6);
    CHECK(result.evaluations < 2000);
  }
}

TEST_CASE("Quasi-Newton steps take the slopes of an objective that has them", "[optimise]") {
  VectorXd last;
  const SmoothObjective sphere{.cost =
                                   [&](const VectorXd& x) {
                                     last = x;
                                     return test::kSphere.cost(x);
                                   },
                               .gradient = [&] { return VectorXd(2 * (last.array() - 1.25)); }};
  const auto result =
      quasi_newton(sphere, test::kSphere.bounds(5), VectorXd::Constant(5, -1), {.reduction = 0});
  CHECK((result.best.array() - 1.25).abs().maxCoeff() < 1e-6);
  CHECK(result.evaluations < 20);  // with differences each gradient takes 5
}

TEST_CASE("Quasi-Newton steps stop at the bounds that hold the minimum back", "[optimise]") {
  // The lowest point of a sphere around 1.25 with coordinates from 2 on is the corner at 2.
  const Bounds bounds{VectorXd::Constant(4, 2), VectorXd::Constant(4, 5)};
  const auto result =
      quasi_newton(batch_of(test::kSphere.cost), bounds, VectorXd::Constant(4, 4), {});
  CHECK(result.best == VectorXd::Constant(4, 2));
}

TEST_CASE("Quasi-Newton steps never worsen a cost that is not smooth and stay in the box",
          "[optimise]") {
  for (const test::TestFunction& function : test::kTestFunctions) {
    CAPTURE(function.name);
    const Bounds bounds = function.bounds(6);
    const VectorXd start = VectorXd::LinSpaced(6, function.low, function.high);
    const auto result = quasi_newton(batch_of(function.cost), bounds, start, {});
    CHECK(result.cost <= function.cost(start));
    CHECK(result.cost == function.cost(result.best));
    CHECK(bounds.contains(result.best));
  }
}

TEST_CASE("Quasi-Newton steps leave alone what has a single value and stop on request",
          "[optimise]") {
  Bounds bounds = test::kSphere.bounds(3);
  bounds.lower[1] = bounds.upper[1] = 0.5;
  const auto result =
      quasi_newton(batch_of(test::kSphere.cost), bounds, VectorXd::Constant(3, 0.5), {});
  CHECK(result.best[1] == 0.5);
  CHECK(result.best[0] == Approx(1.25).epsilon(1e-6));

  std::stop_source stopped;
  stopped.request_stop();
  const auto at_once = quasi_newton(batch_of(test::kSphere.cost), bounds,
                                    VectorXd::Constant(3, 0.5), {.stop = stopped.get_token()});
  CHECK(at_once.iterations == 0);
}
