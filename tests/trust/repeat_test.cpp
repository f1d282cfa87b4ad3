#include "trust/resampling.hpp"

#include <cmath>

#include "support/catch.hpp"
#include "support/paper_runs.hpp"

using namespace perfmodel;
using perfmodel::test::Framework;

namespace {

/// A search that stops early, so that seeds differ.
FitOptions short_search() {
  FitOptions options;
  options.seed = 3;
  options.starts = 1;
  options.form = Eq4Options{.method = Method::paper, .search = {.generations = 5}};
  return options;
}

}  // namespace

TEST_CASE("repeated fits are the single fits with the following seeds, for any threads") {
  const auto runs = test::paper_runs(Framework::mxnet, 120, 0.05, 1);
  FitOptions options = short_search();
  options.threads = 2;
  std::vector<std::size_t> reports;
  const auto fits = fit_repeatedly(runs.spec, runs.design, options, 4,
                                   [&](std::size_t done) { reports.push_back(done); });
  REQUIRE(fits.size() == 4);
  CHECK(reports == std::vector<std::size_t>{1, 2, 3, 4});
  for (std::size_t k = 0; k < fits.size(); ++k) {
    FitOptions single = short_search();
    single.seed = 3 + k;
    const FittedModel model = fit(runs.spec, runs.design, single);
    CHECK(fits[k].search.seed == single.seed);
    CHECK(fits[k].constants == model.constants);
    CHECK(fits[k].search.cost == model.search.cost);
  }
  // A stop request leaves the first.
  std::stop_source stop;
  stop.request_stop();
  options.stop = stop.get_token();
  CHECK(fit_repeatedly(runs.spec, runs.design, options, 5).size() == 1);
}

TEST_CASE("the best of repeated fits has the lowest cost, the first of equal ones") {
  std::vector<FittedModel> fits;
  for (const double cost : {3, 2, 5, 2})
    fits.emplace_back().search.cost = cost;
  CHECK(best_of(fits) == 1);
}

TEST_CASE("the spread over seeds divides by n - 1 and follows the order of the constants") {
  const auto runs = test::paper_runs(Framework::mxnet, 60, 0, 1);
  std::vector<FittedModel> fits(3);
  for (std::size_t k = 0; k < fits.size(); ++k) {
    fits[k].spec = runs.spec;
    fits[k].constants = runs.constants;
    fits[k].constants[0] = 1 + static_cast<double>(k);  // 1, 2, 3: sd 1
    fits[k].search.seed = 7 + k;
    fits[k].search.cost = 0.5;
    fits[k].known.metrics.train.mae = 2 * static_cast<double>(k);  // 0, 2, 4: sd 2
    fits[k].known.metrics.train.r2 = std::nan("");
  }
  const RepeatSummary summary = summarise(fits);
  CHECK(summary.fits == 3);
  REQUIRE(summary.seeds.size() == 3);
  CHECK(summary.seeds[2].seed == 9);
  REQUIRE(summary.constants.size() == 25);
  CHECK(summary.constants[0].name == "a[kernel_size]");
  CHECK(summary.constants[0].mean == 2);
  CHECK(summary.constants[0].standard_deviation == 1);
  CHECK(summary.constants.back().name == "C");
  CHECK(summary.constants.back().standard_deviation == Catch::Approx(0).margin(1e-12));
  REQUIRE(summary.scaling_powers.size() == 2);
  CHECK(summary.scaling_powers[0].name == "gpus");
  CHECK(summary.scaling_powers[0].mean == Catch::Approx(-0.99));
  REQUIRE(summary.train.size() == 5);  // R2 has no value here
  CHECK(summary.train[0].name == "mae");
  CHECK(summary.train[0].standard_deviation == 2);
  CHECK(summary.validation.empty());
}
