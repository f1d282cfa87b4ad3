#include <cmath>
#include <limits>
#include <sstream>

#include "base/random.hpp"
#include "base/text.hpp"
#include "choice/fit_with_gp.hpp"
#include "fit/fit.hpp"
#include "forms/form.hpp"
#include "forms/gp_form.hpp"
#include "forms/sum_form.hpp"
#include "gp/gaussian_process.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/export.hpp"
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
  return model.form->gp_reach(model.spec, model.constants, design)->near[0];
}

FitOptions one_product() {
  FitOptions out;
  out.form = SumOptions{1};
  out.loss = Loss::rmsle;  // whose optimum is one point
  return out;
}

/// One product, alone; `clamp`: min(workers, 16) stands in place of the workers.
FittedModel product_alone(const test::PaperRuns& runs, bool clamp = false) {
  FittedModel out = fit(runs.spec, runs.design, one_product());
  if (clamp)
    own_sum_form(out).structure.own_feature(0, 0).clamp = 16;
  return out;
}

FittedModel product_with_gp(bool clamp = false) {
  const test::PaperRuns runs = growing_runs();
  return with_gp(product_alone(runs, clamp), runs.design, one_product());
}

}  // namespace

TEST_CASE("with a residual process a formula keeps its constants, times one factor",
          "[fit][process]") {
  const test::PaperRuns runs = growing_runs();
  const FittedModel alone = product_alone(runs);
  const FittedModel model = with_gp(alone, runs.design, one_product());
  const std::vector<ConstantInfo> infos = alone.form->constants(alone.spec);
  const double factor = model.constants[0] / alone.constants[0];
  REQUIRE(infos[0].role == ConstantRole::coefficient);
  for (Eigen::Index k = 1; k < alone.constants.size(); ++k) {
    const ConstantInfo& info = infos[static_cast<std::size_t>(k)];
    CAPTURE(info.name);
    const bool is_time = info.role == ConstantRole::intercept;
    CHECK(model.constants[k] == Catch::Approx((is_time ? factor : 1) * alone.constants[k]));
  }
  // The correction is 1 in the middle of the measured configurations.
  const VectorXd factors = *model.form->gp_factors(runs.design);
  CHECK(std::abs(factors.array().log().mean()) < 0.02);
  CHECK(factor == Catch::Approx(1).epsilon(0.1));
  CHECK(model.known.metrics.train.mape_percent < alone.known.metrics.train.mape_percent);
  // Far beyond the runs the process counts for nothing, and the formula says how it goes on.
  const auto growth = [](const FittedModel& of) {
    return time_at(of, "j1", 1e12) / time_at(of, "j1", 1e11);
  };
  CHECK(growth(model) == Catch::Approx(growth(alone)).epsilon(1e-6));

  SECTION("and what is known of its constants is what the formula alone knows") {
    REQUIRE(alone.known.identifiability);
    CHECK(model.known.identifiability->constants == alone.known.identifiability->constants);
    CHECK(model.known.identifiability->scaling_powers ==
          alone.known.identifiability->scaling_powers);
  }

  SECTION("fitted again to the same runs it is the same") {
    const FitOptions options = one_product();
    CHECK(model.search.objective.loss == options.loss);
    const VectorXd again =
        (*fitter_of(*model.form).refit(model, runs.design, options))(runs.design).constants;
    for (Eigen::Index k = 0; k < again.size(); ++k)
      CHECK(again[k] == Catch::Approx(model.constants[k]).epsilon(1e-3));
    const test::TemporaryDirectory directory;
    directory.write("model.json", to_json(model));
    const FittedModel read = read_model(directory.file("model.json"));
    CHECK_THROWS_AS(fitter_of(*read.form).refit(read, runs.design, {}), UsageError);
  }
}

TEST_CASE("a correction is 1 in the middle of the known configurations", "[fit][process]") {
  // One run of the first configuration, two of the second and so on: the noise of the last ones is
  // averaged.
  RandomStream random(1, "unequal repeats");
  gp::Inputs inputs{.numbers = Eigen::MatrixXd(60, 1), .levels = gp::Levels(60, 0)};
  VectorXd y(60);
  Eigen::Index run = 0;
  for (int configuration = 1; configuration <= 11; ++configuration) {
    for (int repeat = 0; repeat < configuration && run < 60; ++repeat, ++run) {
      inputs.numbers(run, 0) = configuration;
      y[run] = std::sin(configuration) + 0.3 * random.normal();
    }
  }
  const auto known_of = [&](const gp::GpOptions& options) {
    return gp::fit_gp(inputs, y, gp::search_hyper_parameters(inputs, y, options), options);
  };
  const KnownGp known(known_of({}).gp, 1);
  gp::Inputs configurations{.numbers = Eigen::VectorXd::LinSpaced(11, 1, 11),
                            .levels = gp::Levels(11, 0)};
  CHECK(known.centre ==
        Catch::Approx(known.predictor.predicted(configurations, false, 1).mean.mean()));

  // Beyond the rows that are solved for at once it is the mean of the runs.
  const gp::GpFit near = known_of({.exact_rows = 5, .neighbours = 5});
  REQUIRE(near.gp.neighbours == 5);
  CHECK(KnownGp(near.gp, 1).centre == Catch::Approx(y.mean() - near.level));
}

TEST_CASE("what a process remembers are the answers to the same rows", "[fit][process]") {
  RandomStream random(2, "remembered");
  gp::Inputs inputs{.numbers = Eigen::MatrixXd(40, 2), .levels = gp::Levels(40, 1)};
  VectorXd y(40);
  for (Eigen::Index row = 0; row < 40; ++row) {
    inputs.numbers.row(row) << random.uniform(1, 8), random.uniform(1, 8);
    inputs.levels(row, 0) = row % 3 == 0;
    y[row] = std::sin(inputs.numbers(row, 0)) + inputs.levels(row, 0);
  }
  for (const Eigen::Index exact : {100, 10}) {
    CAPTURE(exact);
    const gp::GpOptions options{.exact_rows = exact, .neighbours = 8};
    const KnownGp known(
        gp::fit_gp(inputs, y, gp::search_hyper_parameters(inputs, y, options), options).gp, 1);
    // Tables that differ in a number, in a level, in the number of rows, and the first once more.
    std::vector<gp::Inputs> tables(3, inputs);
    tables[1].numbers(7, 1) += 1;
    tables[2].levels(3, 0) = 1 - tables[2].levels(3, 0);
    const std::vector<Eigen::Index> some = {2, 5};
    tables.push_back(gp::take_rows(inputs, some));
    tables.push_back(inputs);
    for (const bool deviations : {false, true, false})
      for (const gp::Inputs& table : tables) {
        const gp::Prediction expected = known.predictor.predicted(table, true, 1);
        const auto found = known.predicted(table, deviations);
        CHECK(found->mean == expected.mean);
        if (deviations)
          CHECK(found->deviation == expected.deviation);
        CHECK(known.predicted(table, deviations) == found);  // the same object
      }
  }
}

TEST_CASE("where the formula grows no further, nor does the process", "[fit][process]") {
  const FittedModel free = product_with_gp();
  const FittedModel clamped = product_with_gp(true);
  for (const std::string job : {"j0", "j1", "j2"}) {
    CAPTURE(job);
    for (const double workers : {17., 64., 1e6})
      CHECK(time_at(clamped, job, workers) == time_at(clamped, job, 16));
    CHECK(time_at(free, job, 64) > 1.05 * time_at(free, job, 16));
    for (const double workers : {1., 3., 16.})  // within the runs a clamp plays no part
      CHECK(time_at(clamped, job, workers) == time_at(free, job, workers));
  }

  SECTION("also as model.json and as code") {
    const test::TemporaryDirectory directory;
    directory.write("model.json", to_json(clamped));
    const FittedModel read = read_model(directory.file("model.json"));
    for (const double workers : {2., 16., 64.})
      CHECK(time_at(read, "j1", workers) == time_at(clamped, "j1", workers));
    CHECK(to_json(free).find("\"most\"") == std::string::npos);
    CHECK(formula_code(clamped, FormulaLanguage::python).find("np.minimum(workers, 16.0)") !=
          std::string::npos);
    CHECK(formula_code(clamped, FormulaLanguage::c).find("fmin(workers, 16.0)") !=
          std::string::npos);
    CHECK(formula_code(free, FormulaLanguage::c).find("fmin(workers") == std::string::npos);
  }

  SECTION("and beyond it is not near") {
    for (const double workers : {1., 4., 16.})
      CHECK(is_near(clamped, workers));
    for (const double workers : {16.5, 64., 1e6})
      CHECK_FALSE(is_near(clamped, workers));
    CHECK(clamped.form->gp_belief(clamped.spec)->most == std::vector<double>{16});
    CHECK(free.form->gp_belief(free.spec)->most ==
          std::vector<double>{std::numeric_limits<double>::infinity()});
  }
}
