#include <Eigen/LU>
#include <cmath>
#include <numeric>
#include <vector>

#include "fit/fit.hpp"
#include "forms/form.hpp"
#include "support/catch.hpp"
#include "support/multi_runs.hpp"

using namespace perfmodel;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double kStep = 1e-5;
constexpr double kWidest = 0.5;

FittedModel fit_beside_process(const test::MultiRuns& runs, std::size_t terms) {
  FitOptions options;
  options.expression = Expression::multi;
  options.terms = terms;
  options.residual = Residual::process;
  return fit(runs.spec, runs.design, options);
}

VectorXd log_trend(FittedModel model, const Design& runs, std::size_t constant, double step) {
  double& value = model.constants[static_cast<Index>(constant)];
  const bool is_power = model.form->constants(model.spec)[constant].range == ConstantRange::any;
  value = is_power ? value + step : value * std::exp(step);
  return predict(model, runs).array().log() - model.form->process_factors(runs)->array().log();
}

}  // namespace

TEST_CASE("constants beside a process are as sure as generalised least squares say",
          "[fit][process]") {
  // One term of ones that differ: coefficients, powers and factors, some of them sure.
  const test::MultiRuns runs = test::multi_runs(150, 0.05, 3);
  const FittedModel model = fit_beside_process(runs, 1);
  const auto belief = model.form->process_belief(model.spec);
  REQUIRE(belief);
  const std::vector<ConstantInfo> constants = model.form->constants(model.spec);
  // All that can move: not the first factor of the levels, which is 1, and no C.
  std::vector<std::size_t> free;
  bool has_first = false;
  for (std::size_t k = 0; k < constants.size(); ++k) {
    const bool is_first = constants[k].role == ConstantRole::level && !has_first;
    has_first = has_first || is_first;
    if (!is_first && constants[k].role != ConstantRole::intercept)
      free.push_back(k);
  }
  const Design& known = belief->known;
  MatrixXd covariance = belief->covariance(known, known);
  covariance.diagonal() += belief->noise * belief->runs.cwiseInverse();
  MatrixXd slopes(covariance.rows(), static_cast<Index>(free.size()));
  for (std::size_t i = 0; i < free.size(); ++i)
    slopes.col(static_cast<Index>(i)) =
        (log_trend(model, known, free[i], kStep) - log_trend(model, known, free[i], -kStep)) /
        (2 * kStep);
  const MatrixXd of_constants = (slopes.transpose() * covariance.inverse() * slopes).inverse();
  const auto rows = static_cast<double>(covariance.rows());
  const double few_rows = rows / (rows - static_cast<double>(free.size()));
  REQUIRE(model.identifiability);
  std::size_t sure = 0;
  for (std::size_t i = 0; i < free.size(); ++i) {
    const auto at = static_cast<Index>(i);
    const double half_width = 1.959964 * std::sqrt(few_rows * of_constants(at, at));
    CAPTURE(constants[free[i]].name, half_width);
    REQUIRE(std::abs(half_width / kWidest - 1) > 0.02);  // else the runs are chosen badly
    CHECK(model.identifiability->constants[free[i]] == (half_width < kWidest));
    sure += half_width < kWidest ? 1 : 0;
  }
  CHECK(sure > 0);
  CHECK(sure < free.size());
  CHECK(model.identifiability->scaling_powers.size() == 2);
}
