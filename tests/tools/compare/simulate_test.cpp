#include "compare/sweep.hpp"

#include <cmath>

#include "support/catch.hpp"
#include "support/paper_runs.hpp"

using namespace perfmodel;
using perfmodel::test::Framework;

namespace {

struct Simulation {
  FittedModel model;
  Design design;
};

Simulation mxnet(std::size_t rows) {
  auto runs = test::paper_runs(Framework::mxnet, rows, 0, 1);
  Simulation out;
  out.model.spec = runs.spec;
  out.model.constants = runs.constants;
  out.design = std::move(runs.design);
  return out;
}

double deviation(const Eigen::ArrayXd& values) {
  return std::sqrt((values - values.mean()).square().sum() /
                   static_cast<double>(values.size() - 1));
}

}  // namespace

TEST_CASE("relative noise is normal in the logarithm of the time") {
  const Simulation s = mxnet(4000);
  const Eigen::ArrayXd z = (simulate(s.model, s.design, {.relative = 0.05}, 1).array().log() -
                            predict(s.model, s.design).array().log()) /
                           0.05;
  CHECK(std::abs(z.mean()) < 0.08);  // five standard errors
  CHECK(std::abs(deviation(z) - 1) < 0.06);
  CHECK(std::abs((z.abs() - 0.7979).mean()) < 0.05);  // sqrt(2 / pi), a normal's
}

TEST_CASE("additive noise does not grow with the time") {
  const Simulation s = mxnet(4000);
  const Eigen::VectorXd exact = predict(s.model, s.design);
  const Eigen::ArrayXd z =
      (simulate(s.model, s.design, {.additive = 0.1}, 1) - exact).array() / 0.1;
  CHECK(std::abs(z.mean()) < 0.08);
  CHECK(std::abs(deviation(z) - 1) < 0.06);
  CHECK(std::abs((z * (exact.array() - exact.mean())).mean()) < 0.1 * deviation(exact.array()));
}

TEST_CASE("the same seed gives the same noise, another one another, and no noise the model") {
  const Simulation s = mxnet(50);
  CHECK(simulate(s.model, s.design, {}, 1) == predict(s.model, s.design));
  const Noise noise{.relative = 0.1, .additive = 0.01};
  CHECK(simulate(s.model, s.design, noise, 4) == simulate(s.model, s.design, noise, 4));
  CHECK(simulate(s.model, s.design, noise, 4) != simulate(s.model, s.design, noise, 5));
}
