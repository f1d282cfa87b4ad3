#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/random.hpp"
#include "base/text.hpp"
#include "fit/fit.hpp"
#include "fit/fit_with_process.hpp"
#include "forms/form.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/model.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/paper_runs.hpp"
#include "support/temporary_directory.hpp"

using namespace perfmodel;
using Eigen::VectorXd;

namespace {

/// Runs on 1 to 16 workers of three jobs, each with a way of its own to grow.
test::PaperRuns growing_runs() {
  RandomStream random(1, "growing runs");
  std::ostringstream csv;
  csv << "job,workers,time_s\n";
  for (const int job : {0, 1, 2})
    for (const double workers : {1., 2., 4., 8., 16.})
      for (int repeat = 0; repeat < 4; ++repeat)
        csv << 'j' << job << ',' << to_text(workers) << ','
            << to_text((1 + job) * std::pow(workers, 0.2 + 0.2 * job) *
                       std::exp(0.05 * random.normal()))
            << '\n';
  RoleRequest request;
  request.extrinsic = {"workers"};
  return test::runs_of(test::table_of(csv.str()), request);
}

double time_at(const FittedModel& model, const std::string& job, double workers) {
  const std::string csv = "job,workers,time_s\n" + job + ',' + to_text(workers) + ",1\n";
  return predict(model, make_design(test::table_of(csv), model.spec, Target::required))[0];
}

bool is_near(const FittedModel& model, double workers) {
  const std::string csv = "job,workers,time_s\nj1," + to_text(workers) + ",1\n";
  const Design design = make_design(test::table_of(csv), model.spec, Target::required);
  return model.form->process_reach(model.spec, model.constants, design)->near[0];
}

FitOptions one_product() {
  FitOptions out;
  out.expression = Expression::multi;
  out.terms = 1;
  return out;
}

FittedModel product_of_shape(const ProcessShape& shape) {
  const test::PaperRuns runs = growing_runs();
  return product_with_process(runs.spec, runs.design, {}, shape);
}

}  // namespace

TEST_CASE("a capped scale says the same beyond the runs as at their largest value",
          "[fit][process]") {
  const FittedModel free = product_of_shape({});
  const FittedModel capped = product_of_shape({.caps = {0}});
  for (const std::string job : {"j0", "j1", "j2"}) {
    CAPTURE(job);
    for (const double workers : {17., 64., 1e6})
      CHECK(time_at(capped, job, workers) == time_at(capped, job, 16));
    CHECK(time_at(free, job, 64) > 1.05 * time_at(free, job, 16));
    for (const double workers : {1., 3., 16.})  // within the runs a cap plays no part
      CHECK(time_at(capped, job, workers) == time_at(free, job, workers));
  }

  SECTION("also as model.json and as code") {
    const test::TemporaryDirectory directory;
    directory.write("model.json", to_json(capped));
    const FittedModel read = read_model(directory.file("model.json"));
    for (const double workers : {2., 16., 64.})
      CHECK(time_at(read, "j1", workers) == time_at(capped, "j1", workers));
    CHECK(to_json(free).find("\"most\"") == std::string::npos);
    CHECK(formula_code(capped, FormulaLanguage::python).find("min(workers, 16.0)") !=
          std::string::npos);
    CHECK(formula_code(capped, FormulaLanguage::c).find("fmin(workers, 16.0)") !=
          std::string::npos);
    CHECK(formula_code(free, FormulaLanguage::c).find("fmin(workers") == std::string::npos);
  }
}

TEST_CASE("a process does not speak of what lies beyond its caps", "[fit][process][support]") {
  for (const ProcessShape& shape : {ProcessShape{.caps = {0}}, ProcessShape{.process_caps = {0}}}) {
    const FittedModel model = product_of_shape(shape);
    for (const double workers : {1., 4., 16.})
      CHECK(is_near(model, workers));
    for (const double workers : {16.5, 64., 1e6})
      CHECK_FALSE(is_near(model, workers));
    const auto belief = model.form->process_belief(model.spec);
    CHECK(belief->most == std::vector<double>{16});
  }
  const FittedModel free = product_of_shape({});
  CHECK(free.form->process_belief(free.spec)->most ==
        std::vector<double>{std::numeric_limits<double>::infinity()});
}

TEST_CASE("where only the process counts no further, the trend grows on beyond the runs",
          "[fit][process]") {
  const FittedModel free = product_of_shape({});
  const FittedModel held = product_of_shape({.process_caps = {0}});
  CHECK(held.constants == free.constants);
  for (const std::string job : {"j0", "j1", "j2"}) {
    CAPTURE(job);
    for (const double workers : {1., 3., 16.})
      CHECK(time_at(held, job, workers) == time_at(free, job, workers));
    // One power of the trend for all jobs, and nothing else.
    const double growth = time_at(held, job, 64) / time_at(held, job, 16);
    CHECK(growth > 1.05);
    CHECK(growth == Catch::Approx(time_at(held, "j0", 64) / time_at(held, "j0", 16)));
    CHECK(time_at(held, job, 256) / time_at(held, job, 64) == Catch::Approx(growth));
  }
  CHECK(time_at(held, "j2", 64) != Catch::Approx(time_at(free, "j2", 64)));

  SECTION("also as model.json, as code and fitted again") {
    const test::TemporaryDirectory directory;
    directory.write("model.json", to_json(held));
    const FittedModel read = read_model(directory.file("model.json"));
    for (const double workers : {2., 16., 64.})
      CHECK(time_at(read, "j1", workers) == time_at(held, "j1", workers));
    CHECK(formula_code(held, FormulaLanguage::python).find("min(workers, 16.0)") !=
          std::string::npos);
    const test::PaperRuns runs = growing_runs();
    const VectorXd again = (*held.form->refit(held, runs.design, {}))(runs.design).constants;
    for (Eigen::Index k = 0; k < again.size(); ++k)
      CHECK(again[k] == Catch::Approx(held.constants[k]).epsilon(1e-6));
    CHECK_THROWS_AS(read.form->refit(read, runs.design, {}), UsageError);
  }
}

TEST_CASE("a trend that is held keeps its powers, and its process knows what it leaves",
          "[fit][process]") {
  const test::PaperRuns runs = growing_runs();
  FitOptions options;
  options.expression = Expression::multi;
  options.terms = 1;
  options.loss = Loss::mae;
  const FittedModel absolute = fit(runs.spec, runs.design, options);
  const FittedModel held = with_process(absolute, runs.design, {}, {.prior = TrendPrior::held}, {});
  const FittedModel free = with_process(absolute, runs.design, {}, {.prior = TrendPrior::free}, {});
  const auto power_of = [&](const FittedModel& model) {
    return model.form->scaling_powers(model.spec, model.constants, &*absolute.typical).front();
  };
  CHECK(power_of(held) == Catch::Approx(power_of(absolute)).epsilon(1e-6));
  CHECK(power_of(free) != Catch::Approx(power_of(absolute)).epsilon(1e-3));
  CHECK(held.metrics.train.mape_percent < absolute.metrics.train.mape_percent);
}

TEST_CASE("a ring counts 1 - 1/n in trend and process", "[fit][process]") {
  const FittedModel ring = product_of_shape({.rings = {0}});
  const FittedModel power = product_of_shape({});
  // From 64 workers to any number 1 - 1/n grows by 1/64.
  CHECK(time_at(ring, "j2", 64) > time_at(ring, "j2", 16));
  CHECK(time_at(ring, "j2", 1e9) < 1.1 * time_at(ring, "j2", 64));
  CHECK(time_at(power, "j2", 1e9) > 10 * time_at(power, "j2", 16));
}

TEST_CASE("the prior of the trend decides how much of the growth is the trend's",
          "[fit][process]") {
  const FittedModel free = product_of_shape({.prior = TrendPrior::free});
  const FittedModel freed = product_of_shape({.prior = TrendPrior::likely});
  const auto growth = [](const FittedModel& model) {
    return std::log(time_at(model, "j1", 1e9) / time_at(model, "j1", 16));
  };
  // A prior can only draw the trend towards one on which no column has an effect.
  CHECK(growth(freed) > 0);
  CHECK(growth(freed) <= growth(free));
}

TEST_CASE("a trend that is held keeps its constants, and the search says so", "[fit][process]") {
  const test::PaperRuns runs = growing_runs();
  const FittedModel alone = fit(runs.spec, runs.design, one_product());
  const auto beside = [&](TrendPrior prior) {
    return with_process(alone, runs.design, one_product(), {.prior = prior});
  };
  const FittedModel held = beside(TrendPrior::held);
  const FittedModel freed = beside(TrendPrior::free);
  // Far beyond the runs the process counts for nothing, and the trend alone says how it goes on.
  const auto growth = [](const FittedModel& model) {
    return time_at(model, "j1", 1e12) / time_at(model, "j1", 1e11);
  };
  CHECK(growth(held) == Catch::Approx(growth(alone)).epsilon(1e-6));
  CHECK(growth(freed) != Catch::Approx(growth(alone)).epsilon(1e-3));
  CHECK(held.search.process.value().objective.find("held") != std::string::npos);
  CHECK(freed.search.process.value().objective.find("held") == std::string::npos);
}

TEST_CASE("a trend may have the kernel that is found beside one product", "[fit][process]") {
  const test::PaperRuns runs = growing_runs();
  const FittedModel alone = fit(runs.spec, runs.design, one_product());
  const auto process_of = [](const FittedModel& model) {
    return nlohmann::json::parse(to_json(model))["constants"]["process"];
  };
  const FittedModel with_own = with_process(alone, runs.design, one_product(), {});
  const FittedModel with_other =
      with_process(alone, runs.design, one_product(), {.kernel_of_product = true});
  const auto of_product = process_of(product_of_shape({}));
  const auto own = process_of(with_own);
  const auto other = process_of(with_other);
  for (const std::string field : {"variance", "noise"}) {
    CAPTURE(field);
    CHECK(other[field] == of_product[field]);
    CHECK(own[field] != of_product[field]);
  }
  const auto is_told = [](const FittedModel& model) {
    return model.search.process.value().objective.find("beside one product") != std::string::npos;
  };
  CHECK(is_told(with_other));
  CHECK_FALSE(is_told(with_own));
}
