#include "fit/censored.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "fit/fit.hpp"
#include "forms/form.hpp"
#include "perfmodel/error.hpp"
#include "roles/cut_runs.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/paper_runs.hpp"
#include "table/table.hpp"

using namespace perfmodel;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using Eigen::VectorXd;

namespace {

/// 3 gpus^-0.8 batch^0.7 with 10 % of noise, and limits between a half and twice the usual time.
/// Times and limits are in units of `unit` seconds.
std::string limited_runs(double unit, bool backwards = false) {
  RandomStream random(11, "limited runs");
  std::vector<std::string> lines;
  for (int run = 0; run < 90; ++run) {
    const double gpus = std::exp2(run % 5);
    const double batch = 8 * std::exp2(run / 5 % 4);
    const double time =
        3 * std::pow(gpus, -0.8) * std::pow(batch, 0.7) * std::exp(0.1 * random.normal());
    const double limit = std::exp(random.uniform(std::log(4), std::log(60)));
    lines.push_back(to_text(gpus) + "," + to_text(batch) + "," +
                    (time < limit ? to_text(time / unit) : "timeout") + "," +
                    to_text(limit / unit) + "\n");
  }
  if (backwards)
    std::reverse(lines.begin(), lines.end());
  std::string out = "gpus,batch,time,limit\n";
  for (const std::string& line : lines)
    out += line;
  return out;
}

test::PaperRuns design_of_limited(const std::string& text) {
  Table table = test::table_of(text);
  RoleRequest request;
  request.target = "time";
  request.extrinsic = {{"gpus", "batch"}};
  request.ignore = {"limit"};
  REQUIRE(set_limits("time", "limit", table));
  return test::runs_of(table, request);
}

FitOptions options_without_constant(Loss loss) {
  FitOptions options;
  options.loss = loss;
  options.form = test::within({"C=0"});
  options.starts = 2;
  return options;
}

double normal_density(double z) {
  return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
}

/// The sum of |y - min(c, f)| of one value f of all rows.
double powell_loss(const Design& runs, const std::vector<std::size_t>& rows, double f) {
  double sum = 0;
  for (const std::size_t row : rows) {
    const auto at = static_cast<Eigen::Index>(row);
    sum += std::abs(runs.time[at] - std::min(runs.limit[at], f));
  }
  return sum;
}

}  // namespace

TEST_CASE("a Tobit model is where the slopes of its likelihood vanish", "[fit][cut]") {
  // The likelihood of a log-linear Tobit model has a single maximum (Olsen 1978).
  const auto runs = design_of_limited(limited_runs(1));
  const FittedModel model = fit(runs.spec, runs.design, options_without_constant(Loss::rmsle));
  REQUIRE(model.provenance.cut);
  const std::vector<std::size_t> finished = finished_rows(runs.design);
  CHECK(model.provenance.cut->rows == runs.design.rows - finished.size());
  CHECK(model.provenance.cut->rows > 20);
  const double sigma = model.provenance.cut->deviation;
  const VectorXd predicted = predict(model, runs.design);
  VectorXd slopes = VectorXd::Zero(3);
  double of_sigma = 0;
  for (std::size_t row = 0; row < runs.design.rows; ++row) {
    const auto at = static_cast<Eigen::Index>(row);
    const double z = std::log(runs.design.time[at] / predicted[at]) / sigma;
    const double hazard = normal_density(z) / (std::erfc(z / std::numbers::sqrt2) / 2);
    const double slope = runs.design.is_cut(row) ? hazard : z;
    of_sigma += runs.design.is_cut(row) ? hazard * z : z * z - 1;
    slopes += slope * Eigen::Vector3d(1, std::log(runs.design.extrinsic[0].value(row)),
                                      std::log(runs.design.extrinsic[1].value(row)));
  }
  const double n = static_cast<double>(runs.design.rows);
  // Runs whose limit is 4 deviations below are left out: slopes of up to 1e-4 each.
  CHECK(slopes.cwiseAbs().maxCoeff() / n < 1e-3);
  CHECK(std::abs(of_sigma) / n < 2e-3);
  CHECK(sigma == Approx(0.1).margin(0.03));
  const std::vector<double> powers = scaling_powers(model);
  CHECK(powers[0] == Approx(-0.8).margin(0.05));  // about two standard errors
  CHECK(powers[1] == Approx(0.7).margin(0.08));
}

TEST_CASE("censored medians are near those that brute force finds", "[fit][cut]") {
  // With a scale of two values and C = 0, each value has a level of its own.
  RandomStream random(5, "censored medians");
  std::string text = "gpus,time,limit\n";
  for (int run = 0; run < 22; ++run) {
    const double limit = std::exp(random.uniform(1.0, 3.5));
    const double time = (run % 2 == 0 ? 6 : 12) * std::exp(0.3 * random.normal());
    text += std::string(run % 2 == 0 ? "2," : "1,") +
            (time < limit ? to_text(time) : ">" + to_text(limit)) + "," + to_text(limit) + "\n";
  }
  Table table = test::table_of(text);
  RoleRequest request;
  request.target = "time";
  request.extrinsic = {{"gpus"}};
  request.ignore = {"limit"};
  REQUIRE(set_limits("time", "limit", table));
  const auto runs = test::runs_of(table, request);
  const FittedModel model = fit(runs.spec, runs.design, options_without_constant(Loss::mae));
  const VectorXd predicted = predict(model, runs.design);
  double least = 0;
  double found = 0;
  for (const double gpus : {1.0, 2.0}) {
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < runs.design.rows; ++row)
      if (runs.design.extrinsic[0].value(row) == gpus)
        rows.push_back(row);
    double best = 1e300;
    for (const std::size_t row : rows)  // the loss has its kinks at times and limits
      for (const auto* values : {&runs.design.time, &runs.design.limit})
        best = std::min(best,
                        powell_loss(runs.design, rows, (*values)[static_cast<Eigen::Index>(row)]));
    least += best;
    found += powell_loss(runs.design, rows, predicted[static_cast<Eigen::Index>(rows[0])]);
  }
  CHECK(found <= least * 1.02);  // two steps end near the optimum
  CHECK(model.search.cost == Approx(found / static_cast<double>(runs.design.rows)));
}

TEST_CASE("censored fits know neither the order of rows nor the unit", "[fit][cut]") {
  for (const Loss loss : {Loss::mae, Loss::rmsle}) {
    const auto runs = design_of_limited(limited_runs(1));
    const auto backwards = design_of_limited(limited_runs(1, true));
    const auto milliseconds = design_of_limited(limited_runs(0x1p-10));
    const FitOptions options = options_without_constant(loss);
    const FittedModel model = fit(runs.spec, runs.design, options);
    CHECK(fit(backwards.spec, backwards.design, options).constants == model.constants);
    const FittedModel scaled = fit(milliseconds.spec, milliseconds.design, options);
    for (std::size_t j = 0; j < 2; ++j)
      CHECK(scaling_powers(scaled)[j] == Approx(scaling_powers(model)[j]).epsilon(1e-6));
    CHECK(predict(scaled, milliseconds.design)[0] ==
          Approx(1024 * predict(model, runs.design)[0]).epsilon(1e-6));
  }
}

TEST_CASE("draws beyond limits have Kaplan and Meier's distribution", "[fit][cut]") {
  // Errors 1, 2+, 3, 4 in order: what is beyond 2 is 3 or 4, each with one half.
  Design runs;
  runs.rows = 4;
  runs.time = VectorXd::LinSpaced(4, 1, 4).array().exp();
  runs.limit = VectorXd::Constant(4, std::numeric_limits<double>::infinity());
  runs.limit[1] = runs.time[1];
  const VectorXd predicted = VectorXd::Ones(4);
  int threes = 0;
  constexpr int kDraws = 400;
  for (int seed = 0; seed < kDraws; ++seed) {
    const VectorXd drawn = times_with_draws(runs, predicted, static_cast<std::uint64_t>(seed));
    CHECK(drawn[0] == runs.time[0]);
    const double error = std::log(drawn[1]);
    REQUIRE((error == Approx(3) || error == Approx(4)));
    threes += error < 3.5 ? 1 : 0;
  }
  CHECK(std::abs(threes - kDraws / 2) < 40);  // four standard deviations
  runs.limit[1] = std::numeric_limits<double>::infinity();
  CHECK(times_with_draws(runs, predicted, 1) == runs.time);
}

TEST_CASE("absolute errors need the limits of finished runs", "[fit][cut]") {
  Table table =
      test::table_of("gpus,time\n1,>9\n1,10\n2,6\n2,>4\n4,3\n4,3.1\n8,2\n8,2.2\n16,1\n16,1.1\n");
  REQUIRE(set_limits("time", std::nullopt, table));
  RoleRequest request;
  request.extrinsic = {{"gpus"}};
  const auto runs = test::runs_of(table, request);
  CHECK_THROWS_WITH(fit(runs.spec, runs.design, options_without_constant(Loss::mae)),
                    ContainsSubstring("need the limits of the runs that finished"));
  CHECK_NOTHROW(fit(runs.spec, runs.design, options_without_constant(Loss::rmsle)));
}
