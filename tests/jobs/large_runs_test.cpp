#include "jobs/large_runs.hpp"

#include <utility>

#include "perfmodel/error.hpp"
#include "support/catch.hpp"
#include "support/scattered_runs.hpp"
#include "support/temporary_directory.hpp"

using namespace perfmodel;
using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("who reads a large file is told how far it is") {
  const TemporaryDirectory directory;
  const std::string text = scattered_runs(20);
  const FitRequest request = fit_of_scattered(Loss::mse);
  const LargeRuns large(directory.write("runs.csv", text), request.roles, {},
                        {.merge = true, .sample_rows = {}}, request.options);
  std::pair<std::size_t, std::size_t> told;
  const LabelledRuns runs = large.read([&](std::size_t done, std::size_t all) {
    told = {done, all};
  });
  const std::size_t behind_header = text.size() - text.find('\n') - 1;
  CHECK(told == std::pair(behind_header, behind_header));
  CHECK(runs.file.table.measured_runs() == 720);
  CHECK(runs.file.table.rows() < 720);
}

TEST_CASE("merged rows are taken apart up to a limit") {
  const TemporaryDirectory directory;
  const std::string path = directory.write("runs.csv", scattered_runs(12));
  FitRequest request = fit_of_scattered(Loss::rmsle);
  request.options.expression = Expression::multi;
  CHECK(needs_rows_of_file(request).empty());
  LargeRunsRequest large{
      .merge = true, .single_rows_for = needs_single_rows(request), .most_single_rows = 432};
  const LabelledRuns runs = LargeRuns(path, request.roles, {}, large, request.options).read();
  CHECK(runs.file.table.rows() == 432);
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
                          {.merge = true, .sample_rows = {}, .most_different_rows = 35},
                          request.options);
  CHECK_THROWS_WITH(limited.read(), ContainsSubstring("more than 35 different rows"));
  text.replace(text.rfind(",0."), 1, ",x");
  directory.write("runs.csv", text);
  const LargeRuns damaged(path, request.roles, {}, {.merge = true, .sample_rows = {}},
                          request.options);
  CHECK_THROWS_WITH(damaged.read(),
                    ContainsSubstring("runs.csv:433") && ContainsSubstring("\"x0."));
}
