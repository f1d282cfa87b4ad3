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
  std::pair<std::size_t, std::size_t> told;
  const LabelledRuns runs = read_large_runs(directory.write("runs.csv", text), request.roles, {},
                                            {.merge = true, .sample_rows = {}}, request.options,
                                            [&](std::size_t done, std::size_t all) {
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
  const LabelledRuns runs = read_large_runs(path, request.roles, {}, large, request.options);
  CHECK(runs.file.table.rows() == 432);
  CHECK(runs.rows.size() == 432);
  large.most_single_rows = 431;
  CHECK_THROWS_WITH(read_large_runs(path, request.roles, {}, large, request.options),
                    ContainsSubstring("expression = multi takes 431 rows at most") &&
                        ContainsSubstring("sample_rows = 100000"));
}

TEST_CASE("what cannot be merged or read is said") {
  const TemporaryDirectory directory;
  const FitRequest request = fit_of_scattered(Loss::mae);
  std::string text = scattered_runs(12);
  const std::string path = directory.write("runs.csv", text);
  LargeRunsRequest large{.merge = true, .sample_rows = {}, .most_different_rows = 35};
  CHECK_THROWS_WITH(read_large_runs(path, request.roles, {}, large, request.options),
                    ContainsSubstring("more than 35 different rows"));
  text.replace(text.rfind(",0."), 1, ",x");
  directory.write("runs.csv", text);
  large.most_different_rows = LargeRunsRequest{}.most_different_rows;
  CHECK_THROWS_WITH(read_large_runs(path, request.roles, {}, large, request.options),
                    ContainsSubstring("runs.csv:433") && ContainsSubstring("\"x0."));
}
