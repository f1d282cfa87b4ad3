#include <sstream>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "fit/fit.hpp"
#include "search/sensitivity.hpp"
#include "sums/identify_sum.hpp"
#include "sums/sum_terms.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/paper_runs.hpp"
#include "support/sum_runs.hpp"

using namespace perfmodel;

namespace {

/// The steps that a scale of these values may have, as (column, above).
std::vector<std::pair<std::size_t, double>> steps_of(const std::vector<std::string>& values) {
  std::ostringstream csv;
  csv << "gpus,width,time_s\n";
  int row = 0;
  for (const int width : {1, 2})
    for (const std::string& value : values)
      csv << value << ',' << width << ',' << ++row << '\n';
  const test::PaperRuns runs = test::runs_of(test::table_of(csv.str()));
  std::vector<std::pair<std::size_t, double>> out;
  for (const StepFactor& step : possible_step_factors(runs.spec, runs.design))
    out.emplace_back(step.numeric, step.above);
  return out;
}

}  // namespace

TEST_CASE("a scale may have a step above 1, if it counts from there, and above inner values",
          "[fit][multi]") {
  using Steps = std::vector<std::pair<std::size_t, double>>;
  CHECK(steps_of({"1", "2", "4"}) == Steps{{0, 1}, {0, 2}});
  CHECK(steps_of({"1", "2", "1"}).empty());
  CHECK(steps_of({"2", "3", "4"}) == Steps{{0, 3}});
  CHECK(steps_of({"1", "1.5", "4"}) == Steps{{0, 1.5}});
}

TEST_CASE("undetermined constants are reported for one column or for several", "[fit]") {
  CHECK(together_sentence({"gpus"}, "", ".") ==
        "the constants of 'gpus' are not determined one by one, only together.");
  CHECK(together_sentence({"filters", "gpus"}, " in term 1") ==
        "'filters' and 'gpus' move together in term 1: only their joint effect is determined");
}

TEST_CASE("constants of small sums are judged even after a stop request", "[fit][multi]") {
  const test::SumRuns runs = test::sum_runs(60, 0.02, 1);
  FitOptions options;
  options.form = SumOptions{1};
  const FittedModel model = fit(runs.spec, runs.design, options);
  std::stop_source stopped;
  stopped.request_stop();
  options.stop = stopped.get_token();
  const auto found = identify_sum(model, runs.design, options);
  REQUIRE(found);
  CHECK(found->identifiability.constants == model.known.identifiability->constants);
}
