#include "gp/gaussian_process.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "support/catch.hpp"

using namespace perfmodel;
using namespace perfmodel::gp;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Rows = std::vector<Index>;

namespace {

Kernel some_kernel() {
  return {.inverse_lengths = VectorXd{{1.4, 0.6}},
          .shares = VectorXd{{0.2, 0.6}},
          .rates = VectorXd{{0.5}},
          .variance = 0.8,
          .noise = 0.003};
}

Inputs some_inputs(Index rows) {
  RandomStream random(1, "inputs of a process", 0);
  Inputs out{.numbers = MatrixXd(rows, 2), .levels = {}};
  out.levels.resize(rows, 1);
  for (Index i = 0; i < rows; ++i) {
    out.numbers.row(i) << random.normal(), random.normal();
    out.levels(i, 0) = static_cast<std::uint32_t>(i % 3);
  }
  return out;
}

MatrixXd covariance_of(const Kernel& kernel, const Inputs& inputs, const VectorXd& runs) {
  const CodedInputs coded(inputs);
  MatrixXd out = kernel.variance * correlations(kernel, coded, coded);
  out.diagonal() += kernel.noise * runs.cwiseInverse();
  return out;
}

/// Drawn from the process with its noise.
VectorXd drawn_from(const Kernel& kernel, const Inputs& inputs) {
  RandomStream random(2, "draw of a process", 0);
  VectorXd out(inputs.rows());
  for (double& value : out)
    value = random.normal();
  const MatrixXd covariance = covariance_of(kernel, inputs, VectorXd::Ones(out.size()));
  return covariance.llt().matrixL() * out;
}

/// The negative logarithm of a normal density, but for its constant.
double cost_of(const MatrixXd& covariance, const VectorXd& y) {
  const Eigen::LLT<MatrixXd> factors = covariance.llt();
  const MatrixXd lower = factors.matrixL();
  return y.dot(factors.solve(y)) / 2 + lower.diagonal().array().log().sum();
}

struct Example {
  Inputs inputs = some_inputs(40);
  CodedInputs coded{inputs};
  KnownRows rows{
      .inputs = coded,
      .residual = drawn_from(some_kernel(), inputs),
      .runs = VectorXd::LinSpaced(40, 1, 4),
  };
  std::vector<Rows> places{{3, 4, 5, 6, 0}, {8, 13, 21, 34, 1}, {0, 1, 39, 30, 20, 10, 2}};
  HyperLayout layout{coded};
  HyperPrior flat{.mean = VectorXd::Zero(7), .precision = VectorXd::Zero(7)};
};

}  // namespace

TEST_CASE("rows given their neighbours have the density of all over that of the neighbours",
          "[process]") {
  const Example example;
  LeftOutPosterior posterior(example.rows, example.places, example.flat, 2);
  const double found = posterior.cost(example.layout.position(some_kernel()));
  double expected = 0;
  for (const Rows& place : example.places) {
    const Rows others(place.begin(), place.end() - 1);
    for (const auto& [rows, sign] : {std::pair(place, 1.0), std::pair(others, -1.0)})
      expected += sign * cost_of(covariance_of(some_kernel(), take_rows(example.inputs, rows),
                                               example.rows.runs(rows)),
                                 example.rows.residual(rows));
  }
  CHECK(found == Approx(40.0 / 3 * expected).epsilon(1e-11));
}

TEST_CASE("the slopes of what rows left out cost are its differences", "[process]") {
  const Example example;
  const HyperPrior prior{.mean = VectorXd::Constant(7, -1), .precision = VectorXd::Ones(7)};
  LeftOutPosterior posterior(example.rows, example.places, prior, 1);
  const VectorXd hyper = example.layout.position(some_kernel());
  posterior.cost(hyper);
  const VectorXd slopes = posterior.slopes();
  for (Index k = 0; k < hyper.size(); ++k) {
    VectorXd there = hyper;
    there[k] += 1e-4;
    const double above = posterior.cost(there);
    there[k] -= 2e-4;
    CAPTURE(k);
    CHECK(slopes[k] == Approx((above - posterior.cost(there)) / 2e-4).epsilon(1e-6));
  }
}

TEST_CASE("rows that a covariance cannot tell apart cost infinitely much, and end no search",
          "[process]") {
  const Example example;
  LeftOutPosterior posterior(example.rows, {{0, 1, 2}, {3, 3, 4}}, example.flat, 1);
  Kernel noiseless = some_kernel();
  noiseless.noise = 1e-300;
  CHECK(posterior.cost(example.layout.position(noiseless)) > 1e300);
  CHECK(posterior.slopes() == VectorXd::Zero(7));
  CHECK(posterior.mean_relative_error() > 1e300);
  CHECK(std::isfinite(posterior.cost(example.layout.position(some_kernel()))));
  CHECK(std::isfinite(posterior.mean_relative_error()));
}

TEST_CASE("a kernel that predicts rows from those next to them is found", "[process]") {
  const Inputs inputs = some_inputs(280);
  const VectorXd y = drawn_from(some_kernel(), inputs);
  Rows known(200);
  Rows asked(80);
  std::iota(known.begin(), known.end(), Index{0});
  std::iota(asked.begin(), asked.end(), Index{200});
  GaussianProcess gp{.coordinates = {Coordinate{}, Coordinate{}},
                     .kernel = some_kernel(),
                     .inputs = take_rows(inputs, known),
                     .runs = VectorXd::Ones(200),
                     .residual = y(known),
                     .weights = {},
                     .neighbours = 60};
  Inputs places = take_rows(inputs, asked);
  places.numbers = places.numbers.array().exp();  // their coordinates are the logarithms
  const auto error = [&](const Kernel& kernel) {
    gp.kernel = kernel;
    return (Predictor(gp).predicted(places, false, 1).mean - y(asked)).cwiseAbs().mean();
  };
  const double of_truth = error(some_kernel());
  Kernel start = some_kernel();
  start.inverse_lengths = VectorXd{{0.05, 3}};
  start.noise = 0.1;
  const double of_start = error(start);
  REQUIRE(of_start > 1.3 * of_truth);

  gp.kernel = start;
  const PredictiveKernel one = predictive_kernel(gp, {.threads = 1});
  const PredictiveKernel three = predictive_kernel(gp, {.threads = 3});
  CHECK(one.kernel.inverse_lengths == three.kernel.inverse_lengths);
  CHECK(one.kernel.noise == three.kernel.noise);
  CHECK(one.evaluations == three.evaluations);
  // Of 200 rows, what is not known of the kernel costs a few percent.
  CHECK(error(one.kernel) < 1.1 * of_truth);
}
