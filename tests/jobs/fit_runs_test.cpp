// From a table to a judged model without a command line.

#include "perfmodel/error.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/reading.hpp"
#include "perfmodel/table.hpp"

#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel;

namespace {

/// Runs of t = (3 * filters + 20 * gpu) / workers, "gpu" a level.
Table runs(const std::string& second_level = "b") {
  std::string text = "filters,gpu,workers,time_s\n";
  for (const int filters : {2, 4, 8, 16, 32}) {
    for (const int workers : {1, 2, 4}) {
      for (const int gpu : {0, 1}) {
        text += test::csv_row(filters, gpu == 0 ? "a" : second_level, workers,
                              std::to_string((3.0 * filters + 20.0 * gpu) / workers));
      }
    }
  }
  return parse_csv(text, "runs.csv");
}

FitRequest quick_fit() {
  FitRequest request;
  request.options.starts = 1;
  return request;
}

}  // namespace

TEST_CASE("a table is fitted without a word: notices are data") {
  const FitOutcome outcome = fit_runs(runs(), quick_fit());
  CHECK(outcome.roles.target == "time_s");
  CHECK(outcome.roles.extrinsic == std::vector<std::string>{"workers"});
  CHECK_FALSE(outcome.roles.notices.empty());
  CHECK(outcome.model.provenance.notices == outcome.roles.notices);
  CHECK(outcome.model.provenance.file == "runs.csv");
  CHECK(outcome.model.provenance.rows == 30);
  CHECK(outcome.model.provenance.sha256.empty());  // of a file's bytes, and there is no file
  CHECK(outcome.model.known.metrics.train.mape_percent < 1);
  CHECK_FALSE(outcome.model.known.metrics.test.has_value());
  CHECK_FALSE(outcome.interrupted);
  CHECK(outcome.time_shares.size() == 3);  // filters, gpu, C
}

TEST_CASE("parts of the split are judged, intervals come from the validation part") {
  FitRequest request = quick_fit();
  request.split = {60, 20, 20};
  request.held_out.coverage = 0.5;
  const FittedModel model = fit_runs(runs(), request).model;
  CHECK(model.known.metrics.train.rows == 18);
  CHECK(model.known.metrics.validation.value().rows == 6);
  CHECK(model.known.metrics.test.value().rows == 6);
  CHECK(model.known.intervals.value().calibration == Calibration::validation);
  CHECK(model.known.intervals->test_coverage.has_value());
}

TEST_CASE(
    "the levels of a model stay texts in further runs, and rows with unknown ones are left out") {
  FitRequest request = quick_fit();
  std::set<std::string> asked;
  request.test_runs = [&](const std::set<std::string>& text_columns) {
    asked = text_columns;
    return runs("c");
  };
  const FitOutcome outcome = fit_runs(runs(), request);
  CHECK(asked == std::set<std::string>{"gpu"});
  CHECK(outcome.model.known.metrics.test.value().rows == 15);
  REQUIRE(outcome.warnings.size() == 1);
  CHECK(outcome.warnings.front().find("15 of 30 rows are left out of the test") !=
        std::string::npos);

  request.gated = true;
  CHECK_THROWS_AS(fit_runs(runs(), request), InputError);
  // Test rows are named once.
  request = quick_fit();
  request.test_runs = [](const auto&) { return runs(); };
  request.split = {80, 0, 20};
  CHECK_THROWS_AS(fit_runs(runs(), request), UsageError);
}

TEST_CASE("every stage reports its progress, and the observer hears only of a single search") {
  FitRequest request = quick_fit();
  std::vector<std::pair<FitStage, std::size_t>> last;
  request.progress = [&](FitStage stage, std::size_t done, std::size_t all) {
    if (last.empty() || last.back().first != stage)
      last.emplace_back(stage, 0);
    last.back().second = done;
    CHECK(done <= all);
  };
  bool observed = false;
  request.options.observer = [&](const optimise::Progress&) { observed = true; };
  request.repeats = 2;
  request.bootstrap = BootstrapRequest{20, 0.9};
  request.held_out.folds = HeldOutRequest::Folds{3};
  const FitOutcome outcome = fit_runs(runs(), request);
  CHECK(last == std::vector<std::pair<FitStage, std::size_t>>{
                    {FitStage::fits, 2}, {FitStage::bootstrap, 20}, {FitStage::folds, 3}});
  CHECK_FALSE(observed);
  CHECK(outcome.model.known.repeats.value().fits == 2);
  CHECK(outcome.model.known.uncertainty.has_value());
  CHECK(outcome.model.known.cross_validation.value().folds.size() == 3);

  request = quick_fit();
  request.options.observer = [&](const optimise::Progress&) { observed = true; };
  fit_runs(runs(), request);
  CHECK(observed);
}

TEST_CASE("choosing a form reports its steps without changing the choice") {
  FitRequest request = quick_fit();
  request.options.form = AutomaticOptions();
  request.options.residual = Residual::chosen;
  const FittedModel silent = fit_runs(runs(), request).model;
  struct Told {
    FitStage stage;
    std::size_t first;
    std::size_t last;
    std::size_t all;
  };
  std::vector<Told> told;
  request.progress = [&](FitStage stage, std::size_t done, std::size_t all) {
    if (told.empty() || told.back().stage != stage)
      told.push_back({stage, done, done, all});
    CHECK(done >= told.back().last);  // never back
    CHECK(done <= all);
    CHECK(all == told.back().all);
    told.back().last = done;
  };
  const FittedModel model = fit_runs(runs(), request).model;
  REQUIRE(told.size() == 2);
  CHECK(told[0].stage == FitStage::sums);
  CHECK(told[1].stage == FitStage::corrections);
  for (const Told& stage : told)
    CHECK(stage.first == 0);  // the clock begins before the first step
  CHECK(told[0].last == told[0].all);
  CHECK(told[1].last < told[1].all);  // the fit of what was chosen is still to come
  CHECK(model.constants == silent.constants);

  told.clear();  // of fits beside others nobody hears
  request.repeats = 2;
  fit_runs(runs(), request);
  REQUIRE(told.size() == 1);
  CHECK(told[0].stage == FitStage::fits);
}

TEST_CASE("a stop request gives the model so far, without what was not reached") {
  std::stop_source stop;
  stop.request_stop();
  FitRequest request = quick_fit();
  request.options.stop = stop.get_token();
  request.held_out.folds = HeldOutRequest::Folds{3};
  request.bootstrap = BootstrapRequest{};
  const FitOutcome outcome = fit_runs(runs(), request);
  CHECK(outcome.interrupted);
  CHECK(outcome.model.search.termination == "interrupted");
  CHECK_FALSE(outcome.model.known.cross_validation.has_value());
  CHECK_FALSE(outcome.model.known.uncertainty.has_value());
}
