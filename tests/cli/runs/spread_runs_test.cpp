#include "cli/runs/spread_runs.hpp"

#include <thread>

#include "perfmodel/base/error.hpp"
#include "perfmodel/io/model/model_json.hpp"
#include "pipeline/large/needed_rows.hpp"
#include "support/catch.hpp"
#include "support/jobs/scattered_runs.hpp"
#include "support/jobs/thread_processes.hpp"
#include "support/temporary_directory.hpp"

using namespace perfmodel;
using namespace perfmodel::test;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

FittedModel fitted_by(Processes& process, const LargeRuns& runs, FitRequest request) {
  JobRuns read = read_job_runs(runs, process);
  const PreparedFit prepared = prepare_fit(*std::move(read.labelled), request);
  const auto spread = read.spread ? read.spread->rows(prepared, request.options) : nullptr;
  request.options.spread = spread.get();
  return fit_prepared(prepared, request).model;
}

/// That process 0 of so many has; `read` says how the rows come to them.
FittedModel fitted_by_job(const std::string& path, std::size_t count, const LargeRunsRequest& read,
                          const FitRequest& request) {
  const LargeRuns runs(path, request.roles, {}, read, request.options);
  Post post;
  std::vector<std::jthread> others;
  for (std::size_t number = 1; number < count; ++number)
    others.emplace_back([&, number] {
      ThreadOfPost process(post, number, count);
      serve_job_runs(runs, process, request);
    });
  ThreadOfPost first(post, 0, count);
  return fitted_by(first, runs, request);
}

void check_same_optimum(const FittedModel& spread, const FittedModel& together) {
  REQUIRE(spread.constants.size() == together.constants.size());
  for (Eigen::Index k = 0; k < spread.constants.size(); ++k)
    CHECK(spread.constants[k] == Approx(together.constants[k]).epsilon(1e-7).margin(1e-9));
  CHECK(spread.search.cost == Approx(together.search.cost).epsilon(1e-12));
  CHECK(spread.search.gap < 1e-9);
}

constexpr LargeRunsRequest kSpreadRuns{.merge = true, .spread = RowSpread::always};

}  // namespace

TEST_CASE(
    "rows that stay with processes lead to the model of all together, for any number of them") {
  const TemporaryDirectory directory;
  const std::string path = directory.write("runs.csv", scattered_runs(20));
  for (const Loss loss : {Loss::mse, Loss::rmsle, Loss::mae, Loss::mape}) {
    CAPTURE(to_text(loss));
    const FitRequest request = fit_of_scattered(loss);
    const FittedModel together = fitted_by_job(path, 1, {.merge = true}, request);
    const FittedModel spread = fitted_by_job(path, 1, kSpreadRuns, request);
    check_same_optimum(spread, together);
    CHECK(spread.provenance.rows == 720);
    CHECK(spread.identifiability->constants == together.identifiability->constants);
    CHECK(spread.metrics.train.mape_percent ==
          Approx(together.metrics.train.mape_percent).epsilon(1e-7));
    for (const std::size_t count : {2U, 3U, 4U, 7U})
      CHECK(to_json(fitted_by_job(path, count, kSpreadRuns, request)) == to_json(spread));
    // Blocks of many runs have moments, where the loss does with these.
    LargeRunsRequest with_moments = kSpreadRuns;
    with_moments.limits.before_moments = 10;
    check_same_optimum(fitted_by_job(path, 2, with_moments, request), together);
  }
}

TEST_CASE("spread rows of many levels lead to the model of all together") {
  const TemporaryDirectory directory;
  const std::string path = directory.write("runs.csv", scattered_runs(40));
  for (const Loss loss : {Loss::mse, Loss::rmsle, Loss::mae}) {
    CAPTURE(to_text(loss));
    FitRequest request = fit_of_scattered(loss);
    request.roles.ignore = {"net"};
    const FittedModel together = fitted_by_job(path, 1, {.merge = true}, request);
    const FittedModel spread = fitted_by_job(path, 1, kSpreadRuns, request);
    CHECK(spread.search.cost == Approx(together.search.cost).epsilon(1e-10));
    CHECK(spread.search.gap < 1e-9);
    CHECK(spread.identifiability->differences == together.identifiability->differences);
    CHECK(to_json(fitted_by_job(path, 3, kSpreadRuns, request)) == to_json(spread));
  }
}

TEST_CASE("a sample of spread rows decides where the search begins, not where it ends") {
  const TemporaryDirectory directory;
  // The columns' ends and a level stand in one row each.
  std::string text = scattered_runs(20);
  text += "n3,80,1,host0,3.1\nn2,10,64,host0,0.23\n";
  const std::string path = directory.write("runs.csv", text);
  for (const Loss loss : {Loss::mse, Loss::mae}) {
    FitRequest request = fit_of_scattered(loss);
    LargeRunsRequest of_few = kSpreadRuns;
    of_few.sample_rows = 200;
    const FittedModel together = fitted_by_job(path, 1, {.merge = true}, request);
    const FittedModel spread = fitted_by_job(path, 1, of_few, request);
    check_same_optimum(spread, together);
    CHECK(spread.spec.categorical.front().levels == together.spec.categorical.front().levels);
    CHECK(spread.spec.extrinsic.front().high == 64);
    CHECK(spread.metrics.train.rows == 200);
    CHECK(to_json(fitted_by_job(path, 3, of_few, request)) == to_json(spread));
  }
}

TEST_CASE("rows are spread of their own accord where they are too many to be together") {
  const TemporaryDirectory directory;
  const std::string path = directory.write("runs.csv", scattered_runs(3));
  const FitRequest request = fit_of_scattered(Loss::mse);
  LargeRunsRequest read{
      .merge = true, .limits = {.configurations = 36}, .spread = RowSpread::where_too_many};
  const std::string together = to_json(fitted_by_job(path, 3, {.merge = true}, request));
  const std::string spread = to_json(fitted_by_job(path, 3, kSpreadRuns, request));
  CHECK(together != spread);
  CHECK(to_json(fitted_by_job(path, 3, read, request)) == together);
  read.limits.configurations = 35;
  CHECK(to_json(fitted_by_job(path, 3, read, request)) == spread);
  read.spread = RowSpread::never;
  CHECK_THROWS_WITH(fitted_by_job(path, 3, read, request), ContainsSubstring("more than 35"));
}

TEST_CASE("process 0 says what is wrong with rows of any process") {
  const TemporaryDirectory directory;
  const std::string runs = scattered_runs(3);
  const FitRequest request = fit_of_scattered(Loss::mae);
  LargeRunsRequest of_few = kSpreadRuns;
  of_few.sample_rows = 10;
  for (const char* line : {"n1,x,4,host0,0.5\n", "n1,10,-4,host0,0.5\n", "n1,10,4,host0,\n"}) {
    const std::string path = directory.write("runs.csv", runs + line);
    for (const std::size_t count : {1U, 3U})
      CHECK_THROWS_WITH(fitted_by_job(path, count, of_few, request),
                        ContainsSubstring("runs.csv:110"));
  }
}

TEST_CASE("what needs all rows together is said") {
  FitRequest request = fit_of_scattered(Loss::mae);
  CHECK(needs_rows_together(request).empty());
  request.options.penalty.l1 = 0.1;
  CHECK_FALSE(needs_rows_together(request).empty());
  request.options.loss = Loss::mse;
  CHECK(needs_rows_together(request).empty());
  request.options.penalty.constants = Penalise::scaled;
  CHECK_FALSE(needs_rows_together(request).empty());
}
