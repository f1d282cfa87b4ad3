#include "optimise/evolution/scheme.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "optimise/evolution/dithered.hpp"
#include "optimise/evolution/self_adaptive.hpp"
#include "optimise/evolution/success_history.hpp"
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
  population.controls.resize(5);
  return population;
}

DifferentialEvolutionOptions with(Strategy strategy) {
  DifferentialEvolutionOptions options;
  options.strategy = strategy;
  return options;
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

/// Values of many mutants of one target with F = 0.5.
std::set<double> mutants(Scheme& scheme, std::size_t target) {
  const Population population = hand_made();
  RandomStream random(1);
  scheme.begin_generation(population, random);
  std::set<double> values;
  Eigen::VectorXd mutant(1);
  for (int k = 0; k < 4000; ++k) {
    scheme.mutate(population, target, 0.5, random, mutant);
    values.insert(mutant[0]);
  }
  return values;
}

/// The controls that L-SHADE draws after each of its six memories has learnt the same.
std::vector<Controls> draws(SuccessHistory& scheme) {
  RandomStream random(2);
  std::vector<Controls> drawn;
  for (int k = 0; k < 2001; ++k)
    drawn.push_back(scheme.choose_controls(hand_made(), 0, random));
  return drawn;
}

void teach(SuccessHistory& scheme, const std::vector<std::pair<Controls, double>>& improvements) {
  RandomStream random(1);
  for (int memory = 0; memory < 6; ++memory) {
    scheme.begin_generation(hand_made(), random);
    for (const auto& [made_with, improvement] : improvements)
      scheme.learn(hand_made(), 4, made_with, 5 - improvement, random);
    scheme.end_generation();
  }
}

double median_weight(std::vector<Controls> drawn) {
  const auto middle = drawn.begin() + static_cast<std::ptrdiff_t>(drawn.size() / 2);
  std::nth_element(drawn.begin(), middle, drawn.end(), [](const Controls& a, const Controls& b) {
    return a.differential_weight < b.differential_weight;
  });
  return middle->differential_weight;
}

}  // namespace

TEST_CASE("Mutants of a hand-made population are the formula's, over all donors", "[optimise]") {
  const Population population = hand_made();
  for (std::size_t target = 0; target < 5; ++target) {
    const double x = population.members(0, static_cast<Eigen::Index>(target));
    const double best = 1;
    Dithered best1bin(with(Strategy::best1bin));
    CHECK(mutants(best1bin, target) ==
          all_values(target, [&](double a, double b, double) { return best + 0.5 * (a - b); }));
    Dithered rand1bin(with(Strategy::rand1bin));
    SelfAdaptive jde;
    const auto rand1 =
        all_values(target, [](double a, double b, double c) { return a + 0.5 * (b - c); });
    CHECK(mutants(rand1bin, target) == rand1);
    CHECK(mutants(jde, target) == rand1);
    Dithered currenttobest1bin(with(Strategy::currenttobest1bin));
    CHECK(mutants(currenttobest1bin, target) == all_values(target, [&](double a, double b, double) {
            return x + 0.5 * (best - x + a - b);
          }));
    // Of five members the two best may guide.
    SuccessHistory lshade;
    auto towards = all_values(
        target, [&](double a, double b, double) { return x + 0.5 * (1 - x + a - b); });
    towards.merge(
        all_values(target, [&](double a, double b, double) { return x + 0.5 * (10 - x + a - b); }));
    CHECK(mutants(lshade, target) == towards);
  }
}

TEST_CASE("scipy's strategies draw one F per generation and keep CR", "[optimise]") {
  DifferentialEvolutionOptions options;
  options.differential_weight_low = 0.5;
  options.differential_weight_high = 1;
  options.crossover_rate = 0.7;
  Dithered scheme(options);
  RandomStream random(1);
  std::set<double> weights;
  for (int generation = 0; generation < 100; ++generation) {
    scheme.begin_generation(hand_made(), random);
    const double weight = scheme.choose_controls(hand_made(), 0, random).differential_weight;
    for (std::size_t target = 0; target < 5; ++target) {
      const Controls controls = scheme.choose_controls(hand_made(), target, random);
      CHECK(controls.differential_weight == weight);
      CHECK(controls.crossover_rate == 0.7);
    }
    weights.insert(weight);
  }
  CHECK(weights.size() == 100);
  CHECK(*weights.begin() >= 0.5);
  CHECK(*weights.rbegin() < 1);
}

TEST_CASE("jDE renews F and CR with probability 0.1 each and otherwise inherits them",
          "[optimise]") {
  SelfAdaptive scheme;
  RandomStream random(1);
  Population population = hand_made();
  population.controls[3] = {0.25, 0.125};
  int weights = 0;
  int rates = 0;
  for (int k = 0; k < 10000; ++k) {
    const auto [weight, rate] = scheme.choose_controls(population, 3, random);
    weights += weight != 0.25 ? 1 : 0;
    rates += rate != 0.125 ? 1 : 0;
    REQUIRE((weight >= 0.1 && weight < 1 && rate >= 0 && rate < 1));
  }
  CHECK(std::abs(weights - 1000) < 5 * 30);  // standard deviation 30
  CHECK(std::abs(rates - 1000) < 5 * 30);
}

TEST_CASE("L-SHADE draws F and CR around the weighted Lehmer mean of what won", "[optimise]") {
  SuccessHistory scheme;
  teach(scheme, {{{0.2, 0.4}, 1}, {{0.8, 0.6}, 3}});
  const std::vector<Controls> drawn = draws(scheme);
  double rates = 0;
  for (const auto& [weight, rate] : drawn) {
    REQUIRE((weight > 0 && weight <= 1 && rate >= 0 && rate <= 1));
    rates += rate;
  }
  // F: (0.2^2 + 3 * 0.8^2) / (0.2 + 3 * 0.8) = 0.754. The 4 % of draws below 0 are drawn anew,
  // which moves the median up by 0.007; its standard deviation is 0.0035.
  CHECK(std::abs(median_weight(drawn) - 0.761) < 5 * 0.0035);
  // CR: (0.4^2 + 3 * 0.6^2) / (0.4 + 3 * 0.6) = 0.5636, standard deviation 0.1 / sqrt(2001)
  CHECK(std::abs(rates / 2001 - 0.5636) < 5 * 0.0023);
}

TEST_CASE("In L-SHADE a crossover rate that ended at 0 stays there", "[optimise]") {
  SuccessHistory scheme;
  teach(scheme, {{{0.5, 0}, 1}});
  teach(scheme, {{{0.5, 1}, 1}});
  for (const Controls& controls : draws(scheme))
    REQUIRE(controls.crossover_rate == 0);
}

TEST_CASE("L-SHADE learns nothing from ties and from the first finite costs", "[optimise]") {
  SuccessHistory fresh;
  SuccessHistory scheme;
  RandomStream random(1);
  Population infinite = hand_made();
  infinite.costs[4] = std::numeric_limits<double>::infinity();
  for (int memory = 0; memory < 6; ++memory) {
    scheme.begin_generation(hand_made(), random);
    scheme.learn(hand_made(), 4, {0.9, 0.9}, 5, random);
    scheme.learn(infinite, 4, {0.9, 0.9}, 5, random);
    scheme.end_generation();
  }
  const auto as_before = draws(fresh);
  const auto now = draws(scheme);
  for (std::size_t k = 0; k < now.size(); ++k) {
    REQUIRE(now[k].differential_weight == as_before[k].differential_weight);
    REQUIRE(now[k].crossover_rate == as_before[k].crossover_rate);
  }
}

TEST_CASE("L-SHADE also subtracts members that were beaten", "[optimise]") {
  SuccessHistory scheme;
  RandomStream random(1);
  Population before = hand_made();
  scheme.begin_generation(before, random);
  before.members(0, 4) = 1e6;
  scheme.learn(before, 4, {0.5, 0.5}, 1, random);
  const std::set<double> made = mutants(scheme, 2);
  CHECK(made.contains(100 + 0.5 * (1 - 100 + 10 - 1e6)));
  CHECK(made.contains(100 + 0.5 * (10 - 100 + 10 - 1e6)));
}

TEST_CASE("L-SHADE shrinks its population linearly to 4", "[optimise]") {
  const SuccessHistory scheme;
  CHECK(scheme.population_size(104, 0) == 104);
  CHECK(scheme.population_size(104, 0.5) == 54);
  CHECK(scheme.population_size(104, 0.999) == 4);
  CHECK(scheme.population_size(104, 1) == 4);
  CHECK(Dithered(with(Strategy::best1bin)).population_size(104, 0.5) == 104);
}
