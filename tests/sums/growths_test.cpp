#include <cmath>
#include <functional>
#include <numeric>
#include <sstream>

#include "base/random.hpp"
#include "base/text.hpp"
#include "fit/fit.hpp"
#include "forms/sum_form.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/paper_runs.hpp"

using namespace perfmodel;
using Eigen::VectorXd;
using Texts = std::vector<std::string>;

namespace {

using Point = std::vector<double>;

/// Runs at these points, the extrinsic columns being given.
test::PaperRuns planted_growth(const Texts& columns, const Texts& extrinsic,
                               const std::vector<Point>& points,
                               const std::function<double(const Point&)>& time) {
  std::ostringstream csv;
  for (const std::string& column : columns)
    csv << column << ',';
  csv << "time_s\n";
  for (const Point& point : points) {
    for (const double value : point)
      csv << to_text(value) << ',';
    csv << to_text(time(point)) << '\n';
  }
  RoleRequest request;
  request.extrinsic = extrinsic;
  return test::runs_of(test::table_of(csv.str()), request);
}

FittedModel chosen_growth(const test::PaperRuns& runs, bool signed_terms = false) {
  FitOptions options;
  options.form = SumOptions{.signed_terms = signed_terms};
  return fit(runs.spec, runs.design, options);
}

double at(const FittedModel& model, const Configuration& configuration) {
  return predict(model, design_of(configuration, model.spec))[0];
}

bool warns(const FittedModel& model, const std::string& kind) {
  return std::any_of(
      model.warnings.begin(), model.warnings.end(),
      [&](const Warning& warning) { return warning.kind == kind; });
}

std::vector<Point> one_column(const std::vector<double>& values) {
  std::vector<Point> out;
  for (const double value : values)
    out.push_back({value});
  return out;
}

const std::vector<double> kFive = {4, 8, 16, 32, 64};

}  // namespace

TEST_CASE("five configurations are enough to tell 150 + 5 a from a power, with a warning",
          "[fit][multi][growths]") {
  const test::PaperRuns runs =
      planted_growth({"a"}, {}, one_column(kFive), [](const Point& x) { return 150 + 5 * x[0]; });
  const FittedModel model = chosen_growth(runs);
  CHECK(at(model, {{128}, {}, {}}) == Catch::Approx(790).epsilon(0.02));
  CHECK(warns(model, "few_configurations"));
}

TEST_CASE("no form is chosen from four configurations, and the program says so",
          "[fit][multi][growths]") {
  const test::PaperRuns runs = planted_growth({"a"}, {}, one_column({4, 8, 16, 32}),
                                              [](const Point& x) { return 3 * x[0]; });
  const FittedModel model = chosen_growth(runs);
  CHECK(at(model, {{64}, {}, {}}) == Catch::Approx(192).epsilon(0.01));
  CHECK(warns(model, "few_configurations"));
}

TEST_CASE("an intrinsic column may grow as a logarithm", "[fit][multi][growths]") {
  const test::PaperRuns runs =
      planted_growth({"a"}, {}, one_column({4, 8, 16, 32, 64, 128, 256}),
                     [](const Point& x) { return 20 + 0.5 * x[0] * std::pow(std::log2(x[0]), 2); });
  const FittedModel model = chosen_growth(runs);
  CHECK(at(model, {{1024}, {}, {}}) == Catch::Approx(20 + 512 * 100).epsilon(0.02));
}

TEST_CASE("a plain power is preferred where noise hides a logarithm", "[fit][multi][growths]") {
  std::size_t logarithms = 0;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
    RandomStream random(seed, "plain power");
    const test::PaperRuns runs = planted_growth({"a"}, {}, one_column(kFive), [&](const Point& x) {
      return (100 + 7 * x[0]) * std::exp(0.05 * random.normal());
    });
    const FittedModel model = chosen_growth(runs);
    if (model.form->name() != "multi")
      continue;  // Eq. (4), which has none
    const SumStructure& structure = sum_form(model).structure;
    for (std::size_t k = 0; k < structure.terms; ++k)
      logarithms += structure.feature(k, 0).log_power > 0 ? 1U : 0U;
  }
  CHECK(logarithms <= 1);
}

TEST_CASE("terms leave out columns: two crossing lines tell a sum", "[fit][multi][growths]") {
  std::vector<Point> points;
  for (const double a : {4, 8, 16, 32, 64})
    points.push_back({a, 10});
  for (const double b : {20, 30, 40, 50})
    points.push_back({4, b});
  const auto time = [](const Point& x) { return 40 + 3 * x[0] + 2 * x[1] * std::sqrt(x[1]); };
  const FittedModel model = chosen_growth(planted_growth({"a", "b"}, {"a"}, points, time));
  CHECK(at(model, {{50}, {}, {64}}) == Catch::Approx(time({64, 50})).epsilon(0.05));
}

TEST_CASE("a falling logarithm is found where terms may be taken away", "[fit][multi][growths]") {
  const auto time = [](const Point& x) { return 2518 - 413 * std::log2(x[0]); };
  const test::PaperRuns runs = planted_growth({"x"}, {}, one_column({1, 2, 4, 8, 16, 32}), time);
  const FittedModel model = chosen_growth(runs, true);
  CHECK(at(model, {{48}, {}, {}}) == Catch::Approx(time({48})).epsilon(0.05));
  REQUIRE(model.form->name() == "multi");
  CHECK(model.constants.head(model.constants.size() - 1).minCoeff() < 0);
  CHECK(model.constants.cwiseAbs().maxCoeff() < 3000);  // no two huge parts that cancel
  CHECK(chosen_growth(runs).constants[0] >= 0);
}

TEST_CASE("C may be much larger than the times if terms are taken away", "[fit][multi][growths]") {
  RoleRequest roles;
  roles.extrinsic = std::vector<std::string>{};
  const test::PaperRuns runs = test::runs_of(
      test::table_of("n,k,g,time_s\n2,a,a,2\n4,b,b,1\n1,a,a,5\n4,a,a,3\n1,a,b,3\n1,a,b,5\n2,b,b,2\n"
                     "8,b,a,1\n"),
      roles);
  const FittedModel model = chosen_growth(runs, true);
  CHECK(std::isfinite(model.search.cost));
  CHECK(predict(model, runs.design).minCoeff() > 0);
}

TEST_CASE("a scale of two values has one power for all terms", "[fit][multi][growths]") {
  std::vector<Point> points;
  for (const double n : {1, 2}) {
    for (const double width : {8, 16, 32, 64, 128, 256})
      for (const double batch : {8, 16, 32, 64})
        points.push_back({width, batch, n});
  }
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
    CAPTURE(seed);
    RandomStream random(seed, "two values");
    // The time grows with n: n = 1 and n = 2 cannot tell a power from a saturation, which is safer
    // beyond.
    const test::PaperRuns grows =
        planted_growth({"width", "batch", "n"}, {"n"}, points, [&](const Point& x) {
          return (3 + 0.02 * x[0] * x[1] + 0.5 * x[1]) * (1 + 0.3 * (1 - 1 / x[2])) *
                 std::exp(0.02 * random.normal());
        });
    const FittedModel model = chosen_growth(grows);
    const auto ratio = [&](const FittedModel& fitted, double width, double from, double to) {
      return at(fitted, {{width, 8}, {}, {to}}) / at(fitted, {{width, 8}, {}, {from}});
    };
    // The truth is 1.15, and 1.096 where the part of 3 does not grow; 2 % is the noise of a run.
    CHECK(ratio(model, 8, 1, 2) < 1.02 * 1.15);
    CHECK(ratio(model, 8, 1, 2) > 0.98 * 1.096);
    CHECK(ratio(model, 8, 2, 16) < 1.2);  // the truth is 1.11, the power 1.52
    if (model.form->name() == "multi" && model.constants[model.constants.size() - 1] == 0)
      CHECK(ratio(model, 8, 2, 16) == Catch::Approx(ratio(model, 256, 2, 16)).epsilon(1e-9));
    const test::PaperRuns falls =
        planted_growth({"width", "batch", "n"}, {"n"}, points, [&](const Point& x) {
          return 0.02 * x[0] * x[1] / x[2] * std::exp(0.02 * random.normal());
        });
    CHECK(ratio(chosen_growth(falls), 64, 2, 16) == Catch::Approx(1.0 / 8).epsilon(0.1));
  }
}

TEST_CASE("no form is chosen that predicts far ends worse than the time at the largest value does",
          "[fit][multi][growths]") {
  std::vector<Point> points;
  RandomStream random(3, "saturates");
  for (const double n : {1, 2, 3, 4, 6, 8, 12, 16})
    for (const double width : {8, 16, 32, 64})
      points.push_back({width, n});
  // It grows up to 4 and then not at all.
  const auto time = [&](const Point& x) { return 0.1 * x[0] * std::pow(std::min(x[1], 4.0), 0.7); };
  const FittedModel model =
      chosen_growth(planted_growth({"width", "n"}, {"n"}, points, [&](const Point& x) {
        return time(x) * std::exp(0.02 * random.normal());
      }));
  CHECK(at(model, {{32}, {}, {64}}) == Catch::Approx(time({32, 64})).epsilon(0.15));
}

TEST_CASE("the ring is found and predicts beyond the runs", "[fit][multi][growths]") {
  std::vector<Point> points;
  RandomStream random(5, "ring");
  for (const double n : {1, 2, 3, 4, 5, 6, 8})
    for (const double size : {16, 64, 256, 1024})
      points.push_back({size, n});
  const auto time = [](const Point& x) {
    return 0.3 * std::sqrt(x[0]) * std::exp(1.5 * (1 - 1 / x[1]));
  };
  const FittedModel model =
      chosen_growth(planted_growth({"size", "n"}, {"n"}, points, [&](const Point& x) {
        return time(x) * std::exp(0.01 * random.normal());
      }));
  REQUIRE(model.form->name() == "multi");
  CHECK(sum_form(model).structure.feature(0, 0).saturates);
  CHECK(at(model, {{64}, {}, {64}}) == Catch::Approx(time({64, 64})).epsilon(0.05));
}

TEST_CASE("other growths depend on the order of rows and on units as little as powers do",
          "[fit][multi][growths]") {
  std::vector<Point> points;
  for (const double n : {1, 2, 4, 8, 16})
    for (const double width : {8, 16, 32})
      points.push_back({width, n});
  const auto time = [](const Point& x) { return 2 + 0.1 * x[0] * std::log2(x[1] + 1); };
  const auto runs = planted_growth({"width", "n"}, {"n"}, points, time);
  const std::vector<Point> reversed(points.rbegin(), points.rend());
  const FittedModel model = chosen_growth(runs);
  const FittedModel other = chosen_growth(planted_growth({"width", "n"}, {"n"}, reversed, time));
  const FittedModel in_ms = chosen_growth(planted_growth(
      {"width", "n"}, {"n"}, points, [&](const Point& x) { return 1000 * time(x); }));
  for (const double n : {3.0, 64.0}) {
    const double expected = at(model, {{20}, {}, {n}});
    CHECK(at(other, {{20}, {}, {n}}) == expected);
    CHECK(at(in_ms, {{20}, {}, {n}}) == Catch::Approx(1000 * expected).epsilon(1e-9));
  }
}
