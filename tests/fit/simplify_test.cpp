#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/random.hpp"
#include "base/text.hpp"
#include "fit/fit.hpp"
#include "fit/sum_finish.hpp"
#include "forms/sum_form.hpp"
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
  options.expression = Expression::multi;
  options.terms = terms;
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

}  // namespace

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
  // 0.35 is 0.15 from the next half, which makes 10 % over the filters: many times the scatter.
  const std::vector<double> told = powers_of(sum_of(simple_sum_runs(0.02, 0.35)), "filters");
  REQUIRE(told.size() == 2);
  CHECK(std::abs(told[1] - 0.35) < 0.02);
  CHECK(told[1] != 0.35);

  const FittedModel given = sum_of(simple_sum_runs(0.02, 0.5), 2);
  const FittedModel asked = sum_of(simple_sum_runs(0.02, 0.5), {}, Loss::rmsle);
  for (const double power : powers_of(asked, "workers"))
    CHECK_FALSE(is_plain_power(power));
  for (const char* const column : {"batch", "filters", "workers", "loaders"})
    for (const double power : powers_of(given, column))
      CHECK_FALSE(is_plain_power(power));
}

TEST_CASE("a process leaves the plain powers of its trend", "[fit][sum][residual]") {
  FitOptions options;
  options.expression = Expression::multi;
  options.residual = Residual::process;
  const test::PaperRuns runs = simple_sum_runs(0.02, 0.5);
  const FittedModel model = fit(runs.spec, runs.design, options);
  CHECK(powers_of(model, "batch") == std::vector<double>{0, 1});
  CHECK(powers_of(model, "workers") == std::vector<double>{-1, 0.5});
  CHECK(std::abs(predict(model, runs.design).cwiseQuotient(runs.design.time).array().log().mean()) <
        0.01);
}
