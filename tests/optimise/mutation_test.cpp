#include "optimise/differential_evolution.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "support/catch.hpp"

using namespace perfmodel;
using namespace perfmodel::optimise;

TEST_CASE("Donors differ from each other and from the target", "[optimise]") {
  RandomStream random(1);
  for (const std::size_t size : {5U, 6U, 75U}) {
    for (std::size_t target = 0; target < size; ++target) {
      for (int k = 0; k < 100; ++k) {
        auto [a, b, c] = draw_donors<3>(size, target, random);
        REQUIRE(std::max({a, b, c}) < size);
        REQUIRE((a != b && a != c && b != c));
        REQUIRE((a != target && b != target && c != target));
        const auto [d, e] = draw_donors<2>(size, target, random);
        REQUIRE((d != e && d != target && e != target && d < size && e < size));
      }
    }
  }
}

TEST_CASE("Donors are distinct also at the smallest population, in every order alike",
          "[optimise]") {
  // Three donors of four members: the other three, in one of six orders. 6000 draws put
  // 1000 +- 29 into each.
  RandomStream random(1);
  for (std::size_t target = 0; target < 4; ++target) {
    std::map<std::array<std::size_t, 3>, int> orders;
    for (int k = 0; k < 6000; ++k)
      ++orders[draw_donors<3>(4, target, random)];
    REQUIRE(orders.size() == 6);
    for (const auto& [order, count] : orders) {
      CHECK(std::count(order.begin(), order.end(), target) == 0);
      CHECK(std::abs(count - 1000) < 5 * 29);
    }
  }
}

TEST_CASE("The mutation formulas hold on vectors worked out by hand", "[optimise]") {
  const Eigen::Vector2d base(1, 2);
  const Eigen::Vector2d guide(4, 0);
  const Eigen::Vector2d plus(10, -6);
  const Eigen::Vector2d minus(2, 6);
  Eigen::VectorXd mutant(2);
  mutate_from(base, plus, minus, 0.5, mutant);
  CHECK(mutant == Eigen::Vector2d(5, -4));
  mutate_towards(base, guide, plus, minus, 0.5, mutant);
  CHECK(mutant == Eigen::Vector2d(6.5, -5));
}
