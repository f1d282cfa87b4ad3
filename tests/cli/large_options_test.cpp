#include "cli/options.hpp"

#include <filesystem>

#include "perfmodel/error.hpp"
#include "support/catch.hpp"
#include "support/temporary_directory.hpp"

using namespace perfmodel;
using namespace perfmodel::cli;
using namespace perfmodel::test;

TEST_CASE("rows are merged of their own accord where the file is large and nothing is against it") {
  const TemporaryDirectory directory;
  const std::string path = directory.write("runs.csv", "");
  const auto merges = [&](const LargeRowsArguments& arguments, const FitRequest& request) {
    const auto large = large_runs_request(arguments, {path}, request);
    return large && large->merge;
  };
  std::filesystem::resize_file(path, kLargeFile);
  CHECK_FALSE(merges({}, {}));
  std::filesystem::resize_file(path, kLargeFile + 1);  // takes no room on the disk
  CHECK(merges({}, {}));
  CHECK_FALSE(merges({.merge = false, .sample_rows = {}}, {}));
  CHECK_FALSE(large_runs_request({}, {path, path}, {}));

  FitRequest folds;
  folds.held_out.folds.emplace();
  FitRequest sum;
  sum.options.expression = Expression::multi;
  FitRequest without_failed;
  without_failed.roles.failed = FailedRunsAre::dropped;
  for (const FitRequest& request : {folds, sum})
    CHECK_FALSE(merges({}, request));
  CHECK(merges({}, without_failed));
  CHECK_THROWS_AS(merges({.merge = true, .sample_rows = {}}, folds), UsageError);

  CHECK(large_runs_request({.merge = true, .sample_rows = {}}, {"-"}, {})->merge);
}
