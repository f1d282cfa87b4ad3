#include "optimise/differential_evolution.hpp"

#include <cmath>
#include <limits>
#include <set>

#include "support/catch.hpp"

using namespace perfmodel;
using namespace perfmodel::optimise;

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Member i stands at 10 i.
Population population_with(const std::vector<double>& costs) {
  Population population;
  const auto size = static_cast<Eigen::Index>(costs.size());
  population.members = Eigen::RowVectorXd::LinSpaced(size, 0, 10.0 * static_cast<double>(size - 1));
  population.costs = costs;
  return population;
}

std::vector<double> places(const Population& population) {
  return {population.members.data(), population.members.data() + population.members.size()};
}

}  // namespace

TEST_CASE("The Latin hypercube hits each stratum of each coordinate once", "[optimise]") {
  const Bounds bounds{Eigen::Vector4d(-5, 0, 3, 1e-6), Eigen::Vector4d(5, 1, 3, 1e6)};
  const std::size_t count = GENERATE(5U, 7U, 375U);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    RandomStream random(seed);
    const Eigen::MatrixXd points = latin_hypercube(bounds, count, random);
    for (const Eigen::Index j : free_coordinates(bounds)) {
      std::set<double> strata;
      for (const double x : points.row(j)) {
        const double share = (x - bounds.lower[j]) / (bounds.upper[j] - bounds.lower[j]);
        strata.insert(std::floor(share * static_cast<double>(count)));
      }
      CHECK(strata.size() == count);
      CHECK(*strata.begin() == 0);
      CHECK(*strata.rbegin() == static_cast<double>(count - 1));
    }
    CHECK((points.row(2).array() == 3).all());
  }
}

TEST_CASE("The Latin hypercube orders each coordinate independently", "[optimise]") {
  const Bounds bounds{Eigen::VectorXd::Zero(2), Eigen::VectorXd::Ones(2)};
  RandomStream random(1);
  const Eigen::MatrixXd points = latin_hypercube(bounds, 400, random);
  const Eigen::ArrayXd x = points.row(0).array() - points.row(0).mean();
  const Eigen::ArrayXd y = points.row(1).array() - points.row(1).mean();
  // Without correlation the estimate has standard deviation 1 / sqrt(400).
  const double correlation = (x * y).mean() / std::sqrt(x.square().mean() * y.square().mean());
  CHECK(std::abs(correlation) < 5.0 / 20);
}

TEST_CASE("The best member goes to index 0, the first of several", "[optimise]") {
  Population population = population_with({3, 1, 2, 1});
  population.promote_best();
  CHECK(population.costs == std::vector<double>{1, 3, 2, 1});
  CHECK(places(population) == std::vector<double>{10, 0, 20, 30});
}

TEST_CASE("The spread of costs is their standard deviation over n", "[optimise]") {
  const CostStatistics known = statistics(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9});
  CHECK(known.mean == 5);
  CHECK(known.spread == 2);
  CHECK(statistics(std::vector<double>{1, kInfinite, 2}).spread == kInfinite);
  CHECK(statistics(std::vector<double>{kInfinite, kInfinite}).spread == kInfinite);
  CHECK(statistics(std::vector<double>{1e308, 1e308}).spread == kInfinite);
}
