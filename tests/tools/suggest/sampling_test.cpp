#include "suggest/plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "perfmodel/error.hpp"
#include "suggest/suggest_documents.hpp"
#include "support/catch.hpp"
#include "support/paper_runs.hpp"

using namespace perfmodel;
using namespace perfmodel::plan;

namespace {

Space small_space() {
  Space space;
  space.source = "space.json";
  space.columns.resize(2);
  space.columns[0].name = "filters";
  space.columns[0].values = {4, 8, 16};
  space.columns[1].name = "padding";
  space.columns[1].levels = {"valid", "same"};
  return space;
}

SpaceColumn range(double low, double high) {
  SpaceColumn column;
  column.name = "x";
  column.low = low;
  column.high = high;
  return column;
}

std::size_t distinct(const std::vector<plan::Configuration>& plan) {
  return std::set<plan::Configuration>(plan.begin(), plan.end()).size();
}

std::map<double, std::size_t> counts(const std::vector<plan::Configuration>& plan, std::size_t c) {
  std::map<double, std::size_t> counts;
  for (const plan::Configuration& configuration : plan)
    ++counts[configuration[c]];
  return counts;
}

}  // namespace

TEST_CASE("a random plan of Table 2 is even over the values of every column", "[plan]") {
  // Upper 0.1 % points of chi-square with 1 to 5 degrees of freedom. Twelve columns at ten seeds:
  // 0.12 of them are expected beyond, and more than 2 would be so once in 4000 times.
  const double limits[] = {0, 10.828, 13.816, 16.266, 18.467, 20.515};
  const Space space = test::paper_space();
  std::size_t beyond = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto plan = random_plan(space, 1500, seed, {}).configurations;
    REQUIRE(plan.size() == 1500);
    REQUIRE(distinct(plan) == 1500);
    for (std::size_t c = 0; c < space.columns.size(); ++c) {
      const std::size_t k = space.columns[c].choices();
      const double expected = 1500.0 / static_cast<double>(k);
      double chi_square = 0;
      for (const auto& [value, count] : counts(plan, c)) {
        const double off = static_cast<double>(count) - expected;
        chi_square += off * off / expected;
      }
      beyond += chi_square > limits[k - 1] ? 1U : 0U;
    }
  }
  CHECK(beyond <= 2);
}

TEST_CASE("a plan depends on nothing but its seed, and grows into a longer one", "[plan]") {
  const Space space = test::paper_space();
  const auto plan = random_plan(space, 100, 7, {}).configurations;
  CHECK(plan == random_plan(space, 100, 7, {}).configurations);
  CHECK(plan != random_plan(space, 100, 8, {}).configurations);
  CHECK(random_plan(space, 150, 7, plan).configurations ==
        random_plan(space, 150, 7, {}).configurations);
}

TEST_CASE("a plan of a whole space has each of its configurations once", "[plan]") {
  CHECK(distinct(random_plan(small_space(), 6, 1, {}).configurations) == 6);
  CHECK_THROWS_WITH(random_plan(small_space(), 7, 1, {}),
                    "space.json: there are only 6 configurations, not 7");
}

TEST_CASE("conditions hold for all configurations of a plan", "[plan]") {
  Space space = test::paper_space();
  space.where = {"filters * batch_size <= 256", "padding == 'same' || kernel_size < 4"};
  const Conditions conditions = conditions_of(space);
  for (const auto& plan :
       {random_plan(space, 300, 1, {}), latin_hypercube_plan(space, 300, 1, {})}) {
    REQUIRE(plan.configurations.size() == 300);
    for (const plan::Configuration& configuration : plan.configurations)
      REQUIRE(conditions(configuration));
  }
  space.where = {"filters > 1000"};
  CHECK_THROWS_WITH(random_plan(space, 3, 1, {}),
                    Catch::Matchers::ContainsSubstring(
                        "there are hardly more than 0 configurations to be found that fulfil its "
                        "conditions, not 3"));
}

TEST_CASE("a Latin hypercube has every value equally often, also where conditions leave room",
          "[plan]") {
  Space space = test::paper_space();
  const Plan plan = latin_hypercube_plan(space, 301, 3, {});
  REQUIRE(plan.configurations.size() == 301);
  CHECK(plan.off_balance == 0);
  for (std::size_t c = 0; c < space.columns.size(); ++c) {
    const std::size_t least = 301 / space.columns[c].choices();
    REQUIRE(counts(plan.configurations, c).size() == space.columns[c].choices());
    for (const auto& [value, count] : counts(plan.configurations, c)) {
      CHECK(count >= least);
      CHECK(count <= least + 1);
    }
  }
  space.where = {"!(kernel_size == 5 && pool_size == 5)"};
  const Plan conditional = latin_hypercube_plan(space, 400, 3, {});
  CHECK(conditional.off_balance == 0);
  for (const auto& [value, count] : counts(conditional.configurations, 0))
    CHECK(count == 100);
}

TEST_CASE("a Latin hypercube fulfils conditions that leave little room, without doubles",
          "[plan]") {
  Space space;
  space.source = "space.json";
  space.columns = {range(16, 128), range(1, 18)};
  space.columns[0].whole = space.columns[1].whole = true;
  space.columns[1].name = "y";
  space.where = {"x * y <= 800 || y == 18"};
  const Conditions conditions = conditions_of(space);
  std::size_t off_balance = 0;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const Plan plan = latin_hypercube_plan(space, 1000, seed, {});
    off_balance += plan.off_balance;
    REQUIRE(plan.configurations.size() == 1000);
    CHECK(distinct(plan.configurations) == 1000);
    for (const plan::Configuration& configuration : plan.configurations)
      REQUIRE(conditions(configuration));
  }
  CHECK(off_balance > 0);  // else the conditions left room
}

TEST_CASE("a Latin hypercube has one value in each part of a range", "[plan]") {
  Space space;
  space.columns = {range(0, 1), range(1, 10000)};
  space.columns[1].name = "y";
  space.columns[1].logarithmic = true;
  const auto plan = latin_hypercube_plan(space, 50, 1, {}).configurations;
  std::set<int> linear;
  std::set<int> logarithmic;
  for (const plan::Configuration& configuration : plan) {
    linear.insert(static_cast<int>(configuration[0] * 50));
    logarithmic.insert(static_cast<int>(std::log10(configuration[1]) / 4 * 50));
  }
  CHECK(linear.size() == 50);
  CHECK(logarithmic.size() == 50);
}

TEST_CASE("values of ranges are whole or short, and within the range", "[plan]") {
  SpaceColumn column = range(8, 11);
  column.whole = true;
  std::set<double> seen;
  for (double u = 0; u < 1; u += 1.0 / 64)
    seen.insert(column.value_at(u));
  CHECK(seen == std::set<double>{8, 9, 10, 11});
  column = range(0.1, 0.3);
  CHECK(column.text(column.value_at(1.0 / 3)) == "0.166667");
  CHECK(column.value_at(0) == 0.1);
  CHECK(column.value_at(1 - 1e-16) == 0.3);
  column = range(1e-6, 0.1);
  column.logarithmic = true;
  CHECK(column.text(column.value_at(0.5)) == "0.000316228");
}
