// Against scikit-learn's GaussianProcessRegressor at the same hyper-parameters: oracle.py.

#include <Eigen/Core>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>
#include <vector>

#include "gp/gaussian_process.hpp"
#include "gp/likelihood.hpp"
#include "support/catch.hpp"
#include "support/certified.hpp"
#include "support/temporary_directory.hpp"

using namespace perfmodel;
using namespace perfmodel::gp;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using ParsedJson = nlohmann::json;

namespace {

const ParsedJson& oracle() {
  static const ParsedJson document =
      ParsedJson::parse(test::read_text(PERFMODEL_SOURCE_DIR "/tests/gp/oracle.json"));
  return document;
}

VectorXd vector_of(const ParsedJson& numbers) {
  VectorXd out(static_cast<Index>(numbers.size()));
  for (Index i = 0; i < out.size(); ++i)
    out[i] = numbers[static_cast<std::size_t>(i)].get<double>();
  return out;
}

MatrixXd matrix_of(const ParsedJson& rows) {
  MatrixXd out(static_cast<Index>(rows.size()), static_cast<Index>(rows[0].size()));
  for (Index i = 0; i < out.rows(); ++i)
    out.row(i) = vector_of(rows[static_cast<std::size_t>(i)]);
  return out;
}

VectorXd oracle_vector(const char* name) {
  return vector_of(oracle()[name]);
}

Inputs oracle_inputs(const std::string& prefix) {
  return {.numbers = matrix_of(oracle()[prefix + "numbers"]),
          .levels = matrix_of(oracle()[prefix + "levels"]).cast<std::uint32_t>()};
}

Kernel oracle_kernel() {
  return {.inverse_lengths = oracle_vector("inverse_lengths"),
          .shares = oracle_vector("shares"),
          .rates = oracle_vector("rates"),
          .variance = oracle()["variance"],
          .noise = oracle()["noise"]};
}

/// As HyperLayout has them.
VectorXd oracle_hyper() {
  const Kernel kernel = oracle_kernel();
  VectorXd out(8);
  for (Index j = 0; j < 2; ++j) {
    out[2 * j] = std::log(kernel.inverse_lengths[j]);
    out[2 * j + 1] = std::log(kernel.shares[j] / (1 - kernel.shares[j]));
  }
  out.segment(4, 2) = kernel.rates.array().log();
  out.segment(6, 2) << std::log(kernel.variance), std::log(kernel.noise);
  return out;
}

Observations oracle_observations(const Inputs& inputs, const VectorXd& y) {
  const MergedRows rows = MergedRows::of(inputs, y);
  const Inputs merged = take_rows(inputs, rows.first);
  return {.inputs = CodedInputs(merged),
          .y = rows.y,
          .runs = rows.runs,
          .repeated_runs = static_cast<double>(y.size() - rows.rows()),
          .scatter = rows.scatter.sum(),
          .spread = oracle()["level_variance"].get<double>() / kLevelVariance};
}

Observations oracle_observations() {
  return oracle_observations(oracle_inputs(""), oracle_vector("y"));
}

HyperPrior flat_prior() {
  return {.mean = VectorXd::Zero(8), .precision = VectorXd::Zero(8)};
}

/// What has the numbers of the oracle as its logarithms.
Inputs exponentials(Inputs inputs) {
  inputs.numbers = inputs.numbers.array().exp();
  return inputs;
}

void check_close(const VectorXd& found, const VectorXd& expected, double tolerance = 1e-8) {
  REQUIRE(found.size() == expected.size());
  for (Index i = 0; i < found.size(); ++i) {
    CAPTURE(i, found[i], expected[i]);
    CHECK(std::abs(found[i] - expected[i]) < tolerance * std::max(1.0, std::abs(expected[i])));
  }
}

}  // namespace

TEST_CASE("correlations of a process are scikit-learn's", "[process]") {
  const Inputs inputs = oracle_inputs("");
  const std::vector<Index> first{0, 1, 2, 3, 4, 5};
  const std::vector<Index> others{6, 7, 8, 9};
  const MatrixXd found = correlations(oracle_kernel(), CodedInputs(take_rows(inputs, first)),
                                      CodedInputs(take_rows(inputs, others)));
  const MatrixXd expected = matrix_of(oracle()["correlations"]);
  REQUIRE(found.rows() == 6);
  REQUIRE(found.cols() == 4);
  CHECK((found - expected).cwiseAbs().maxCoeff() < 1e-14);
}

TEST_CASE("the marginal likelihood of a process is scikit-learn's, repeated runs merged",
          "[process]") {
  const Observations rows = oracle_observations();
  REQUIRE(rows.y.size() == 30);
  REQUIRE(rows.runs.sum() == 35);
  HyperPosterior posterior(rows, flat_prior());
  const double constants =
      35 * std::log(2 * std::numbers::pi) / 2 + rows.runs.array().log().sum() / 2;
  CHECK_THAT(-posterior.cost(oracle_hyper()) - constants,
             Catch::Matchers::WithinAbs(oracle()["log_likelihood"], 1e-8));
}

TEST_CASE("the slopes of the marginal likelihood are scikit-learn's", "[process]") {
  const Observations rows = oracle_observations();
  HyperPosterior posterior(rows, flat_prior());
  posterior.cost(oracle_hyper());
  check_close(-posterior.slopes(), oracle_vector("slopes"));
}

TEST_CASE("the slopes of the posterior are its differences", "[process]") {
  const Observations rows = oracle_observations();
  HyperPosterior posterior(rows, sparse_prior(HyperLayout(rows.inputs)));
  VectorXd hyper = oracle_hyper();
  hyper.array() += 0.3;
  posterior.cost(hyper);
  const VectorXd slopes = posterior.slopes();
  VectorXd differences(hyper.size());
  for (Index k = 0; k < hyper.size(); ++k) {
    VectorXd there = hyper;
    there[k] += 1e-4;
    const double above = posterior.cost(there);
    there[k] -= 2e-4;
    differences[k] = (above - posterior.cost(there)) / 2e-4;
  }
  check_close(slopes, differences, 1e-6);
}

TEST_CASE("means and deviations of a process are scikit-learn's", "[process]") {
  const Inputs inputs = exponentials(oracle_inputs(""));
  const Inputs asked = exponentials(oracle_inputs("asked_"));
  const HyperParameters hyper{
      .coordinates = {Coordinate{}, Coordinate{}},
      .kernel = oracle_kernel(),
      .level_deviation = std::sqrt(oracle()["level_variance"].get<double>()),
      .position = {}};
  const GpFit fit = fit_gp(inputs, oracle_vector("y"), hyper, GpOptions{});
  const Prediction found = Predictor(fit.gp).predicted(asked, true, 1);
  check_close(found.mean.array() + fit.level, oracle_vector("mean"));
  check_close(found.deviation, oracle_vector("deviation"));
}

// The runs differ in a number, ln x by 1, and in a level, so that their correlation c is (1/4 + 3/4
// (1 + 1 + 1/3) / e) / 2. With a variance and a noise of 1 their covariance is 2 on the diagonal
// and c elsewhere; the residuals are 1 and -1.
TEST_CASE("a process of two runs has its closed form to nine digits", "[process][certified]") {
  GaussianProcess gp;
  gp.coordinates = {Coordinate{}};  // the logarithm
  gp.kernel = {.inverse_lengths = VectorXd::Constant(1, 1 / std::sqrt(5.0)),
               .shares = VectorXd::Constant(1, 0.25),
               .rates = VectorXd::Constant(1, std::log(2.0)),
               .variance = 1,
               .noise = 1};
  gp.inputs = {.numbers = MatrixXd(2, 1), .levels = Levels(2, 1)};
  gp.inputs.numbers << 0, 1;
  gp.inputs.levels << 0, 1;
  gp.runs = VectorXd::Ones(2);
  gp.residual = VectorXd(2);
  gp.residual << 1, -1;
  const CodedInputs known(gp.inputs);
  MatrixXd covariance = correlations(gp.kernel, known, known);
  covariance.diagonal().array() += 1;
  gp.weights = PositiveMatrix::factorised(covariance)->solve(gp.residual);

  Inputs first{.numbers = MatrixXd::Ones(1, 1), .levels = Levels(1, 1)};
  first.levels << 0;
  const Prediction found = Predictor(gp).predicted(first, true, 1);
  CHECK(test::matching_digits(found.mean[0], 0.35612873233744361) >= 9);  // (1 - c) / (2 - c)
  CHECK(test::matching_digits(found.deviation[0], 0.68827590561015295) >=
        9);  // sqrt(1 - 2 / (4 - c^2))

  Observations rows{.inputs = CodedInputs(gp.inputs), .y = gp.residual, .runs = gp.runs};
  rows.spread = 0;  // no intercept
  const HyperLayout layout(rows.inputs);
  VectorXd hyper = VectorXd::Zero(layout.size());  // both variances are 1
  hyper[layout.length(0)] = std::log(gp.kernel.inverse_lengths[0]);
  hyper[layout.share(0)] = std::log(gp.kernel.shares[0] / (1 - gp.kernel.shares[0]));
  hyper[layout.rate(0)] = std::log(gp.kernel.rates[0]);
  const VectorXd flat = VectorXd::Zero(layout.size());
  // -ln of the density without ln(2 pi): (2 / (2 - c) + ln(4 - c^2)) / 2.
  const double cost = HyperPosterior(rows, {.mean = flat, .precision = flat}).cost(hyper);
  CHECK(test::matching_digits(cost, 1.3114093385690605) >= 9);
}
