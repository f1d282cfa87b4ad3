#include "trust/cross_validation.hpp"

#include <algorithm>
#include <set>

#include "columns/replicates.hpp"
#include "fit/fit.hpp"
#include "perfmodel/error.hpp"
#include "support/catch.hpp"
#include "support/paper_runs.hpp"

using namespace perfmodel;

namespace {

RowGroups pairs_of_rows(std::size_t rows) {
  RowGroups groups;
  for (std::size_t row = 0; row < rows; ++row)
    groups.of_row.push_back(row / 2);
  groups.count = (rows + 1) / 2;
  return groups;
}

}  // namespace

TEST_CASE("every row is held out once, together with its group", "[folds]") {
  const RowGroups groups = pairs_of_rows(31);
  const auto parts = make_held_out_parts(groups, 5, 3);
  REQUIRE(parts.size() == 5);
  std::vector<std::size_t> fold_of_group(groups.count, 99);
  std::vector<std::size_t> times(31, 0);
  for (std::size_t fold = 0; fold < parts.size(); ++fold) {
    CHECK(std::is_sorted(parts[fold].begin(), parts[fold].end()));
    for (const std::size_t row : parts[fold]) {
      ++times[row];
      std::size_t& known = fold_of_group[groups.of_row[row]];
      CHECK((known == 99 || known == fold));
      known = fold;
    }
  }
  CHECK(times == std::vector<std::size_t>(31, 1));
  CHECK(make_held_out_parts(groups, 5, 3) == parts);
  CHECK(make_held_out_parts(groups, 5, 4) != parts);
}

TEST_CASE("all folds leave one group out each, and more than the groups are refused", "[folds]") {
  const auto parts = make_held_out_parts(pairs_of_rows(12), std::nullopt, 1);
  CHECK(parts.size() == 6);
  CHECK(std::all_of(parts.begin(), parts.end(), [](const auto& rows) { return rows.size() == 2; }));
  CHECK_THROWS_WITH(make_held_out_parts(pairs_of_rows(12), 7, 1),
                    "--folds 7: the training rows are only 6 groups that stay together; pass at "
                    "most that number, or 'all'");
  CHECK_THROWS_AS(make_held_out_parts(pairs_of_rows(2), std::nullopt, 1), UsageError);
}

TEST_CASE("rows of one configuration are a group", "[folds]") {
  test::PaperRuns runs = test::paper_runs(test::Framework::mxnet, 20, 0, 1);
  std::vector<std::size_t> twice(40);
  for (std::size_t row = 0; row < 40; ++row)
    twice[row] = row % 20;
  const RowGroups groups = configuration_groups(take_rows(runs.design, twice));
  CHECK(groups.count == configuration_groups(runs.design).count);
  for (std::size_t row = 0; row < 20; ++row)
    CHECK(groups.of_row[row] == groups.of_row[row + 20]);
}

TEST_CASE("cross-validation predicts planted runs and does not depend on the threads", "[folds]") {
  const test::PaperRuns runs = test::paper_runs(test::Framework::mxnet, 150, 0.05, 5);
  FitOptions options;
  options.starts = 1;
  options.threads = 1;
  const auto parts = make_held_out_parts(configuration_groups(runs.design), 3, 1);
  const auto one = cross_validate(runs.spec, runs.design, options, parts);
  options.threads = 3;
  const auto three = cross_validate(runs.spec, runs.design, options, parts);
  REQUIRE(one);
  REQUIRE(three);
  CHECK(one->predicted == three->predicted);
  REQUIRE(one->folds.size() == 3);
  for (std::size_t fold = 0; fold < 3; ++fold) {
    CHECK(one->folds[fold].rows == parts[fold].size());
    CHECK(one->folds[fold].mae == three->folds[fold].mae);
    // 5 % of noise is 4 % of mean absolute error; constants of 100 rows add some.
    CHECK(one->folds[fold].mape_percent < 7);
  }
}

TEST_CASE("a held-out row's own time has no part in its prediction", "[folds]") {
  test::PaperRuns runs = test::paper_runs(test::Framework::mxnet, 120, 0.05, 6);
  FitOptions options;
  options.starts = 1;
  const auto parts = make_held_out_parts(configuration_groups(runs.design), 2, 1);
  const auto before = cross_validate(runs.spec, runs.design, options, parts);
  for (const std::size_t row : parts[0])
    runs.design.time[static_cast<Eigen::Index>(row)] *= 3;
  const auto after = cross_validate(runs.spec, runs.design, options, parts);
  for (const std::size_t row : parts[0])
    CHECK(before->predicted[static_cast<Eigen::Index>(row)] ==
          after->predicted[static_cast<Eigen::Index>(row)]);
}

TEST_CASE("folds that leave one value of a column to fit on are refused", "[folds]") {
  const test::PaperRuns runs = test::paper_runs(test::Framework::mxnet, 60, 0, 7);
  std::vector<std::size_t> rows;
  std::vector<std::size_t> all(60);
  for (std::size_t row = 0; row < 60; ++row) {
    all[row] = row;
    if (runs.table.find("gpus")->numbers[row] < 3)
      rows.push_back(row);
  }
  const Design two_values = take_rows(runs.design, rows);
  const auto parts =
      make_held_out_parts(column_groups(*runs.table.find("gpus"), rows), std::nullopt, 1);
  CHECK(parts.size() == 2);
  CHECK_THROWS_WITH(cross_validate(runs.spec, two_values, {}, parts),
                    Catch::Matchers::ContainsSubstring(
                        "so the power of gpus could be anything; hold out less, or --ignore gpus"));
}
