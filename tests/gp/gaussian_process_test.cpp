#include "gp/gaussian_process.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "gp/likelihood.hpp"
#include "support/catch.hpp"

using namespace perfmodel;
using namespace perfmodel::gp;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Rows = std::vector<Index>;

namespace {

struct NoisyRuns {
  Inputs inputs;
  VectorXd y;  ///< ln(time / formula)
};

/// What a formula leaves: one of three levels is peculiar at some batches. The workers, a third
/// number and a column of two levels do nothing.
double planted_residual(double batch, std::uint32_t level) {
  return level == 1 ? 0.4 * std::sin(2 * std::log(batch)) : 0;
}

NoisyRuns gp_runs(Index rows, double noise, std::uint64_t seed = 1) {
  RandomStream random(seed);
  NoisyRuns out{.inputs = {.numbers = MatrixXd(rows, 3), .levels = Levels(rows, 2)},
                .y = VectorXd(rows)};
  for (Index i = 0; i < rows; ++i) {
    out.inputs.numbers.row(i) << std::exp(random.uniform(0, 6)), std::exp2(random.below(5)),
        random.uniform(1, 100);
    out.inputs.levels.row(i) << static_cast<std::uint32_t>(random.below(3)),
        static_cast<std::uint32_t>(random.below(2));
    out.y[i] = planted_residual(out.inputs.numbers(i, 0), out.inputs.levels(i, 0)) +
               noise * random.normal();
  }
  return out;
}

struct Fitted {
  GpFit fit;

  VectorXd operator()(const Inputs& asked, std::size_t threads = 1) const {
    return Predictor(fit.gp).predicted(asked, false, threads).mean.array() + fit.level;
  }
};

Fitted fitted_gp(const NoisyRuns& runs, const GpOptions& options = {}) {
  return {
      fit_gp(runs.inputs, runs.y, search_hyper_parameters(runs.inputs, runs.y, options), options)};
}

double error(const VectorXd& found, const VectorXd& expected) {
  return std::sqrt((found - expected).squaredNorm() / static_cast<double>(found.size()));
}

Rows shuffled_rows(Index count) {
  return sampled_rows(count, count, 99);
}

}  // namespace

TEST_CASE("a process finds what a formula leaves", "[process]") {
  const NoisyRuns asked = gp_runs(300, 0, 2);
  const Fitted model = fitted_gp(gp_runs(250, 0.02));
  CHECK(error(model(asked.inputs), asked.y) < 0.02);
  const Kernel& kernel = model.fit.gp.kernel;
  CHECK(std::sqrt(kernel.noise) == Approx(0.02).epsilon(0.2));
  CHECK(kernel.inverse_lengths[0] > 0.3);
  CHECK(kernel.inverse_lengths[1] < 0.1);
  CHECK(kernel.inverse_lengths[2] < 0.1);
  CHECK(kernel.rates[0] > 0.1);
  CHECK(kernel.rates[1] < 0.05);
}

TEST_CASE("a process is certain near the runs and uncertain far from them", "[process]") {
  const NoisyRuns runs = gp_runs(150, 0.02);
  const Fitted model = fitted_gp(runs);
  const Predictor predictor(model.fit.gp);
  Inputs far = runs.inputs;
  far.numbers.col(0) *= 1e4;
  const auto deviations = [&](const Inputs& asked) {
    return predictor.predicted(asked, true, 1).deviation;
  };
  CHECK(deviations(runs.inputs).maxCoeff() < 0.03);
  CHECK(deviations(far).minCoeff() > 0.1);
}

TEST_CASE("the order of the rows and the units do not change a process", "[process]") {
  const NoisyRuns runs = gp_runs(160, 0.05);
  const NoisyRuns asked = gp_runs(40, 0, 3);
  const VectorXd expected = fitted_gp(runs)(asked.inputs);

  const Rows order = shuffled_rows(160);
  const NoisyRuns permuted{.inputs = take_rows(runs.inputs, order), .y = runs.y(order)};
  CHECK((fitted_gp(permuted)(asked.inputs) - expected).cwiseAbs().maxCoeff() < 1e-9);

  NoisyRuns other = runs;
  Inputs other_asked = asked.inputs;
  for (Inputs* inputs : {&other.inputs, &other_asked}) {
    inputs->numbers.col(0) *= 1e3 / 7;
    inputs->numbers.col(2) /= 60;
  }
  other.y.array() += std::log(1000);
  const VectorXd found = fitted_gp(other)(other_asked).array() - std::log(1000);
  CHECK((found - expected).cwiseAbs().maxCoeff() < 1e-6);
}

TEST_CASE("runs of one configuration are worth as much one by one as merged", "[process]") {
  NoisyRuns runs = gp_runs(60, 0.05);
  const Rows twice{0, 0, 1, 5, 5, 5, 17};
  Rows rows(60);
  std::iota(rows.begin(), rows.end(), Index{0});
  rows.insert(rows.end(), twice.begin(), twice.end());
  runs = {.inputs = take_rows(runs.inputs, rows), .y = runs.y(rows)};
  for (Index i = 60; i < 67; ++i)
    runs.y[i] += 0.03 * static_cast<double>(i - 63);
  const Fitted merged = fitted_gp(runs);
  CHECK(merged.fit.gp.inputs.rows() == 60);
  CHECK(merged.fit.gp.runs.sum() == 67);
  // A column that no kernel looks at: each run is a configuration of its own.
  Inputs apart = runs.inputs;
  apart.numbers.conservativeResize(67, 4);
  apart.numbers.col(3) = VectorXd::LinSpaced(67, 1, 2);
  HyperParameters hyper = merged.fit.hyper;
  hyper.coordinates.emplace_back();
  hyper.kernel.inverse_lengths.conservativeResize(4);
  hyper.kernel.inverse_lengths[3] = 0;
  hyper.kernel.shares.conservativeResize(4);
  hyper.kernel.shares[3] = 1;
  const GpFit one_by_one = fit_gp(apart, runs.y, hyper, GpOptions{});
  CHECK(one_by_one.gp.inputs.rows() == 67);
  // Only the mean about which the level has its wide prior is another.
  CHECK(std::abs(one_by_one.level - merged.fit.level) < 1e-3);
}

TEST_CASE("any number of threads gives the same process", "[process]") {
  const NoisyRuns runs = gp_runs(140, 0.05);
  const NoisyRuns asked = gp_runs(600, 0, 3);
  for (const Index exact : {2000, 50}) {
    const VectorXd one =
        fitted_gp(runs, {.exact_rows = exact, .neighbours = 30, .threads = 1})(asked.inputs, 1);
    const VectorXd three =
        fitted_gp(runs, {.exact_rows = exact, .neighbours = 30, .threads = 3})(asked.inputs, 3);
    CHECK(one == three);
  }
}

TEST_CASE("predictions from all rows as neighbours are the exact ones", "[process]") {
  const NoisyRuns runs = gp_runs(200, 0.05);
  const NoisyRuns asked = gp_runs(50, 0, 3);
  const Fitted model = fitted_gp(runs);
  GaussianProcess near = model.fit.gp;
  near.neighbours = 200;
  const Prediction exact = Predictor(model.fit.gp).predicted(asked.inputs, true, 1);
  const Prediction found = Predictor(near).predicted(asked.inputs, true, 1);
  CHECK((exact.mean - found.mean).cwiseAbs().maxCoeff() < 1e-8);
  CHECK((exact.deviation - found.deviation).cwiseAbs().maxCoeff() < 1e-8);
}

TEST_CASE("a few neighbours give the same answer as all rows", "[process][whole-fits]") {
  const NoisyRuns runs = gp_runs(1500, 0.05);
  const NoisyRuns asked = gp_runs(200, 0, 3);
  const GpOptions options{.hyper_rows = 150};
  const Fitted model = fitted_gp(runs, options);
  GaussianProcess near = model.fit.gp;
  near.neighbours = 60;
  const VectorXd exact = Predictor(model.fit.gp).predicted(asked.inputs, false, 1).mean;
  const VectorXd found = Predictor(near).predicted(asked.inputs, false, 1).mean;
  CHECK(error(found, exact) < 0.01);
  CHECK(error(found, exact) < 0.1 * std::sqrt(exact.squaredNorm() / 200));
}

TEST_CASE("more rows than are solved for at once are kept as neighbours", "[process][whole-fits]") {
  const NoisyRuns runs = gp_runs(700, 0.05);
  const NoisyRuns asked = gp_runs(100, 0, 3);
  const Fitted all = fitted_gp(runs, {.hyper_rows = 150});
  const Fitted near = fitted_gp(runs, {.hyper_rows = 150, .exact_rows = 300, .neighbours = 60});
  CHECK(near.fit.gp.weights.size() == 0);
  CHECK(near.fit.gp.inputs.rows() == 700);
  CHECK(error(near(asked.inputs), asked.y) < 1.2 * error(all(asked.inputs), asked.y));
}

TEST_CASE("a process of a column without a second value and of equal times is no failure",
          "[process]") {
  NoisyRuns runs = gp_runs(20, 0);
  runs.inputs.numbers.col(1).setConstant(4);
  runs.inputs.levels.col(0).setZero();
  CHECK(fitted_gp(runs)(runs.inputs).allFinite());
  runs.y.setConstant(2);
  CHECK((fitted_gp(runs)(runs.inputs).array() - 2).abs().maxCoeff() < 1e-3);
}

TEST_CASE("a search for hyper-parameters stops on request", "[process]") {
  std::stop_source stopped;
  stopped.request_stop();
  const NoisyRuns runs = gp_runs(100, 0.05);
  const Fitted model = fitted_gp(runs, {.stop = stopped.get_token()});
  CHECK(model.fit.hyper.evaluations < 5);
}
