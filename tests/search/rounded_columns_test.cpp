#include "search/global_search.hpp"

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "fit/fit.hpp"
#include "search/search_space.hpp"
#include "support/catch.hpp"
#include "support/paper_runs.hpp"
#include "support/planted_runs.hpp"

using namespace perfmodel;

namespace {

/// 3000 runs with a continuous column over four decades, one of few values, and noise of 5 %.
test::PaperRuns continuous_runs() {
  RandomStream random(1, "values");
  std::vector<double> sizes(3000);
  for (double& size : sizes)
    size = std::exp(random.uniform(0, 9.2));
  RoleRequest request;
  request.intrinsic = {"size"};
  return test::runs_of(test::planted_table({.numbers = {{"size", 1e-4, 0.8, sizes},
                                                        {"workers", 0, -0.7, {1, 2, 4, 8}}},
                                            .levels = {},
                                            .intercept = 2e-3},
                                           3000, 0.05, 2),
                       request);
}

}  // namespace

TEST_CASE("rounded columns have at most 128 values near the measured ones", "[fit]") {
  const Design design = continuous_runs().design;
  const Design rounded = round_columns(design);
  const NumericFactor& before = design.intrinsic[0];
  const NumericFactor& after = rounded.intrinsic[0];
  REQUIRE(before.values.size() > 1000);
  CHECK(after.values.size() <= 128);
  CHECK(after.values.size() > 100);
  CHECK(std::is_sorted(after.values.begin(), after.values.end()));
  REQUIRE(after.codes.size() == design.rows);
  const auto [least, largest] = std::minmax_element(before.values.begin(), before.values.end());
  const double width = std::log(*largest / *least) / 128;
  for (std::size_t r = 0; r < design.rows; ++r) {
    INFO("row " << r);
    REQUIRE(std::abs(std::log(after.value(r) / before.value(r))) <= 1.000001 * width);
  }
  // Each value is the geometric mean of those that it stands for, so that the column's stays.
  CHECK(std::abs(log_geometric_mean(after, design) - log_geometric_mean(before, design)) < 1e-9);
  CHECK(rounded.time == design.time);
}

TEST_CASE("columns of few values are not rounded", "[fit]") {
  const Design design = continuous_runs().design;
  const Design rounded = round_columns(design);
  CHECK(rounded.extrinsic[0].values == design.extrinsic[0].values);
  CHECK(rounded.extrinsic[0].codes == design.extrinsic[0].codes);
}

TEST_CASE("exploring on rounded columns changes nothing about the optimum", "[fit]") {
  const test::PaperRuns runs = continuous_runs();
  FitOptions exact;
  exact.form = Eq4Options{.search = {.exploration_rows = 0}};
  const FittedModel reference = fit(runs.spec, runs.design, exact);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    FitOptions options;
    options.seed = seed;
    const FittedModel model = fit(runs.spec, runs.design, options);
    CAPTURE(seed);
    CHECK(std::abs(model.search.cost - reference.search.cost) < 1e-9 * reference.search.cost);
    CHECK(model.search.gap < 1e-9);
  }
}
