// The models of a comparison, without a command line.

#include "compare/comparison.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/reading.hpp"
#include "perfmodel/table.hpp"

#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel;

namespace {

PreparedRuns prepared(const std::string& shares) {
  const std::string text = test::csv_grid(
      "filters,workers,time_s", {2, 4, 8, 16, 32, 64}, {1, 2, 4, 8},
      [](int filters, int workers) { return std::to_string(0.5 * filters / workers); });
  const LabelledRuns runs = label_runs({"a/runs.csv", text, parse_csv(text, "a/runs.csv")}, {});
  return prepare_runs(runs, split_rows(runs.rows, parse_split(shares), 1));
}

CompareRequest quick_comparison() {
  CompareRequest request;
  request.options.starts = 1;
  return request;
}

}  // namespace

TEST_CASE("models are scored in order on the parts that there are, and progress is told") {
  std::vector<std::pair<std::size_t, std::size_t>> told;
  const auto scores =
      compare_models(prepared("80:20"), quick_comparison(),
                     [&](std::size_t done, std::size_t all) { told.emplace_back(done, all); });
  REQUIRE(scores.size() >= 5);
  CHECK(scores[0].name == "Eq. (4)");
  CHECK(scores[1].name == "Eq. (4), L1 0.001");
  CHECK(scores[2].name == "Eq. (4), L2 0.001");
  CHECK(scores[3].name == "sum of products");
  CHECK(scores[4].name == "product and process");
  for (const auto& score : scores) {
    CHECK(score.file == "runs.csv");
    CHECK(score.metrics.train.rows == 19);
    CHECK_FALSE(score.metrics.validation.has_value());
    CHECK(score.metrics.test.value().rows == 5);
  }
  CHECK(scores[0].scaling_powers.at(0) == Approx(-1).margin(0.01));
  REQUIRE(told.size() == scores.size());
  CHECK(told.front() == std::pair<std::size_t, std::size_t>{1, scores.size()});
  CHECK(told.back().first == scores.size());
}

TEST_CASE("a comparison that is stopped has no result") {
  std::stop_source stop;
  stop.request_stop();
  CompareRequest request = quick_comparison();
  request.options.stop = stop.get_token();
  CHECK_THROWS_AS(compare_models(prepared("80:20"), request), Interrupted);
}
