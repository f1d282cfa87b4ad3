#include <algorithm>
#include <cmath>

#include "forms/eq4_form.hpp"
#include "forms/sum_form.hpp"
#include "perfmodel/model.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/paper_runs.hpp"
#include "support/sum_runs.hpp"

using namespace perfmodel;
using Eigen::Index;
using Eigen::VectorXd;

namespace {

constexpr double kSlopeStep = 1e-5;

/// The logarithms of the predicted times after a step of one constant: of its logarithm where it is
/// no power.
VectorXd log_times_after(FittedModel model, const Design& runs, Index constant, double step) {
  const ConstantRange range =
      model.form->constants(model.spec)[static_cast<std::size_t>(constant)].range;
  double& value = model.constants[constant];
  value = range == ConstantRange::any ? value + step : value * std::exp(step);
  return predict(model, runs).array().log();
}

void check_slopes(const FittedModel& model, const Design& runs) {
  const Eigen::MatrixXd slopes = model.form->log_slopes(model.spec, model.constants, runs);
  REQUIRE(slopes.cols() == model.constants.size());
  for (Index k = 0; k < slopes.cols(); ++k) {
    CAPTURE(constant_names(model)[static_cast<std::size_t>(k)]);
    const VectorXd differences = (log_times_after(model, runs, k, kSlopeStep) -
                                  log_times_after(model, runs, k, -kSlopeStep)) /
                                 (2 * kSlopeStep);
    // Central differences err by the square of the step, and by rounding over it.
    CHECK((slopes.col(k) - differences).cwiseAbs().maxCoeff() < 1e-8);
  }
}

}  // namespace

TEST_CASE("slopes of a sum with steps are those of its logarithm", "[fit][slopes]") {
  const test::SumRuns runs = test::sum_runs(60, 0, 1);
  check_slopes(runs.truth, runs.design);
}

TEST_CASE("slopes of a sum cover rings, caps, logarithms and steps of any column",
          "[fit][slopes]") {
  test::SumRuns runs = test::sum_runs(60, 0, 1);
  SumStructure& structure = own_sum_form(runs.truth).structure;
  structure.step_factors = {{2, 8}};  // numeric columns: gpus, batch_size, filters
  structure.features = {{{}, {.clamp = 32}, {.log_power = 2}},
                        {{.log_power = 1, .clamp = 4}, {}, {.clamp = 16}}};
  structure.own_feature(0, 0).saturates = true;
  structure.own_feature(1, 0).saturates = true;
  structure.own_feature(1, 1).saturates = true;
  runs.truth.constants[14] = 0.25;
  runs.truth.constants[16] = 0.0125;
  check_slopes(runs.truth, runs.design);
}

TEST_CASE("slopes of Eq. (4) are those of its logarithm", "[fit][slopes]") {
  const test::PaperRuns paper = test::paper_runs(test::Framework::mxnet, 60, 0, 1);
  FittedModel model;
  model.spec = paper.spec;
  model.constants = paper.constants;
  check_slopes(model, paper.design);
}

TEST_CASE("slopes of Eq. (4) of scales alone are those of its logarithm", "[fit][slopes]") {
  const test::PaperRuns runs = test::runs_of(
      test::table_of("gpus,batch_size,time_s\n1,8,1\n2,8,0.6\n4,16,0.7\n8,32,0.9\n1,64,7\n"));
  FittedModel model;
  model.spec = runs.spec;
  model.constants.resize(4);  // a | q[gpus], q[batch_size] | C
  model.constants << 0.12, -0.9, 0.95, 0.03;
  check_slopes(model, runs.design);
}
