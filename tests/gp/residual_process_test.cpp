#include "gp/residual_process.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "gp/likelihood.hpp"
#include "support/catch.hpp"

using namespace perfmodel;
using namespace perfmodel::process;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Rows = std::vector<Index>;

namespace {

struct NoisyRuns {
  Inputs inputs;
  VectorXd y;  ///< ln t
};

/// A law of two numbers and a column of three levels; a fourth and a fifth column do nothing. What
/// the law leaves: one level is peculiar at some batches.
double planted_law(double batch, double workers, std::uint32_t level) {
  const double peculiar = level == 1 ? 0.4 * std::sin(2 * std::log(batch)) : 0;
  return 0.7 * std::log(batch) - 0.5 * std::log(workers) + 0.3 * level + peculiar;
}

NoisyRuns process_runs(Index rows, double noise, std::uint64_t seed = 1) {
  RandomStream random(seed);
  NoisyRuns out{.inputs = {.numbers = MatrixXd(rows, 3), .levels = Levels(rows, 2)},
                .y = VectorXd(rows)};
  for (Index i = 0; i < rows; ++i) {
    out.inputs.numbers.row(i) << std::exp(random.uniform(0, 6)), std::exp2(random.below(5)),
        random.uniform(1, 100);
    out.inputs.levels.row(i) << static_cast<std::uint32_t>(random.below(3)),
        static_cast<std::uint32_t>(random.below(2));
    out.y[i] =
        planted_law(out.inputs.numbers(i, 0), out.inputs.numbers(i, 1), out.inputs.levels(i, 0)) +
        noise * random.normal();
  }
  return out;
}

struct Fitted {
  ProcessFit fit;
  std::vector<Index> levels;

  VectorXd operator()(const Inputs& asked, std::size_t threads = 1) const {
    const MatrixXd slopes = product_slopes(placed(asked, fit.hyper.coordinates), levels);
    return (slopes * fit.constants).array() + fit.level +
           Predictor(fit.process).mean(asked, threads).array();
  }
};

Fitted fitted_process(const NoisyRuns& runs, const ProcessOptions& options = {}) {
  const Inputs coordinates = placed(runs.inputs, process_coordinates(runs.inputs, options.forms));
  const Trend trend = product_trend(coordinates);
  return {fit_process(runs.inputs, runs.y, trend,
                      search_hyper_parameters(runs.inputs, runs.y, trend, options), options),
          level_counts(runs.inputs)};
}

double error(const VectorXd& found, const VectorXd& expected) {
  return std::sqrt((found - expected).squaredNorm() / static_cast<double>(found.size()));
}

Rows shuffled_rows(Index count) {
  return sampled_rows(count, count, 99);
}

}  // namespace

TEST_CASE("trend and process find a planted law and what it leaves", "[process]") {
  const NoisyRuns asked = process_runs(300, 0, 2);
  const Fitted model = fitted_process(process_runs(250, 0.02));
  CHECK(error(model(asked.inputs), asked.y) < 0.02);
  const Kernel& kernel = model.fit.process.kernel;
  CHECK(std::sqrt(kernel.noise) == Approx(0.02).epsilon(0.2));
  CHECK(kernel.inverse_lengths[0] > 0.3);
  CHECK(kernel.inverse_lengths[1] < 0.1);
  CHECK(kernel.inverse_lengths[2] < 0.1);
  CHECK(kernel.rates[0] > 0.1);
  CHECK(kernel.rates[1] < 0.05);
}

TEST_CASE("a process is certain near the runs and uncertain far from them", "[process]") {
  const NoisyRuns runs = process_runs(150, 0.02);
  const Fitted model = fitted_process(runs);
  const Predictor predictor(model.fit.process);
  Inputs far = runs.inputs;
  far.numbers.col(0) *= 1e4;
  const auto deviations = [&](const Inputs& asked) {
    return predictor
        .predict(asked, &model.fit.trend,
                 product_slopes(placed(asked, model.fit.hyper.coordinates), model.levels), 1)
        .deviation;
  };
  CHECK(deviations(runs.inputs).maxCoeff() < 0.03);
  CHECK(deviations(far).minCoeff() > 0.1);
}

TEST_CASE("the order of the rows and the units do not change a process", "[process]") {
  const NoisyRuns runs = process_runs(160, 0.05);
  const NoisyRuns asked = process_runs(40, 0, 3);
  const VectorXd expected = fitted_process(runs)(asked.inputs);

  const Rows order = shuffled_rows(160);
  const NoisyRuns permuted{.inputs = take_rows(runs.inputs, order), .y = runs.y(order)};
  CHECK((fitted_process(permuted)(asked.inputs) - expected).cwiseAbs().maxCoeff() < 1e-9);

  NoisyRuns other = runs;
  Inputs other_asked = asked.inputs;
  for (Inputs* inputs : {&other.inputs, &other_asked}) {
    inputs->numbers.col(0) *= 1e3 / 7;
    inputs->numbers.col(2) /= 60;
  }
  other.y.array() += std::log(1000);
  const VectorXd found = fitted_process(other)(other_asked).array() - std::log(1000);
  CHECK((found - expected).cwiseAbs().maxCoeff() < 1e-6);
}

TEST_CASE("runs of one configuration are worth as much one by one as merged", "[process]") {
  NoisyRuns runs = process_runs(60, 0.05);
  const Rows twice{0, 0, 1, 5, 5, 5, 17};
  Rows rows(60);
  std::iota(rows.begin(), rows.end(), Index{0});
  rows.insert(rows.end(), twice.begin(), twice.end());
  runs = {.inputs = take_rows(runs.inputs, rows), .y = runs.y(rows)};
  for (Index i = 60; i < 67; ++i)
    runs.y[i] += 0.03 * static_cast<double>(i - 63);
  const Fitted merged = fitted_process(runs);
  CHECK(merged.fit.process.inputs.rows() == 60);
  CHECK(merged.fit.process.runs.sum() == 67);
  // A column that no kernel looks at and no trend: each run is a configuration of its own.
  const Inputs coordinates = placed(runs.inputs, merged.fit.hyper.coordinates);
  Inputs apart = runs.inputs;
  apart.numbers.conservativeResize(67, 4);
  apart.numbers.col(3) = VectorXd::LinSpaced(67, 1, 2);
  HyperParameters hyper = merged.fit.hyper;
  hyper.coordinates.emplace_back();
  hyper.kernel.inverse_lengths.conservativeResize(4);
  hyper.kernel.inverse_lengths[3] = 0;
  hyper.kernel.shares.conservativeResize(4);
  hyper.kernel.shares[3] = 1;
  const ProcessFit one_by_one =
      fit_process(apart, runs.y, product_trend(coordinates), hyper, ProcessOptions{});
  CHECK(one_by_one.process.inputs.rows() == 67);
  // Only the mean about which the level has its wide prior is another.
  CHECK((one_by_one.constants - merged.fit.constants).cwiseAbs().maxCoeff() < 1e-4);
  CHECK(std::abs(one_by_one.level - merged.fit.level) < 1e-3);
}

TEST_CASE("any number of threads gives the same process", "[process]") {
  const NoisyRuns runs = process_runs(140, 0.05);
  const NoisyRuns asked = process_runs(600, 0, 3);
  for (const Index exact : {2000, 50}) {
    const VectorXd one = fitted_process(
        runs, {.exact_rows = exact, .neighbours = 30, .threads = 1})(asked.inputs, 1);
    const VectorXd three = fitted_process(
        runs, {.exact_rows = exact, .neighbours = 30, .threads = 3})(asked.inputs, 3);
    CHECK(one == three);
  }
}

TEST_CASE("predictions from all rows as neighbours are the exact ones", "[process]") {
  const NoisyRuns runs = process_runs(200, 0.05);
  const NoisyRuns asked = process_runs(50, 0, 3);
  const Fitted model = fitted_process(runs);
  ResidualProcess near = model.fit.process;
  near.neighbours = 200;
  const auto slopes = product_slopes(placed(asked.inputs, near.coordinates), model.levels);
  const Prediction exact =
      Predictor(model.fit.process).predict(asked.inputs, &model.fit.trend, slopes, 1);
  const Prediction found = Predictor(near).predict(asked.inputs, &model.fit.trend, slopes, 1);
  CHECK((exact.mean - found.mean).cwiseAbs().maxCoeff() < 1e-8);
  CHECK((exact.deviation - found.deviation).cwiseAbs().maxCoeff() < 1e-8);
}

TEST_CASE("few neighbours say what all rows say", "[process][whole-fits]") {
  const NoisyRuns runs = process_runs(1500, 0.05);
  const NoisyRuns asked = process_runs(200, 0, 3);
  const ProcessOptions options{.hyper_rows = 150};
  const Fitted model = fitted_process(runs, options);
  ResidualProcess near = model.fit.process;
  near.neighbours = 60;
  const VectorXd exact = Predictor(model.fit.process).mean(asked.inputs, 1);
  const VectorXd found = Predictor(near).mean(asked.inputs, 1);
  CHECK(error(found, exact) < 0.01);
  CHECK(error(found, exact) < 0.1 * std::sqrt(exact.squaredNorm() / 200));
}

TEST_CASE("more rows than are solved for at once are kept as neighbours", "[process][whole-fits]") {
  const NoisyRuns runs = process_runs(700, 0.05);
  const NoisyRuns asked = process_runs(100, 0, 3);
  const Fitted all = fitted_process(runs, {.hyper_rows = 150});
  const Fitted near =
      fitted_process(runs, {.hyper_rows = 150, .exact_rows = 300, .neighbours = 60});
  CHECK(near.fit.process.weights.size() == 0);
  CHECK(near.fit.process.inputs.rows() == 700);
  CHECK(error(near(asked.inputs), asked.y) < 1.2 * error(all(asked.inputs), asked.y));
}

TEST_CASE("a trend that is not linear in its constants is fitted with the process", "[process]") {
  // t = (exp(a) batch^p + exp(c)) e^z, from constants that are 40 % and 0.4 off.
  const NoisyRuns runs = [] {
    NoisyRuns out = process_runs(200, 0.02);
    for (Index i = 0; i < 200; ++i) {
      const double batch = out.inputs.numbers(i, 0);
      out.y[i] += std::log(0.2 * std::pow(batch, 0.9) + 3) -
                  planted_law(batch, out.inputs.numbers(i, 1), out.inputs.levels(i, 0));
    }
    return out;
  }();
  Trend trend;
  trend.start = VectorXd(3);
  trend.start << std::log(0.3), 0.5, std::log(2.0);
  trend.scales = VectorXd::Ones(3);
  trend.groups = {0, 0, 0};
  trend.group_count = 1;
  trend.at = [&](const VectorXd& c, std::span<const Index> rows) {
    TrendValues out{.values = VectorXd(static_cast<Index>(rows.size())),
                    .slopes = MatrixXd(static_cast<Index>(rows.size()), 3)};
    for (Index i = 0; i < out.values.size(); ++i) {
      const double batch = runs.inputs.numbers(rows[static_cast<std::size_t>(i)], 0);
      const double term = std::exp(c[0]) * std::pow(batch, c[1]);
      const double sum = term + std::exp(c[2]);
      out.values[i] = std::log(sum);
      out.slopes.row(i) << term / sum, term / sum * std::log(batch), std::exp(c[2]) / sum;
    }
    return out;
  };
  const ProcessFit fit = fit_process(runs.inputs, runs.y, trend,
                                     search_hyper_parameters(runs.inputs, runs.y, trend, {}), {});
  CHECK(fit.constants[1] == Approx(0.9).margin(0.05));
  CHECK(std::exp(fit.constants[0] + fit.level) == Approx(0.2).epsilon(0.2));
  CHECK(std::exp(fit.constants[2] + fit.level) == Approx(3).epsilon(0.1));
}

TEST_CASE("a process of a column without a second value and of equal times is no failure",
          "[process]") {
  NoisyRuns runs = process_runs(20, 0);
  runs.inputs.numbers.col(1).setConstant(4);
  runs.inputs.levels.col(0).setZero();
  CHECK(fitted_process(runs)(runs.inputs).allFinite());
  runs.y.setConstant(2);
  CHECK((fitted_process(runs)(runs.inputs).array() - 2).abs().maxCoeff() < 1e-3);
}

TEST_CASE("a search for hyper-parameters stops on request", "[process]") {
  std::stop_source stopped;
  stopped.request_stop();
  const NoisyRuns runs = process_runs(100, 0.05);
  const Fitted model = fitted_process(runs, {.stop = stopped.get_token()});
  CHECK(model.fit.hyper.evaluations < 5);
}

TEST_CASE("what all other runs say of each is what they say where it is taken away", "[process]") {
  const NoisyRuns runs = process_runs(40, 0.05);
  const Fitted fitted = fitted_process(runs);
  const VectorXd found = left_out_errors(fitted.fit);
  const VectorXd& residual = fitted.fit.process.residual;
  const Index n = residual.size();
  REQUIRE(found.size() == n);
  const MatrixXd covariance =
      fitted.fit.whitening.factors.solve(MatrixXd::Identity(n, n)).inverse();
  for (const Index row : {Index{0}, n / 2, n - 1}) {
    Rows others(static_cast<std::size_t>(n));
    std::iota(others.begin(), others.end(), Index{0});
    others.erase(others.begin() + row);
    const MatrixXd among = covariance(others, others);
    const VectorXd with_row = covariance(others, row);
    const double said = with_row.dot(among.ldlt().solve(VectorXd(residual(others))));
    CHECK(found[row] == Approx(residual[row] - said).epsilon(1e-6).margin(1e-9));
  }
}
