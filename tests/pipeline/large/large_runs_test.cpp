#include "pipeline/large/large_runs.hpp"

#include <cmath>
#include <utility>

#include "base/random.hpp"
#include "base/text.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/io/model/model_json.hpp"
#include "pipeline/large/needed_rows.hpp"
#include "support/catch.hpp"
#include "support/scattered_runs.hpp"
#include "support/temporary_directory.hpp"

using namespace perfmodel;
using namespace perfmodel::test;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

FittedModel fitted(LabelledRuns runs, const FitRequest& request) {
  return fit_prepared(prepare_fit(std::move(runs), request), request).model;
}

FittedModel fitted_one_by_one(const std::string& path, const FitRequest& request) {
  return fitted(label_runs(read_runs(path), request.roles), request);
}

}  // namespace

TEST_CASE("moments and lists of times lead to the model that their rows lead to") {
  const TemporaryDirectory directory;
  const std::string path = directory.write("runs.csv", scattered_runs(20));
  for (const Loss loss : {Loss::mse, Loss::rmsle, Loss::mae, Loss::mape}) {
    CAPTURE(to_text(loss));
    const FitRequest request = fit_of_scattered(loss);
    const FittedModel whole = fitted_one_by_one(path, request);
    const LargeRuns large(path, request.roles, {},
                          {.merge = true, .sample_rows = {}, .limits = {.before_moments = 100}},
                          request.options);
    std::pair<std::size_t, std::size_t> told;
    LabelledRuns runs = large.read([&](std::size_t done, std::size_t all) { told = {done, all}; });
    const std::string text = scattered_runs(20);
    const std::size_t behind_header = text.size() - text.find('\n') - 1;
    CHECK(told == std::pair(behind_header, behind_header));
    const bool squared = loss == Loss::mse || loss == Loss::rmsle;
    REQUIRE(runs.file.table.moments.size() == (squared ? 36 : 0));
    REQUIRE(runs.file.table.time_lists.size() == (squared ? 0 : 36));
    const FittedModel merged = fitted(std::move(runs), request);
    REQUIRE(merged.constants.size() == whole.constants.size());
    for (Eigen::Index k = 0; k < whole.constants.size(); ++k)
      CHECK(merged.constants[k] == Approx(whole.constants[k]).epsilon(1e-7).margin(1e-9));
    CHECK(merged.search.cost == Approx(whole.search.cost).epsilon(1e-9));
    CHECK(merged.identifiability->constants == whole.identifiability->constants);
    CHECK(merged.provenance.rows == 720);
    CHECK(merged.provenance.sha256 == whole.provenance.sha256);
    // So few rows are all drawn: errors and noise floor are those of all.
    CHECK(merged.metrics.train.rows == 720);
    CHECK(merged.metrics.train.mape_percent ==
          Approx(whole.metrics.train.mape_percent).epsilon(1e-7));
    CHECK(merged.noise_floor->mape_percent ==
          Approx(whole.noise_floor->mape_percent).epsilon(1e-9));
    CHECK(merged.central->configuration.levels == whole.central->configuration.levels);
    // Its time is that of a run.
    CHECK(read_text(path).find("," + to_text(merged.central->time) + "\n") != std::string::npos);
  }
}

TEST_CASE("merged rows are taken apart up to a limit") {
  const TemporaryDirectory directory;
  const std::string path = directory.write("runs.csv", scattered_runs(12));
  FitRequest request = fit_of_scattered(Loss::rmsle);
  request.options.expression = Expression::multi;
  CHECK(needs_rows_of_file(request).empty());
  LargeRunsRequest large{.merge = true,
                         .single_rows_for = needs_single_rows(request),
                         .most_single_rows = 432,
                         .limits = {.before_moments = 10}};
  const LabelledRuns runs = LargeRuns(path, request.roles, {}, large, request.options).read();
  CHECK(runs.file.table.rows() == 432);
  CHECK(runs.file.table.has_single_times());
  CHECK(runs.rows.size() == 432);
  large.most_single_rows = 431;
  CHECK_THROWS_WITH(LargeRuns(path, request.roles, {}, large, request.options).read(),
                    ContainsSubstring("expression = multi takes 431 rows at most") &&
                        ContainsSubstring("sample_rows = 100000"));
}

TEST_CASE("what cannot be merged or read is said") {
  const TemporaryDirectory directory;
  const FitRequest request = fit_of_scattered(Loss::mae);
  std::string text = scattered_runs(12);
  const std::string path = directory.write("runs.csv", text);
  const LargeRuns limited(path, request.roles, {},
                          {.merge = true, .sample_rows = {}, .limits = {.configurations = 35}},
                          request.options);
  CHECK_THROWS_WITH(limited.read(), ContainsSubstring("more than 35 different configurations"));
  text.replace(text.rfind(",0."), 1, ",x");
  directory.write("runs.csv", text);
  const LargeRuns damaged(path, request.roles, {}, {.merge = true, .sample_rows = {}},
                          request.options);
  CHECK_THROWS_WITH(damaged.read(),
                    ContainsSubstring("runs.csv:433") && ContainsSubstring("\"x0."));
}
