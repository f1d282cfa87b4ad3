#include "trust/resampling.hpp"

#include <stop_token>

#include "fit/fit.hpp"
#include "support/catch.hpp"
#include "support/paper_runs.hpp"
#include "support/planted_runs.hpp"
#include "table/expressions.hpp"

using namespace perfmodel;
using test::PaperRuns;
using test::PlantedModel;

namespace {

/// Small, so that many sets can be fitted in a test.
PlantedModel planted() {
  return {
      .numbers = {{"filters", 0.02, 1.2, {4, 8, 16, 32, 64}}, {"workers", 0, -0.7, {1, 2, 4, 8}}},
      .levels = {{"activation", {"relu", "tanh"}, {0.2, 0.7}}},
      .intercept = 0.3};
}

PaperRuns runs_with(std::size_t rows, std::uint64_t seed) {
  return test::runs_of(test::planted_table(planted(), rows, 0.1, seed));
}

}  // namespace

TEST_CASE("a bootstrap gives the same samples for any number of threads", "[fit]") {
  const PaperRuns runs = runs_with(80, 1);
  FitOptions options;
  const FittedModel model = fit(runs.spec, runs.design, options);
  const BootstrapSamples one = bootstrap(model, runs.design, options, 10);
  options.threads = 3;
  const BootstrapSamples three = bootstrap(model, runs.design, options, 10);
  CHECK(one.resampling == Resampling::rows);
  CHECK(one.constants == three.constants);
  CHECK(one.constants.cols() == 10);
  options.seed = 2;
  CHECK(bootstrap(model, runs.design, options, 10).constants != one.constants);
  // A stop request leaves out samples.
  std::stop_source source;
  source.request_stop();
  options.stop = source.get_token();
  CHECK(bootstrap(model, runs.design, options, 10).constants.cols() == 0);
}

TEST_CASE("few rows have their residuals resampled, and every sample keeps every level", "[fit]") {
  const PaperRuns runs = runs_with(15, 1);
  const FittedModel model = fit(runs.spec, runs.design, {});
  const BootstrapSamples samples = bootstrap(model, runs.design, {}, 20);
  CHECK(samples.resampling == Resampling::residuals);
  CHECK(samples.constants.allFinite());
}

TEST_CASE("percentile intervals are those of the samples, widened about the fit", "[fit]") {
  const PaperRuns runs = runs_with(80, 1);
  FittedModel model = fit(runs.spec, runs.design, {});
  model.constants.setConstant(50);
  BootstrapSamples samples;
  samples.resampling = Resampling::residuals;  // not widened
  samples.constants.resize(model.constants.size(), 99);
  for (Eigen::Index b = 0; b < 99; ++b)
    samples.constants.col(b).setConstant(static_cast<double>(1 + b));
  const Uncertainty plain = percentile_intervals(model, runs.design, samples, 0.9);
  CHECK(plain.constants.at(0).low == Catch::Approx(5));
  CHECK(plain.constants.at(0).high == Catch::Approx(95));
  CHECK(plain.differences.at(1).low == 0);
  samples.resampling = Resampling::rows;
  const Uncertainty wide = percentile_intervals(model, runs.design, samples, 0.9);
  CHECK(wide.constants.at(0).low == Catch::Approx(50 - 45 * std::sqrt(80.0 / 74)));
}

TEST_CASE("bootstrap intervals hold the planted constants", "[fit]") {
  // 95 % intervals over 20 sets: fewer than 16 hits have a chance below 0.3 % each where the
  // coverage is right. tests/benchmarks/bootstrap_coverage.py counts 100 sets of a larger model.
  const PaperRuns any = runs_with(10, 1);
  const Eq4Layout layout(any.spec);
  Eigen::VectorXd truth(static_cast<Eigen::Index>(layout.size()));
  truth << 0.02, 0.2, 0.7, 1.2, -0.7, 0.3;
  std::vector<int> identified(layout.size(), 0);
  std::vector<int> held(layout.size(), 0);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const PaperRuns runs = runs_with(60, seed);
    FitOptions options;
    options.starts = 1;
    options.seed = seed;
    const FittedModel model = fit(runs.spec, runs.design, options);
    const Uncertainty found =
        percentile_intervals(model, runs.design, bootstrap(model, runs.design, options, 60), 0.95);
    for (std::size_t k = 0; k < layout.size(); ++k) {
      const double value = truth[static_cast<Eigen::Index>(k)];
      identified[k] += model.known.identifiability->constants[k] ? 1 : 0;
      held[k] += found.constants[k].low <= value && value <= found.constants[k].high ? 1 : 0;
    }
  }
  for (std::size_t k = 0; k < layout.size(); ++k) {
    CAPTURE(layout.name(k), identified[k]);
    CHECK(held[k] >= 16);
  }
  CHECK(identified[layout.extrinsic_power(0)] == 20);
}
