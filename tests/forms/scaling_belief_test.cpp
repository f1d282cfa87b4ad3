#include "forms/scaling_belief.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "forms/form.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/model.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/message_of.hpp"
#include "support/paper_runs.hpp"
#include "support/runs_text.hpp"
#include "support/temporary_directory.hpp"
#include "table/expressions.hpp"
#include "trust/prediction_intervals.hpp"

using namespace perfmodel;
using Eigen::VectorXd;

namespace {

/// Ten runs of a job that scales; `prefetch` has zeros.
const std::string kFewRuns =
    "gpus,prefetch,stack,time_s\n"
    "1,0,a,10.2\n2,0,a,5.6\n4,1,a,3.1\n8,2,a,1.9\n1,1,b,14.8\n"
    "2,2,b,8.1\n4,0,b,4.7\n8,1,b,2.7\n1,2,a,9.9\n4,2,b,4.4\n";

test::PaperRuns few_runs() {
  RoleRequest request;
  request.extrinsic = {"gpus"};
  return test::runs_of(test::table_of(kFewRuns), request);
}

/// New runs: one that was measured, one between the runs, and two beyond them.
Design new_runs(const ModelSpec& spec) {
  return make_design(
      test::table_of("gpus,prefetch,stack\n4,1,a\n3,0,b\n16,1,a\n64,5,b\n", {"stack"}), spec,
      Target::absent);
}

ScalingBelief belief_of(const test::PaperRuns& runs) {
  return {runs.spec, runs.design, 1};
}

/// A formula of new_runs() that is near what the runs say: within the deviations that count.
VectorXd near_formula(const gp::LogTimes& process) {
  return process.mean + VectorXd{{0.01, -0.2, 0.5, 1}};
}

void check_close(const VectorXd& found, const VectorXd& expected) {
  REQUIRE(found.size() == expected.size());
  CHECK((found - expected).cwiseAbs().maxCoeff() < 1e-12);
}

/// A model with belief and intervals, as a fit makes it.
FittedModel fitted_to_few_runs() {
  FitRequest request;
  request.roles.extrinsic = {"gpus"};
  request.options.form = AutomaticOptions();
  request.options.residual = Residual::chosen;
  request.options.loss = default_loss(request.options);
  request.options.starts = 1;
  return fit_runs(test::table_of(kFewRuns), request).model;
}

FittedModel read_again(const std::string& text) {
  const test::TemporaryDirectory directory;
  return read_model(directory.write("model.json", text));
}

}  // namespace

TEST_CASE("a belief averages what runs and formula say", "[belief]") {
  const test::PaperRuns runs = few_runs();
  const ScalingBelief belief = belief_of(runs);
  const Design asked = new_runs(runs.spec);
  const gp::LogTimes process = belief.process(runs.spec, asked);
  const VectorXd formula = near_formula(process);
  const auto averaged = [&](double share) {
    return belief.with(share).averaged(runs.spec, asked, formula);
  };
  check_close(averaged(1), formula);
  check_close(averaged(0), process.mean);
  check_close(averaged(0.3), 0.3 * formula + 0.7 * process.mean);
  // By default, the formula alone predicts.
  check_close(belief.averaged(runs.spec, asked, formula), formula);
  CHECK(belief.share_of_formula() == 1);
}

TEST_CASE("a formula that predicts anything or nothing counts as far off, or not", "[belief]") {
  const test::PaperRuns runs = few_runs();
  const ScalingBelief belief = belief_of(runs).with(0.5);
  const Design asked = new_runs(runs.spec);
  const gp::LogTimes process = belief.process(runs.spec, asked);
  const double infinity = std::numeric_limits<double>::infinity();
  const VectorXd formula{{infinity, std::nan(""), -infinity, 500}};
  // Where it gives no time, the process is alone.
  const VectorXd off =
      ((kMostDeviations * process.deviation).array() + kMostMore) * VectorXd{{1, 0, -1, 1}}.array();
  check_close(belief.averaged(runs.spec, asked, formula), process.mean + off / 2);

  const BelievedTimes said = belief.beside(runs.spec, asked, asked, formula, formula);
  CHECK(said.mean.allFinite());
  check_close(said.deviation,
              (process.deviation.array().square() + off.array().square() / 4).sqrt());
}

TEST_CASE("half of what runs and formula disagree in is a further deviation", "[belief]") {
  const test::PaperRuns runs = few_runs();
  const Design asked = new_runs(runs.spec);
  const Design within = within_ranges(runs.spec, asked);
  const ScalingBelief belief = belief_of(runs);
  const gp::LogTimes process = belief.process(runs.spec, asked);
  const gp::LogTimes at_edge = belief.process(runs.spec, within);
  const VectorXd formula = near_formula(process);
  const VectorXd formula_within = at_edge.mean + VectorXd{{0.01, -0.2, 0.1, 0.1}};
  const auto said_by = [&](const ScalingBelief& each) {
    return each.beside(runs.spec, asked, within, formula, formula_within);
  };
  const VectorXd all =
      process.deviation.array().square() + (formula - process.mean).array().square() / 4;
  const VectorXd known =
      at_edge.deviation.array().square() + (formula_within - at_edge.mean).array().square() / 4;
  const BelievedTimes said = said_by(belief.with(0.25));
  check_close(said.mean, 0.25 * formula + 0.75 * process.mean);
  check_close(said.deviation, known.cwiseSqrt());
  check_close(said.beyond.cwiseAbs2(), all - known);
  // The first two rows are within the ranges, the others are not.
  CHECK(said.beyond.head(2).maxCoeff() == 0);
  CHECK(said.beyond.tail(2).minCoeff() > 0.1);
  // The further away, the less is known.
  CHECK(said.beyond[3] > said.beyond[2]);

  // What held-out runs say multiplies each part, and leaves the other and the mean as they are.
  const BelievedTimes spread = said_by(belief.with(0.25, 2, 1));
  check_close(spread.deviation, 2 * said.deviation);
  check_close(spread.beyond, said.beyond);
  const BelievedTimes wider = said_by(belief.with(0.25, 1, 3));
  check_close(wider.deviation, said.deviation);
  check_close(wider.beyond, 3 * said.beyond);
  check_close(wider.mean, said.mean);

  // Where the runs say more beyond an edge than at it, nothing is added.
  const VectorXd far_off = at_edge.mean.array() + 2;
  CHECK(belief.beside(runs.spec, asked, within, process.mean, far_off).beyond.head(2).maxCoeff() ==
        0);
}

TEST_CASE("numbers are moved to their measured ranges", "[belief]") {
  const test::PaperRuns runs = few_runs();
  const Design asked =
      make_design(test::table_of("gpus,prefetch,stack\n0.5,0,a\n1,2,b\n3,1,b\n64,5,a\n", {"stack"}),
                  runs.spec, Target::absent);
  const Design within = within_ranges(runs.spec, asked);
  CHECK(within.rows == 4);
  REQUIRE(runs.spec.extrinsic.at(0).column == "gpus");
  REQUIRE(runs.spec.intrinsic.at(0).column == "prefetch");
  const std::vector<double> gpus = {1, 1, 3, 8};
  const std::vector<double> prefetch = {0, 2, 1, 2};
  for (std::size_t row = 0; row < within.rows; ++row) {
    CHECK(within.extrinsic.at(0).value(row) == gpus[row]);
    CHECK(within.intrinsic.at(0).value(row) == prefetch[row]);
  }
  CHECK(within.categorical.at(0).codes == asked.categorical.at(0).codes);
}

TEST_CASE("a zero counts as half of the smallest value above it", "[belief]") {
  const test::PaperRuns runs = test::runs_of(
      test::table_of("gpus,prefetch,time_s\n1,0,10\n2,6,6\n4,3,4\n8,0,3\n1,12,11\n"), [] {
        RoleRequest request;
        request.extrinsic = {"gpus"};
        request.intrinsic = {"prefetch"};
        return request;
      }());
  CHECK(least_believed(runs.spec.intrinsic.at(0)) == 1.5);
  CHECK(least_believed(runs.spec.extrinsic.at(0)) == 0);
  const auto process_at = [&](const char* prefetch) {
    return belief_of(runs).process(
        runs.spec, make_design(test::table_of("gpus,prefetch\n4," + std::string(prefetch) + "\n"),
                               runs.spec, Target::absent));
  };
  // No value below it counts as less.
  CHECK(process_at("0").mean[0] == process_at("1.5").mean[0]);
  CHECK(process_at("1").mean[0] == process_at("1.5").mean[0]);
  CHECK(process_at("2").mean[0] != process_at("1.5").mean[0]);
}

TEST_CASE("a belief counts configurations, and is formed anew by other runs", "[belief]") {
  const test::PaperRuns runs = few_runs();
  const ScalingBelief belief = belief_of(runs).with(0.4, 1.5, 2.5);
  CHECK(belief.configurations() == 10);
  const std::vector<std::size_t> rows = {0, 1, 2, 0, 1};
  const ScalingBelief after = belief.after(runs.spec, take_rows(runs.design, rows));
  CHECK(after.configurations() == 3);
  CHECK(after.share_of_formula() == 0.4);
  CHECK(after.spread() == 1.5);
  CHECK(after.widening() == 2.5);
  CHECK(after.of_runs().known().rows() == 3);
  CHECK(after.of_runs().settings().size() <= belief.of_runs().settings().size());
  // What it does not know of it is less sure of.
  const Design unseen = new_runs(runs.spec);
  CHECK(after.process(runs.spec, unseen).deviation[3] >
        belief.process(runs.spec, unseen).deviation[3]);
}

TEST_CASE("of very many runs a belief keeps some", "[belief]") {
  std::string csv = "gpus,time_s\n";
  for (int row = 1; row <= 300; ++row)
    csv += test::csv_row(row, 10.0 / row + 1);
  RoleRequest request;
  request.extrinsic = {"gpus"};
  const test::PaperRuns runs = test::runs_of(test::table_of(csv), request);
  const ScalingBelief belief = belief_of(runs);
  CHECK(belief.configurations() == 300);
  CHECK(belief.of_runs().known().rows() == 128);
  // The same ones by the same seed.
  const Design asked = make_design(test::table_of("gpus\n17\n"), runs.spec, Target::absent);
  CHECK(belief.process(runs.spec, asked).mean[0] ==
        belief_of(runs).process(runs.spec, asked).mean[0]);
  CHECK(belief.process(runs.spec, asked).mean[0] ==
        Catch::Approx(std::log(10.0 / 17 + 1)).margin(0.01));
}

TEST_CASE("a belief is read from model.json as it was written", "[belief][io]") {
  const FittedModel model = fitted_to_few_runs();
  REQUIRE(model.belief);
  REQUIRE(model.known.intervals);
  // So few runs do not let the formula stand for itself: the belief has a say in predictions.
  CHECK(model.belief->share_of_formula() < 1);
  const std::string text = to_json(model);
  const FittedModel again = read_again(text);
  CHECK(to_json(again) == text);

  const Design asked = new_runs(model.spec);
  CHECK(predict(again, asked) == predict(model, asked));
  for (const double level : {0.5, 0.9, 0.99}) {
    const RowIntervals expected = row_intervals(model, level, asked);
    const RowIntervals found = row_intervals(again, level, asked);
    CHECK((found.lower == expected.lower).all());
    CHECK((found.upper == expected.upper).all());
  }
}

TEST_CASE("a belief that cannot be is refused, with the name of its field", "[belief][io]") {
  using Json = nlohmann::json;
  static const std::string text = to_json(fitted_to_few_runs());
  const auto refusal = [&](const std::function<void(Json&)>& change) {
    Json model = Json::parse(text);
    change(model.at("scaling_process"));
    return test::message_of<InputError>([&] { read_again(model.dump()); });
  };
  CHECK(refusal([](Json&) {}) == "(none)");
  const auto names = [](const std::string& field) {
    return Catch::Matchers::ContainsSubstring("model.json: " + field + ": expected");
  };

  // A missing column, another one, and a level that there is not.
  CHECK_THAT(refusal([](Json& belief) { belief["inputs"].erase(1); }), names("scaling_process"));
  CHECK_THAT(refusal([](Json& belief) { belief["inputs"][0]["column"] = "cpus"; }),
             names("scaling_process"));
  CHECK_THAT(refusal([](Json& belief) { belief["inputs"][2]["levels"][0] = 2; }),
             names("scaling_process"));
  // Too few values or times.
  CHECK_THAT(refusal([](Json& belief) { belief["inputs"][0]["values"].erase(0); }),
             names("scaling_process"));
  CHECK_THAT(refusal([](Json& belief) { belief["inputs"][2]["levels"].erase(0); }),
             names("scaling_process"));
  CHECK_THAT(refusal([](Json& belief) { belief["times"].erase(0); }), names("scaling_process"));
  CHECK_THAT(refusal([](Json& belief) { belief.erase("times"); }),
             Catch::Matchers::ContainsSubstring("the field scaling_process.times is missing"));
  // What is no time and what has no logarithm.
  for (const double time : {0.0, -1.0})
    CHECK_THAT(refusal([&](Json& belief) { belief["times"][0] = time; }), names("scaling_process"));
  CHECK_THAT(refusal([](Json& belief) { belief["inputs"][0]["values"][0] = 0; }),
             names("scaling_process"));
  // Numbers out of their ranges.
  CHECK_THAT(refusal([](Json& belief) { belief["share_of_formula"] = 1.5; }),
             names("scaling_process.share_of_formula"));
  CHECK_THAT(refusal([](Json& belief) { belief["spread"] = 0; }), names("scaling_process.spread"));
  CHECK_THAT(refusal([](Json& belief) { belief["settings"][0]["noise"] = -1; }),
             names("scaling_process.settings[0].noise"));
}
