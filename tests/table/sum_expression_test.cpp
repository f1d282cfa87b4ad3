#include "forms/sum_form.hpp"
#include "table/expressions.hpp"

#include <cmath>

#include "codegen/formula_code.hpp"
#include "support/catch.hpp"
#include "support/sum_runs.hpp"

using namespace perfmodel;
using Eigen::VectorXd;

TEST_CASE("a sum of products predicts what its formula says, and its parts add up to that",
          "[model][multi]") {
  const test::SumRuns runs = test::sum_runs(50, 0, 1);
  const VectorXd predicted = predict(runs.truth, runs.design);
  CHECK((predicted - runs.design.time).cwiseAbs().maxCoeff() < 1e-15);
  const Eigen::MatrixXd parts =
      term_parts({runs.spec, sum_form(runs.truth).structure}, runs.truth.constants, runs.design);
  CHECK(parts.cols() == 3);
  CHECK((parts.rowwise().sum() - predicted).cwiseAbs().maxCoeff() < 1e-15);
  // The formula leaves out what has no effect and names regimes.
  CHECK(sum_text({runs.spec, sum_form(runs.truth).structure}, runs.truth.constants) ==
        "t = 2e-05 * filters^1.5 * gpus^-1 * batch_size * activation{relu: 1, tanh: 1.5}"
        " + 0.01 * filters^0.5 * gpus^0.5 * [gpus > 1]");
}

TEST_CASE("log2 to the power r is 0 up to 1, whatever the power of its column", "[model][multi]") {
  test::SumRuns runs = test::sum_runs(50, 0, 1);
  own_sum_form(runs.truth).structure.own_feature(1, 0).log_power = 2;
  const Eigen::MatrixXd parts =
      term_parts({runs.spec, sum_form(runs.truth).structure}, runs.truth.constants, runs.design);
  for (std::size_t row = 0; row < runs.design.rows; ++row) {
    const double filters = runs.design.intrinsic[0].value(row);
    const double gpus = runs.design.extrinsic[0].value(row);
    const double expected = 0.01 * std::sqrt(filters * gpus) * std::pow(std::log2(gpus), 2);
    CHECK(parts(static_cast<Eigen::Index>(row), 1) == Catch::Approx(expected).margin(1e-15));
  }
}

TEST_CASE("local scaling powers are the derivatives of ln t by ln E", "[model][multi]") {
  test::SumRuns runs = test::sum_runs(50, 0, 1);
  own_sum_form(runs.truth).structure.own_feature(0, 1).log_power = 1;
  Configuration at = *runs.truth.typical;
  at.extrinsic = {4, 32};
  runs.truth.typical = at;
  const std::vector<double> powers = scaling_powers(runs.truth);
  for (std::size_t j = 0; j < 2; ++j) {
    const double step = 1e-5;
    const auto log_time = [&](double factor) {
      Configuration moved = at;
      moved.extrinsic[j] *= factor;
      return std::log(predict(runs.truth, design_of(moved, runs.spec))[0]);
    };
    const double numeric = (log_time(std::exp(step)) - log_time(std::exp(-step))) / (2 * step);
    CHECK(powers[j] == Catch::Approx(numeric).epsilon(1e-8));
  }
}

TEST_CASE("constants of a sum have names", "[model][multi]") {
  const test::SumRuns runs = test::sum_runs(50, 0, 1);
  const SumLayout layout(runs.spec, sum_form(runs.truth).structure);
  CHECK(layout.size() == 17);
  CHECK(layout.name(layout.coefficient(1)) == "a[2]");
  CHECK(layout.name(layout.intrinsic_power(0, 0)) == "p[1,filters]");
  CHECK(layout.name(layout.level(1, 0, 1)) == "g[2,activation=tanh]");
  CHECK(layout.name(layout.extrinsic_power(1, 1)) == "q[2,batch_size]");
  CHECK(layout.name(layout.step_factor(0, 0, 1)) == "g[1,gpus>1]");
  CHECK(layout.name(layout.intercept()) == "C");
}
