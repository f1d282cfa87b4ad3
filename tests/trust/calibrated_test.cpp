#include <cmath>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "choice/fit_with_gp.hpp"
#include "fit/fit.hpp"
#include "forms/beyond.hpp"
#include "forms/form.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/paper_runs.hpp"
#include "support/planted_runs.hpp"
#include "support/rows.hpp"
#include "support/runs_text.hpp"
#include "support/sum_runs.hpp"
#include "trust/prediction_intervals.hpp"
#include "trust/resampling.hpp"

using namespace perfmodel;
using Eigen::VectorXd;

namespace {

constexpr double kScatter = 0.05;
constexpr std::size_t kScatteredRuns = 20;

/// 2 sqrt(batch) workers^-0.8 for five batches on four counts of workers, with noise.
test::PaperRuns twenty_runs() {
  RandomStream random(5, "twenty runs");
  const std::string csv = test::csv_grid("batch,workers,time_s", {8, 16, 32, 64, 128}, {1, 2, 4, 8},
                                         [&](double batch, double workers) {
                                           return 2 * std::sqrt(batch) * std::pow(workers, -0.8) *
                                                  std::exp(kScatter * random.normal());
                                         });
  RoleRequest request;
  request.extrinsic = {"workers"};
  return test::runs_of(test::table_of(csv), request);
}

FittedModel eq4_fit(const test::PaperRuns& runs) {
  FitOptions options;
  options.form = Eq4Options();
  return fit(runs.spec, runs.design, options);
}

HeldOutFits held_out_fits(const FittedModel& model, const test::PaperRuns& runs,
                          const FitOptions& options = {}) {
  return HeldOutFits::of(model, runs.design, test::rows_between(0, runs.design.rows), options)
      .value();
}

/// The model with its belief and intervals.
FittedModel calibrated_on_all(FittedModel model, const test::PaperRuns& runs) {
  const HeldOutFits held_out = held_out_fits(model, runs);
  model.belief = held_out.belief();
  model.known.intervals = held_out.intervals(model, {}, 0.9);
  return model;
}

Configuration at(double batch, double workers) {
  return {{batch}, {}, {workers}};
}

/// Half the width of the interval of ln t.
double half_width(const FittedModel& model, const Configuration& configuration) {
  const IntervalFactors factors =
      row_intervals(model, 0.9, design_of(configuration, model.spec))[0];
  return std::log(factors.upper / factors.lower) / 2;
}

}  // namespace

TEST_CASE("intervals of refits are as wide as the runs scatter, and wider beyond the runs",
          "[intervals]") {
  const test::PaperRuns runs = twenty_runs();
  const FittedModel model = calibrated_on_all(eq4_fit(runs), runs);
  // 90 % of normal errors are within 1.64 standard deviations; of 20 rows the ends are the
  // extremes.
  const double within = half_width(model, at(32, 4));
  CHECK(within > kScatter);
  CHECK(within < 4 * kScatter);
  const double twice = half_width(model, at(32, 16));
  const double far = half_width(model, at(32, 64));
  CHECK(twice > within);
  CHECK(far > twice);
  CHECK(far < 1);
}

TEST_CASE("what a selected form says is less certain by its constants", "[intervals]") {
  const test::PaperRuns runs = twenty_runs();
  FittedModel model = eq4_fit(runs);
  const double used = static_cast<double>(fitter_of(*model.form).constants_in_use(model));
  const auto width_of = [&] {
    return held_out_fits(model, runs).half_widths(model, [](const FittedModel& other) {
      return VectorXd::Constant(1, predict(other, design_of(at(32, 4), other.spec))[0]);
    })[0];
  };
  const double given = width_of();
  model.search.form.emplace();
  const double rows = kScatteredRuns;
  CHECK(width_of() / given == Catch::Approx(std::sqrt(rows / (rows - used))));
  // A process has a length per column, a variance and a noise.
  model.search.gp.emplace();
  CHECK(width_of() / given == Catch::Approx(std::sqrt(rows / (rows - used - 2 - 2))));
}

TEST_CASE("intervals of many rows are those of a sample of whole groups, large ones thinned",
          "[intervals]") {
  // Eleven groups of 120 rows: of ten of them every second row is held out, once.
  test::PaperRuns runs = test::runs_of(test::planted_table(
      {.numbers = {{"batch", 2, 0.5, {8, 16, 32, 64, 128}}, {"workers", 0, -0.8, {1, 2, 4, 8}}},
       .levels = {},
       .intercept = 0},
      1320, kScatter, 1));
  FitOptions options;
  options.starts = 1;
  options.form = Eq4Options();
  std::vector<std::size_t> group_of(runs.design.rows);
  for (std::size_t row = 0; row < group_of.size(); ++row)
    group_of[row] = row % 11;
  const FittedModel model = fit(runs.spec, runs.design, options);
  const HeldOutFits found = HeldOutFits::of(model, runs.design, group_of, options).value();
  CHECK(found.intervals(model, {}, 0.9).count == 600);
}

TEST_CASE("usual intervals of divided scores need the usual deviation", "[intervals]") {
  FittedModel model;
  model.known.intervals = calibrate(VectorXd::LinSpaced(39, 0.9, 1.1), VectorXd::Ones(39),
                                    Calibration::validation, 0.9, VectorXd::Constant(39, 0.1));
  CHECK(usual_factors(model));
  model.known.intervals->held_out_deviation.reset();
  CHECK_FALSE(usual_factors(model));
}

TEST_CASE("a factor without an end has no interval, a coefficient has", "[fit][multi]") {
  const test::SumRuns runs = test::sum_runs(60, 0.02, 1);
  BootstrapSamples samples;
  samples.resampling = Resampling::residuals;  // not widened
  samples.constants.resize(runs.truth.constants.size(), 40);
  for (Eigen::Index b = 0; b < 40; ++b)
    samples.constants.col(b) = runs.truth.constants.cwiseAbs() * (b % 2 == 0 ? 1.0 : 1e80);
  const Uncertainty found = percentile_intervals(runs.truth, runs.design, samples, 0.9);
  const std::vector<ConstantInfo> constants = runs.truth.form->constants(runs.truth.spec);
  int coefficients = 0;
  int factors = 0;
  for (std::size_t k = 0; k < constants.size(); ++k) {
    CAPTURE(constants[k].name);
    if (constants[k].range != ConstantRange::factor ||
        !(runs.truth.constants[static_cast<Eigen::Index>(k)] > 0))
      continue;
    if (constants[k].role == ConstantRole::coefficient) {
      ++coefficients;
      CHECK(found.constants[k].high > 1e60);
    } else {
      ++factors;
      CHECK(std::isnan(found.constants[k].high));
    }
  }
  CHECK(coefficients == 2);
  CHECK(factors > 0);
}

TEST_CASE("ends that no single row decides are those of the scores", "[intervals]") {
  // 39 errors from -0.2 to 0.2: at 90 % the ends are the second from each side.
  const VectorXd measured = VectorXd::LinSpaced(39, -0.2, 0.2).array().exp();
  FittedModel model;
  model.known.intervals = calibrate(measured, VectorXd::Ones(39), Calibration::cross_validation,
                                    0.9, VectorXd::Constant(39, 0.1));
  const IntervalFactors factors = usual_factors(model).value();
  CHECK(std::log(factors.lower) == Catch::Approx(-0.2 + 0.4 / 38).epsilon(1e-4));
  CHECK(std::log(factors.upper) == Catch::Approx(0.2 - 0.4 / 38).epsilon(1e-4));
}
