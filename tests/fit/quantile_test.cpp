#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "fit/fit.hpp"
#include "forms/form.hpp"
#include "perfmodel/error.hpp"
#include "search/losses.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/paper_runs.hpp"
#include "support/runs_text.hpp"
#include "table/table.hpp"

using namespace perfmodel;
using Catch::Matchers::ContainsSubstring;
using Eigen::VectorXd;

namespace {

FitOptions quantile_options(double quantile, Loss loss = Loss::mae) {
  FitOptions options;
  options.loss = loss;
  options.quantile = quantile;
  options.starts = 1;
  return options;
}

/// tau max(u, 0) + (1 - tau) max(-u, 0), as Koenker and Bassett write it.
double pinball(double quantile, double u) {
  return quantile * std::max(u, 0.0) + (1 - quantile) * std::max(-u, 0.0);
}

/// 21 times of each of three levels, whose order statistics are the quantiles.
test::PaperRuns runs_of_levels(std::map<std::string, std::vector<double>>& times) {
  RandomStream random(3, "levels");
  std::string text = "kind,time_s\n";
  for (const auto& [kind, typical] : {std::pair("a", 1.0), {"b", 5.0}, {"c", 30.0}}) {
    for (int run = 0; run < 21; ++run) {
      times[kind].push_back(typical * std::exp(0.5 * random.normal()));
      text += test::csv_row(kind, times[kind].back());
    }
    std::sort(times[kind].begin(), times[kind].end());
  }
  RoleRequest request;
  request.target = "time_s";
  request.extrinsic = std::vector<std::string>{};
  return test::runs_of(test::table_of(text), request);
}

}  // namespace

TEST_CASE("the loss of a quantile is twice the pinball loss", "[fit][quantile]") {
  VectorXd measured(4);
  measured << 1, 2, 4, 8;
  VectorXd predicted(4);
  predicted << 1.5, 1, 4, 11;
  for (const double quantile : {0.1, 0.5, 0.95}) {
    const Eigen::ArrayXd of_times =
        row_losses(SignedLoss(quantile_options(quantile)), measured, predicted);
    const Eigen::ArrayXd relative =
        row_losses(SignedLoss(quantile_options(quantile, Loss::mape)), measured, predicted);
    for (Eigen::Index row = 0; row < 4; ++row) {
      const double loss = 2 * pinball(quantile, measured[row] - predicted[row]);
      CHECK(of_times[row] == Catch::Approx(loss).margin(1e-15));
      CHECK(relative[row] == Catch::Approx(loss / measured[row]).margin(1e-15));
    }
  }
  const Eigen::ArrayXd squared =
      row_losses(SignedLoss(quantile_options(0.9, Loss::mse)), measured, predicted);
  CHECK((squared == (measured - predicted).array().square()).all());
}

TEST_CASE("a bound by level is the order statistic of each level", "[fit][quantile]") {
  // 21 * 0.85 = 17.85: the 18th smallest time is the only minimum.
  std::map<std::string, std::vector<double>> times;
  const test::PaperRuns runs = runs_of_levels(times);
  const auto [quantile, rank] = GENERATE(table<double, std::size_t>({{0.85, 18}, {0.3, 7}}));
  FitOptions options = quantile_options(quantile);
  if (GENERATE(false, true))
    options.form = SumOptions{1};
  const FittedModel model = fit(runs.spec, runs.design, options);
  const VectorXd bounds = predict(model, runs.design);
  for (std::size_t row = 0; row < runs.design.rows; ++row) {
    const std::string& kind =
        runs.spec.categorical[0].levels[runs.design.categorical[0].codes[row]];
    CHECK(bounds[static_cast<Eigen::Index>(row)] ==
          Catch::Approx(times[kind][rank - 1]).epsilon(1e-9));
  }
  CHECK(model.search.objective.quantile == quantile);
  CHECK(model.search.gap < 1e-9);
}

TEST_CASE("about a quantile's share of the runs lies at or below the fit", "[fit][quantile]") {
  // At an optimum with C > 0, n - n_at <= n tau <= n_below + n_at: C moves all rows alike.
  const test::PaperRuns runs = test::paper_runs(test::Framework::mxnet, 250, 0.2, 4);
  const double quantile = GENERATE(0.2, 0.8, 0.95);
  FitOptions options = quantile_options(quantile);
  // At 0.95 there are more constants than rows above: the steps end before the last digits.
  const double tolerance = 1e-4;
  if (GENERATE(false, true))
    options.form = SumOptions{2};
  const FittedModel model = fit(runs.spec, runs.design, options);
  REQUIRE(model.constants[model.constants.size() - 1] > 0);
  const Eigen::ArrayXd off =
      (runs.design.time - predict(model, runs.design)).array() / runs.design.time.array();
  const auto below = static_cast<double>((off < -tolerance).count());
  const auto at_or_below = static_cast<double>((off < tolerance).count());
  const double wanted = quantile * static_cast<double>(runs.design.rows);
  CHECK(below <= wanted);
  CHECK(at_or_below >= wanted);
  CHECK(model.search.gap < tolerance);
}

TEST_CASE("the quantile 1/2 is the fit of the mae to the last bit", "[fit][quantile]") {
  const test::PaperRuns runs = test::paper_runs(test::Framework::pytorch, 120, 0.1, 2);
  FitOptions options;
  options.starts = 1;
  if (GENERATE(false, true))
    options.form = SumOptions{1};
  const FittedModel middle = fit(runs.spec, runs.design, options);
  options.quantile = 0.5;
  const FittedModel half = fit(runs.spec, runs.design, options);
  CHECK(half.constants == middle.constants);
  CHECK(half.search.cost == middle.search.cost);
  CHECK(half.search.gap == middle.search.gap);
}

TEST_CASE("a bound follows the unit of the times, and not the order of rows nor their copies",
          "[fit][quantile]") {
  const test::PaperRuns runs = test::paper_runs(test::Framework::mxnet, 90, 0.2, 6);
  const FitOptions options = quantile_options(0.9);
  const VectorXd bounds = predict(fit(runs.spec, runs.design, options), runs.design);
  SECTION("unit") {
    Design in_ms = runs.design;
    in_ms.time *= 1024;  // a power of two leaves every rounding as it is
    const VectorXd scaled = predict(fit(runs.spec, in_ms, options), runs.design);
    CHECK((scaled / 1024 - bounds).cwiseQuotient(bounds).cwiseAbs().maxCoeff() < 1e-9);
  }
  SECTION("order") {
    std::vector<std::size_t> backwards(runs.design.rows);
    for (std::size_t row = 0; row < backwards.size(); ++row)
      backwards[row] = backwards.size() - 1 - row;
    const FittedModel model = fit(runs.spec, take_rows(runs.design, backwards), options);
    CHECK(predict(model, runs.design) == bounds);
  }
  SECTION("copies") {
    std::vector<std::size_t> twice;
    for (std::size_t row = 0; row < runs.design.rows; ++row)
      twice.insert(twice.end(), 2, row);
    const FittedModel model = fit(runs.spec, take_rows(runs.design, twice), options);
    CHECK((predict(model, runs.design) - bounds).cwiseQuotient(bounds).cwiseAbs().maxCoeff() <
          1e-6);
  }
}

TEST_CASE("chosen forms are fitted at the quantile, and a residual correction at the mean",
          "[fit][quantile]") {
  const test::PaperRuns runs = test::paper_runs(test::Framework::mxnet, 60, 0.1, 8);
  FitOptions options;
  options.quantile = 0.9;
  options.form = AutomaticOptions();
  options.loss = default_loss(options);
  CHECK(options.loss == Loss::mape);
  const FittedModel alone = fit(runs.spec, runs.design, options);
  CHECK(alone.search.objective.quantile == 0.9);
  CHECK(alone.search.ridges.size() == 1);  // few rows beyond the quantile determine the powers
  const auto below =
      (runs.design.time.array() <= predict(alone, runs.design).array() * (1 + 1e-9)).count();
  CHECK(below >= 42);  // of 60 rows, weighted by 1 / time
  options.residual = Residual::gp;
  const FittedModel corrected = fit(runs.spec, runs.design, options);
  CHECK_FALSE(corrected.search.objective.quantile);
  CHECK(has_gp(*corrected.form));
}

TEST_CASE("squared losses have no quantile", "[fit][quantile]") {
  const test::PaperRuns runs = test::paper_runs(test::Framework::mxnet, 30, 0.1, 8);
  CHECK_THROWS_WITH(fit(runs.spec, runs.design, quantile_options(0.9, Loss::mse)),
                    ContainsSubstring("weighted absolute errors"));
}
