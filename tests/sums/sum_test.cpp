#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/text.hpp"
#include "fit/fit.hpp"
#include "forms/sum_form.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/sum_runs.hpp"
#include "trust/resampling.hpp"

using namespace perfmodel;
using Eigen::VectorXd;
using test::SumRuns;

namespace {

FitOptions sum(std::optional<std::size_t> terms) {
  FitOptions options;
  options.form = SumOptions{terms};
  return options;
}

double worst_relative_error(const FittedModel& model, const Design& design) {
  const VectorXd predicted = predict(model, design);
  return ((predicted - design.time).array() / design.time.array()).abs().maxCoeff();
}

}  // namespace

TEST_CASE("one product is found again to six digits of its powers", "[fit][multi]") {
  SumRuns runs = test::sum_runs(200, 0, 1);
  own_sum_form(runs.truth).structure = {.terms = 1, .step_factors = {}};
  VectorXd constants(7);
  constants << 2e-5, 1.5, 1, 1.5, -1, 1, 0;
  runs.truth.constants = constants;
  runs.design.time = predict(runs.truth, runs.design);
  const FittedModel model = fit(runs.spec, runs.design, sum(1));
  const SumLayout layout(runs.spec, sum_form(model).structure);
  const auto constant = [&](std::size_t k) {
    return model.constants[static_cast<Eigen::Index>(k)];
  };
  CHECK(constant(layout.intrinsic_power(0, 0)) == Catch::Approx(1.5).epsilon(2e-3));
  CHECK(constant(layout.extrinsic_power(0, 0)) == Catch::Approx(-1).epsilon(2e-3));
  CHECK(constant(layout.extrinsic_power(0, 1)) == Catch::Approx(1).epsilon(2e-3));
  CHECK(constant(layout.level(0, 0, 1)) == Catch::Approx(1.5).epsilon(2e-3));
}

TEST_CASE("auto finds two planted products and their regime", "[fit][multi][whole-fits]") {
  const SumRuns runs = test::sum_runs(250, 0.03, 1);
  const SumRuns fresh = test::sum_runs(100, 0, 2);
  const FittedModel model = fit(runs.spec, runs.design, sum(std::nullopt));
  REQUIRE(model.form->name() == "multi");
  CHECK(sum_form(model).structure.terms == 2);
  CHECK(sum_form(model).structure.step_factors == std::vector<StepFactor>{{0, 1}});
  CHECK(worst_relative_error(model, fresh.design) < 0.06);
}

TEST_CASE("a term that takes over beyond the measured scale is warned of", "[fit][multi]") {
  // time = 1 + b n^q, measured at n = 1 .. 4
  const auto [b, q, warned] = GENERATE(table<double, double, bool>(
      {{1e-3, 4, true}, {1e-2, 3, true}, {0.1, 1, false}, {0.2, 2, false}, {1, -1, false}}));
  CAPTURE(b, q);
  std::string csv = "width,gpus,time_s\n";
  for (const double width : {16., 32., 64.}) {
    for (const double n : {1., 2., 3., 4.})
      csv += to_text(width) + ',' + to_text(n) + ',' +
             to_text(std::sqrt(width) * (1 + b * std::pow(n, q))) + '\n';
  }
  const test::PaperRuns runs = test::runs_of(test::table_of(csv));
  const FittedModel model = fit(runs.spec, runs.design, sum(2));
  const auto steep =
      std::count_if(model.warnings.begin(), model.warnings.end(), [](const Warning& w) {
        return w.kind == "steep_growth" &&
               w.message.starts_with("beyond gpus = 4 the model grows as");
      });
  CHECK(steep == (warned ? 1 : 0));
}

namespace {

std::size_t steep_warnings(const FittedModel& model, const std::string& beginning) {
  return static_cast<std::size_t>(std::count_if(
      model.warnings.begin(), model.warnings.end(),
      [&](const Warning& w) {
        return w.kind == "steep_growth" && w.message.starts_with(beginning);
      }));
}

}  // namespace

TEST_CASE("an input of a configuration whose term takes over is warned of as a scale is",
          "[fit][multi]") {
  std::string csv = "width,gpus,time_s\n";
  for (const double width : {8., 16., 24., 32., 48., 64.}) {
    for (const double n : {1., 2., 3., 4.})
      csv += to_text(width) + ',' + to_text(n) + ',' +
             to_text((1 + 1e-8 * std::pow(width, 4)) / n) + '\n';
  }
  const test::PaperRuns runs = test::runs_of(test::table_of(csv));
  const FittedModel model = fit(runs.spec, runs.design, sum(2));
  CHECK(steep_warnings(model, "beyond width = 64 the model grows as width^") == 1);
}

TEST_CASE("powers that cancel where two columns rise together are warned of", "[fit][multi]") {
  // Along the runs, both laws are about proportional to bytes.
  const auto [of_flops, of_bytes, warned] =
      GENERATE(table<double, double, bool>({{-1.5, 2.5, true}, {2, -1, true}, {0.5, 0.5, false}}));
  CAPTURE(of_flops, of_bytes);
  std::string csv = "flops,bytes,gpus,time_s\n";
  for (int row = 0; row < 15; ++row) {
    const double bytes = std::round(100 * std::pow(1.8, row));
    const double flops = std::round(bytes * (row % 3 == 0 ? 8 : row % 3 == 1 ? 10 : 13));
    const double gpus = 1 + row % 2;
    csv += to_text(flops) + ',' + to_text(bytes) + ',' + to_text(gpus) + ',' +
           to_text(1e-6 * std::pow(flops, of_flops) * std::pow(bytes, of_bytes) / gpus) + '\n';
  }
  RoleRequest roles;
  roles.intrinsic = {"flops", "bytes"};
  const test::PaperRuns runs = test::runs_of(test::table_of(csv), roles);
  const FittedModel model = fit(runs.spec, runs.design, sum(1));
  CHECK(steep_warnings(model, "where flops = ") + steep_warnings(model, "where bytes = ") ==
        (warned ? 1 : 0));
}

TEST_CASE("a logarithm that falls to 0 below the measured counts is warned of",
          "[fit][multi][whole-fits]") {
  const int least = GENERATE(1, 8);
  std::string csv = "width,nodes,time_s\n";
  for (const double width : {16., 32., 64., 128.}) {
    for (int n = least; n <= 64 * least; n *= 2)
      csv += to_text(width) + ',' + std::to_string(n) + ',' +
             to_text(1e-3 * width * std::log2(n) + 1e-3) + '\n';
  }
  const test::PaperRuns runs = test::runs_of(test::table_of(csv));
  const FittedModel model = fit(runs.spec, runs.design, sum(std::nullopt));
  REQUIRE(predict(model, with_numeric_at(runs.design, 0, 1)).maxCoeff() < 0.01);
  CHECK(steep_warnings(model, "below nodes = 8 a term falls to 0") == (least > 1 ? 1 : 0));
}

TEST_CASE("auto takes the constant where nothing has an effect", "[fit][multi][whole-fits]") {
  std::size_t constant = 0;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
    CAPTURE(seed);
    SumRuns runs = test::sum_runs(150, 0, seed);
    const SumRuns noise = test::sum_runs(150, 0.05, seed);
    runs.design.time = noise.design.time.cwiseQuotient(runs.design.time);
    const FittedModel model = fit(runs.spec, runs.design, sum(std::nullopt));
    REQUIRE(model.form->name() == "multi");
    constant += sum_form(model).structure.terms == 0 ? 1U : 0U;
    // C is what all runs say, and what folds take for an effect is less than the noise.
    CHECK(model.constants[model.constants.size() - 1] == Catch::Approx(1).epsilon(0.02));
    CHECK((predict(model, runs.design).array() - 1).abs().maxCoeff() < 0.05);
  }
  // Of several forms that fold the same noise, one is better by chance now and then.
  CHECK(constant >= 4);
}

TEST_CASE("a sum has the same bits for any number of threads and any order of rows",
          "[fit][multi]") {
  const SumRuns runs = test::sum_runs(120, 0.05, 1);
  FitOptions options = sum(2);
  const FittedModel one = fit(runs.spec, runs.design, options);
  options.threads = 2;
  CHECK(fit(runs.spec, runs.design, options).constants == one.constants);
  std::vector<std::size_t> reversed(runs.table.rows());
  std::iota(reversed.rbegin(), reversed.rend(), std::size_t{0});
  const Design other = make_design(runs.table, runs.spec, Target::required, reversed);
  CHECK(fit(runs.spec, other, options).constants == one.constants);
}

TEST_CASE("each loss is lowest where it is the one that is minimised", "[fit][multi]") {
  const SumRuns runs = test::sum_runs(200, 0.2, 3);
  const auto fitted = [&](Loss loss) {
    FitOptions options = sum(2);
    options.loss = loss;
    return fit(runs.spec, runs.design, options);
  };
  const FittedModel mae = fitted(Loss::mae);
  const FittedModel mape = fitted(Loss::mape);
  const FittedModel mse = fitted(Loss::mse);
  CHECK(mae.known.metrics.train.mae < mape.known.metrics.train.mae);
  CHECK(mape.known.metrics.train.mape_percent < mae.known.metrics.train.mape_percent);
  CHECK(mse.known.metrics.train.mse < mae.known.metrics.train.mse);
  CHECK(mae.search.cost == Catch::Approx(mae.known.metrics.train.mae).epsilon(1e-12));
}

TEST_CASE("the terms of a sum are listed in the order of their share", "[fit][multi]") {
  const SumRuns runs = test::sum_runs(200, 0.05, 1);
  const FittedModel model = fit(runs.spec, runs.design, sum(3));
  const std::vector<double> shares = time_shares(model, runs.design);
  CHECK(shares.size() == 4);
  CHECK(std::is_sorted(shares.rbegin() + 1, shares.rend()));
  CHECK(std::accumulate(shares.begin(), shares.end(), 0.0) == Catch::Approx(100));
}

TEST_CASE("auto makes do with few rows", "[fit][multi]") {
  for (const std::size_t rows : {4U, 9U}) {
    const SumRuns runs = test::sum_runs(rows, 0.05, 4);
    const FittedModel model = fit(runs.spec, runs.design, sum(std::nullopt));
    CHECK(model.constants.allFinite());
  }
}

TEST_CASE("auto makes do with many runs of few configurations", "[fit][multi]") {
  const SumRuns few = test::sum_runs(4, 0.05, 4);
  std::vector<std::size_t> rows(2000);
  for (std::size_t row = 0; row < rows.size(); ++row)
    rows[row] = row % 4;
  const Design many = take_rows(few.design, rows);
  CHECK(fit(few.spec, many, sum(std::nullopt)).constants.allFinite());
}
