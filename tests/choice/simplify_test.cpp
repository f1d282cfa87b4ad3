#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "fit/fit.hpp"
#include "forms/sum_form.hpp"
#include "sums/sum_finish.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/paper_runs.hpp"

using namespace perfmodel;

namespace {

/// Two terms with plain powers; the loaders and the host play no part.
test::PaperRuns simple_sum_runs(double scatter, double filters_power) {
  RandomStream random(5, "simple sums");
  std::ostringstream csv;
  csv << "host,loaders,filters,batch,workers,time_s\n";
  for (int row = 0; row < 240; ++row) {
    const double workers = std::pow(2, static_cast<double>(random.below(5)));
    const double batch = std::pow(2, 3 + static_cast<double>(random.below(5)));
    const double filters = 16 + 12 * static_cast<double>(random.below(8));
    const double time =
        2e-3 * batch * std::pow(filters, filters_power) / workers + 0.03 * std::sqrt(workers);
    csv << "h" << random.below(3) << ',' << 1 + random.below(4) << ',' << to_text(filters) << ','
        << to_text(batch) << ',' << to_text(workers) << ','
        << to_text(time * std::exp(scatter * random.normal())) << '\n';
  }
  RoleRequest request;
  request.extrinsic = {"workers"};
  return test::runs_of(test::table_of(csv.str()), request);
}

FittedModel sum_of(const test::PaperRuns& runs, std::optional<std::size_t> terms = {},
                   std::optional<Loss> loss = {}) {
  FitOptions options;
  options.form = SumOptions{terms};
  options.loss = loss.value_or(default_loss(options));
  return fit(runs.spec, runs.design, options);
}

/// Those of a column in the terms, in rising order; C is none.
std::vector<double> powers_of(const FittedModel& model, const std::string& column) {
  const std::vector<ConstantInfo> infos = model.form->constants(model.spec);
  std::vector<double> out;
  for (std::size_t k = 0; k < infos.size(); ++k)
    if (infos[k].column == column && infos[k].range == ConstantRange::any)
      out.push_back(model.constants[static_cast<Eigen::Index>(k)]);
  std::sort(out.begin(), out.end());
  return out;
}

struct PlantedLaw {
  double constant = 0;
  double coefficient = 0;
  double power = 0;
  int logarithm = 0;

  double time(double n) const {
    return constant + coefficient * std::pow(n, power) * std::pow(std::log2(n), logarithm);
  }
};

/// Five sizes, each measured four times.
test::PaperRuns runs_of_law(const PlantedLaw& law, double scatter = 0) {
  RandomStream random(11, "planted laws");
  std::ostringstream csv;
  csv << "n,time_s\n";
  for (const double n : {4, 8, 16, 32, 64})
    for (int repeat = 0; repeat < 4; ++repeat)
      csv << to_text(n) << ',' << to_text(law.time(n) * std::exp(scatter * random.normal()))
          << '\n';
  RoleRequest request;
  request.extrinsic = {"n"};
  return test::runs_of(test::table_of(csv.str()), request);
}

/// Two products without noise; with other units and another order they are the same runs.
test::PaperRuns product_runs(double unit_of_width, double unit_of_time, bool backwards) {
  std::vector<std::string> rows;
  for (const char* const kind : {"dense", "sparse"})
    for (const double width : {0.5, 1.25, 2.5, 7.0, 12.0})
      for (const double workers : {2, 4, 8, 16, 32}) {
        const double factor = std::string(kind) == "dense" ? 1 : 0.25;
        const double time =
            0.7 * factor * std::pow(width, 4.0 / 3) / workers + 0.02 * std::sqrt(workers);
        rows.push_back(std::string(kind) + ',' + to_text(width * unit_of_width) + ',' +
                       to_text(workers) + ',' + to_text(time * unit_of_time) + '\n');
      }
  if (backwards)
    std::reverse(rows.begin(), rows.end());
  std::string csv = "kind,width,workers,time_s\n";
  for (const std::string& row : rows)
    csv += row;
  RoleRequest request;
  request.extrinsic = {"workers"};
  return test::runs_of(test::table_of(csv), request);
}

bool is_close(double value, double expected) {
  return std::abs(value - expected) <= 1e-9 * std::abs(expected);
}

/// A multiple of 1/4 or of 1/3.
bool is_simple(double power) {
  return 4 * power == std::round(4 * power) || 3 * power == std::round(3 * power);
}

}  // namespace

TEST_CASE("laws of one size come out exactly where there is no noise", "[fit][sum]") {
  const PlantedLaw laws[] = {{150, 5, 1, 0},       {20, 3, 1.5, 1},    {700, 0.25, 4.0 / 3, 2},
                             {450, 650, 0, 1},     {90, 12, 0.25, 0},  {3, 0.01, 2.75, 1},
                             {640, 9, 2.0 / 3, 1}, {1000, 2, 1.75, 0}, {30, 43, 3, 2}};
  for (const PlantedLaw& law : laws) {
    CAPTURE(law.power, law.logarithm);
    const FittedModel model = sum_of(runs_of_law(law));
    const SumStructure& structure = sum_form(model).structure;
    REQUIRE(structure.terms == 1);
    CHECK(structure.feature(0, 0).log_power == law.logarithm);
    CHECK(powers_of(model, "n") == std::vector<double>{law.power});
    const SumLayout layout(model.spec, structure);
    const auto constant = [&](std::size_t i) {
      return model.constants[static_cast<Eigen::Index>(i)];
    };
    CHECK(is_close(constant(layout.coefficient(0)), law.coefficient));
    CHECK(is_close(constant(layout.intercept()), law.constant));
  }
}

TEST_CASE("a formula shows plain powers as they are", "[fit][sum]") {
  const auto formula = [](const PlantedLaw& law, double scatter) {
    const FittedModel model = sum_of(runs_of_law(law, scatter));
    return model.form->formula(model.spec, model.constants);
  };
  CHECK(formula({20, 3, 1.5, 1}, 0) == "t = 3 * n^1.5 * log2(n) + 20");
  CHECK(formula({20, 3, 4.0 / 3, 0}, 0) == "t = 3 * n^(4/3) + 20");
  CHECK(formula({20, 3, 1.5, 1}, 0.01).find(" * n^1.5 * log2(n)") != std::string::npos);
}

TEST_CASE("units and the order of the rows do not change the plain powers", "[fit][sum]") {
  for (const auto& [width, time, backwards] :
       {std::tuple(1.0, 1.0, false), std::tuple(2.54, 1.0, false), std::tuple(1.0, 1000.0, false),
        std::tuple(1.0, 1.0, true)}) {
    CAPTURE(width, time, backwards);
    const FittedModel model = sum_of(product_runs(width, time, backwards));
    CHECK(powers_of(model, "width") == std::vector<double>{0, 4.0 / 3});
    CHECK(powers_of(model, "workers") == std::vector<double>{-1, 0.5});
    CHECK(model.known.metrics.train.mape_percent < 1e-7);
  }
}

TEST_CASE("a chosen sum has the plain powers that the runs have", "[fit][sum]") {
  const FittedModel model = sum_of(simple_sum_runs(0.02, 0.5));
  CHECK(powers_of(model, "batch") == std::vector<double>{0, 1});
  CHECK(powers_of(model, "filters") == std::vector<double>{0, 0.5});
  CHECK(powers_of(model, "workers") == std::vector<double>{-1, 0.5});
  CHECK(powers_of(model, "loaders") == std::vector<double>{0, 0});
  const std::string formula = model.form->formula(model.spec, model.constants);
  CAPTURE(formula);
  CHECK(formula.find("host") == std::string::npos);
}

TEST_CASE("a power that the runs tell from plain ones stays, as do those of a given form or loss",
          "[fit][sum]") {
  // 0.4 is 0.07 from the next third, which makes 5 % over the filters: many times the scatter.
  const std::vector<double> told = powers_of(sum_of(simple_sum_runs(0.005, 0.4)), "filters");
  REQUIRE(told.size() == 2);
  CHECK(std::abs(told[1] - 0.4) < 0.01);
  CHECK_FALSE(is_simple(told[1]));

  const FittedModel given = sum_of(simple_sum_runs(0.02, 0.5), 2);
  const FittedModel asked = sum_of(simple_sum_runs(0.02, 0.5), {}, Loss::rmsle);
  for (const double power : powers_of(asked, "workers"))
    CHECK_FALSE(is_simple(power));
  for (const char* const column : {"batch", "filters", "workers", "loaders"})
    for (const double power : powers_of(given, column))
      CHECK_FALSE(is_simple(power));
}

TEST_CASE("a process does not change the plain powers of its trend", "[fit][sum][residual]") {
  FitOptions options;
  options.form = SumOptions();
  options.residual = Residual::gp;
  const test::PaperRuns runs = simple_sum_runs(0.02, 0.5);
  const FittedModel model = fit(runs.spec, runs.design, options);
  CHECK(powers_of(model, "batch") == std::vector<double>{0, 1});
  CHECK(powers_of(model, "workers") == std::vector<double>{-1, 0.5});
  CHECK(std::abs(predict(model, runs.design).cwiseQuotient(runs.design.time).array().log().mean()) <
        0.01);
}
