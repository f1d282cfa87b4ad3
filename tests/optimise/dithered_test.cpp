#include "optimise/differential_evolution.hpp"

#include <functional>
#include <set>

#include "support/catch.hpp"

using namespace perfmodel;
using namespace perfmodel::optimise;

namespace {

/// Five members on a line. Every difference of two is unlike every other, so that a mutant tells
/// which donors made it.
Population hand_made() {
  Population population;
  population.members.resize(1, 5);
  population.members << 1, 10, 100, 1000, 10000;
  population.costs = {1, 2, 3, 4, 5};
  return population;
}

/// Values of formula(a, b, c) over all distinct a, b, c other than the target.
std::set<double> all_values(std::size_t target,
                            const std::function<double(double, double, double)>& formula) {
  const Population population = hand_made();
  const auto x = [&](std::size_t i) { return population.members(0, static_cast<Eigen::Index>(i)); };
  std::set<double> values;
  for (std::size_t a = 0; a < 5; ++a) {
    for (std::size_t b = 0; b < 5; ++b) {
      for (std::size_t c = 0; c < 5; ++c) {
        const bool distinct = a != b && b != c && a != c;
        if (distinct && a != target && b != target && c != target)
          values.insert(formula(x(a), x(b), x(c)));
      }
    }
  }
  return values;
}

/// Values of many mutants of one target in one generation.
std::set<double> mutants(const Dithered& scheme, std::size_t target) {
  const Population population = hand_made();
  RandomStream random(1);
  std::set<double> values;
  Eigen::VectorXd mutant(1);
  for (int k = 0; k < 4000; ++k) {
    scheme.mutate(population, target, random, mutant);
    values.insert(mutant[0]);
  }
  return values;
}

}  // namespace

TEST_CASE("Mutants of a hand-made population are the formula's, over all donors", "[optimise]") {
  const Population population = hand_made();
  for (std::size_t target = 0; target < 5; ++target) {
    const double x = population.members(0, static_cast<Eigen::Index>(target));
    const double best = 1;
    const auto generation = [](Strategy strategy) {
      Dithered scheme(strategy);
      RandomStream random(1);
      scheme.begin_generation(random);
      return scheme;
    };
    const double f = generation(Strategy::best1bin).differential_weight();
    CHECK(mutants(generation(Strategy::best1bin), target) ==
          all_values(
              target, [&](double a, double b, double) { return best + f * (a - b); }));
    CHECK(mutants(generation(Strategy::rand1bin), target) ==
          all_values(
              target, [&](double a, double b, double c) { return a + f * (b - c); }));
    CHECK(
        mutants(generation(Strategy::currenttobest1bin), target) ==
        all_values(target, [&](double a, double b, double) { return x + f * (best - x + a - b); }));
  }
}

TEST_CASE("scipy's strategies draw one F per generation", "[optimise]") {
  Dithered scheme(Strategy::best1bin);
  RandomStream random(1);
  std::set<double> weights;
  for (int generation = 0; generation < 100; ++generation) {
    scheme.begin_generation(random);
    weights.insert(scheme.differential_weight());
  }
  CHECK(weights.size() == 100);
  CHECK(*weights.begin() >= 0.5);
  CHECK(*weights.rbegin() < 1);
}
