#include "optimise/differential_evolution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>

#include "support/catch.hpp"
#include "support/test_functions.hpp"

using namespace perfmodel;
using namespace perfmodel::optimise;

namespace {

using Options = DifferentialEvolutionOptions;
using Result = DifferentialEvolutionResult;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

constexpr Strategy kStrategies[] = {Strategy::best1bin, Strategy::rand1bin,
                                    Strategy::currenttobest1bin};
constexpr Updating kUpdatings[] = {Updating::immediate, Updating::deferred};

/// Never converges, so that the limits decide.
Options endless(Strategy strategy, Updating updating, std::size_t generations = 20) {
  Options options;
  options.strategy = strategy;
  options.updating = updating;
  options.population = 5;
  options.generations = generations;
  options.tolerance = 0;
  return options;
}

/// Runs `check` for every strategy with both ways of updating.
template <class Check>
void for_every_kind(Check check) {
  for (const Strategy strategy : kStrategies) {
    for (const Updating updating : kUpdatings) {
      CAPTURE(to_text(strategy), updating == Updating::immediate);
      check(endless(strategy, updating));
    }
  }
}

bool same_bits(const Result& a, const Result& b) {
  return a.best == b.best && a.cost == b.cost && a.evaluations == b.evaluations &&
         a.generations == b.generations && a.termination == b.termination &&
         a.population == b.population && a.costs == b.costs && a.spread == b.spread;
}

Result search(const test::TestFunction& function, Eigen::Index dimension, const Options& options) {
  return minimise(batch_of(function.cost), function.bounds(dimension), options);
}

std::string complaint_about(const Options& options) {
  try {
    search(test::kSphere, 3, options);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

/// scipy's generation with immediate updating, written out on its own: best1bin on columns `x`.
void scipy_generation(Eigen::MatrixXd& x, std::vector<double>& costs, const Bounds& bounds,
                      RandomStream& random, double (*cost)(const Eigen::VectorXd&)) {
  const double weight = random.uniform(0.5, 1.0);
  const std::vector<Eigen::Index> free = free_coordinates(bounds);
  for (Eigen::Index i = 0; i < x.cols(); ++i) {
    const auto [a, b] = draw_donors<2>(costs.size(), static_cast<std::size_t>(i), random);
    Eigen::VectorXd trial = x.col(0) + weight * (x.col(static_cast<Eigen::Index>(a)) -
                                                 x.col(static_cast<Eigen::Index>(b)));
    cross_over(x.col(i), 0.7, free, random, trial);
    redraw_outside(bounds, random, trial);
    const double trial_cost = cost(trial);
    if (trial_cost > costs[static_cast<std::size_t>(i)])
      continue;
    x.col(i) = trial;
    costs[static_cast<std::size_t>(i)] = trial_cost;
    if (trial_cost > costs[0])
      continue;
    const auto lowest = std::min_element(costs.begin(), costs.end()) - costs.begin();
    std::swap(costs[0], costs[static_cast<std::size_t>(lowest)]);
    const Eigen::VectorXd best = x.col(lowest);
    x.col(lowest) = x.col(0);
    x.col(0) = best;
  }
}

}  // namespace

// --- scipy's semantics ------------------------------------------------------------------------

TEST_CASE("Immediate updating follows scipy's generation step by step", "[optimise]") {
  const Bounds bounds = test::kRastrigin.bounds(3);
  Options options = endless(Strategy::best1bin, Updating::immediate, 30);
  options.seed = GENERATE(1U, 2U, 3U, 4U, 5U);
  const Result result = minimise(batch_of(test::kRastrigin.cost), bounds, options);

  RandomStream random(options.seed, "differential evolution");
  Eigen::MatrixXd x = latin_hypercube(bounds, 15, random);
  std::vector<double> costs;
  for (Eigen::Index i = 0; i < 15; ++i)
    costs.push_back(test::kRastrigin.cost(x.col(i)));
  const auto lowest = std::min_element(costs.begin(), costs.end()) - costs.begin();
  std::swap(costs[0], costs[static_cast<std::size_t>(lowest)]);
  x.col(0).swap(x.col(lowest));
  for (int generation = 0; generation < 30; ++generation)
    scipy_generation(x, costs, bounds, random, test::kRastrigin.cost);
  CHECK(result.population == x);
  CHECK(result.costs == costs);
}

TEST_CASE("A search takes (generations + 1) populations of evaluations, as in scipy",
          "[optimise]") {
  for_every_kind([](const Options& options) {
    std::size_t calls = 0;
    const auto counted = batch_of([&calls](const Eigen::VectorXd& x) {
      ++calls;
      return test::kRosenbrock.cost(x);
    });
    const Result result = minimise(counted, test::kRosenbrock.bounds(4), options);
    CHECK(result.termination == Termination::generation_limit);
    CHECK(result.generations == 20);
    CHECK(result.evaluations == 21 * 4 * 5);
    CHECK(calls == result.evaluations);
  });
}

TEST_CASE("The population has max(5, population * free coordinates) members", "[optimise]") {
  const auto size_of = [](std::size_t population, Eigen::Index dimension) {
    Options options;
    options.population = population;
    options.generations = 0;
    return search(test::kSphere, dimension, options).costs.size();
  };
  CHECK(size_of(15, 25) == 375);
  CHECK(size_of(1, 3) == 5);
  CHECK(size_of(2, 3) == 6);
}

TEST_CASE("The first batch is a Latin hypercube", "[optimise]") {
  Options options;
  options.population = 10;
  options.generations = 0;
  Eigen::MatrixXd first;
  std::vector<double> limits;
  const auto record = [&](const Eigen::Ref<const Eigen::MatrixXd>& candidates,
                          std::span<const double> abandon_above, std::span<double> costs) {
    first = candidates;
    limits.assign(abandon_above.begin(), abandon_above.end());
    std::fill(costs.begin(), costs.end(), 1.0);
  };
  minimise(record, test::kSphere.bounds(2), options);
  CHECK(limits == std::vector<double>(20, kInfinity));
  for (Eigen::Index j = 0; j < 2; ++j) {
    std::set<double> strata;
    for (const double x : first.row(j))
      strata.insert(std::floor((x + 5) / 10 * 20));
    CHECK(strata.size() == 20);
  }
}

TEST_CASE("The best point of the start is kept to the last bit", "[optimise]") {
  const Options options = endless(Strategy::rand1bin, Updating::deferred, 3);
  Eigen::VectorXd first;
  const auto objective = batch_of([&first](const Eigen::VectorXd& x) {
    if (first.size() == 0)
      first = x;
    return x == first ? 0.0 : 1.0;
  });
  const Result result = minimise(objective, test::kRosenbrock.bounds(6), options);
  CHECK(result.generations == 3);
  CHECK(result.cost == 0);
  CHECK(result.best == first);
}

// --- selection --------------------------------------------------------------------------------

TEST_CASE("A trial is compared with its own target, and ties replace", "[optimise]") {
  for (const Updating updating : kUpdatings) {
    // Costs are small integers: many ties. The search's state is replayed from what it asks.
    std::vector<double> costs;
    std::vector<double> seen;
    Eigen::MatrixXd members;
    const auto stepwise = [](double x) { return std::floor(std::abs(x)); };
    std::size_t target = 0;
    std::size_t ties = 0;
    const auto promote = [&] {
      const auto lowest = std::min_element(costs.begin(), costs.end()) - costs.begin();
      std::swap(costs[0], costs[static_cast<std::size_t>(lowest)]);
      if (lowest != 0)
        members.col(0).swap(members.col(lowest));
    };
    const auto objective = [&](const Eigen::Ref<const Eigen::MatrixXd>& candidates,
                               std::span<const double> abandon_above, std::span<double> out) {
      for (std::size_t k = 0; k < out.size(); ++k) {
        out[k] = stepwise(candidates(0, static_cast<Eigen::Index>(k)));
      }
      if (costs.empty()) {
        costs.assign(out.begin(), out.end());
        members = candidates;
      } else {
        for (std::size_t k = 0; k < out.size(); ++k) {
          REQUIRE(abandon_above[k] == costs[target]);
          ties += out[k] == costs[target] ? 1U : 0U;
          if (out[k] <= costs[target]) {
            costs[target] = out[k];
            members.col(static_cast<Eigen::Index>(target)) =
                candidates.col(static_cast<Eigen::Index>(k));
          }
          if (updating == Updating::immediate)
            promote();
          target = (target + 1) % costs.size();
        }
      }
      if (updating == Updating::deferred || out.size() > 1)
        promote();
    };
    const Result result =
        minimise(objective, test::kSphere.bounds(1), endless(Strategy::best1bin, updating, 10));
    CHECK(ties > 5);
    CHECK(result.costs == costs);
    CHECK(result.population == members);
  }
}

TEST_CASE("The best never rises", "[optimise]") {
  for_every_kind([](Options options) {
    double best = kInfinity;
    double lowest_seen = kInfinity;
    options.observer = [&](const Progress& progress) {
      CHECK(progress.best_cost <= best);
      CHECK(progress.best_cost == lowest_seen);
      best = progress.best_cost;
    };
    const auto objective = batch_of([&](const Eigen::VectorXd& x) {
      const double cost = test::kRastrigin.cost(x);
      lowest_seen = std::min(lowest_seen, cost);
      return cost;
    });
    const Result result = minimise(objective, test::kRastrigin.bounds(5), options);
    CHECK(result.cost == best);
    CHECK(result.costs[0] == *std::min_element(result.costs.begin(), result.costs.end()));
  });
}

TEST_CASE("Giving candidates up above their bar changes no bit", "[optimise]") {
  for_every_kind([](const Options& options) {
    const Result exact = search(test::kRosenbrock, 5, options);
    std::size_t abandoned = 0;
    const auto lazy = [&](const Eigen::Ref<const Eigen::MatrixXd>& candidates,
                          std::span<const double> abandon_above, std::span<double> costs) {
      for (std::size_t i = 0; i < costs.size(); ++i) {
        costs[i] = test::kRosenbrock.cost(candidates.col(static_cast<Eigen::Index>(i)));
        if (costs[i] <= abandon_above[i])
          continue;
        ++abandoned;
        costs[i] = abandoned % 2 == 0 ? kInfinity : std::nextafter(abandon_above[i], kInfinity);
      }
    };
    CHECK(same_bits(minimise(lazy, test::kRosenbrock.bounds(5), options), exact));
    CHECK(abandoned > 10);
  });
}

TEST_CASE("The order in which a deferred batch is evaluated changes no bit", "[optimise]") {
  for (const Strategy strategy : kStrategies) {
    const Options options = endless(strategy, Updating::deferred);
    const auto backwards = [](const Eigen::Ref<const Eigen::MatrixXd>& candidates,
                              std::span<const double>, std::span<double> costs) {
      for (std::size_t i = costs.size(); i-- > 0;)
        costs[i] = test::kRastrigin.cost(candidates.col(static_cast<Eigen::Index>(i)));
    };
    CHECK(same_bits(minimise(backwards, test::kRastrigin.bounds(5), options),
                    search(test::kRastrigin, 5, options)));
  }
}

TEST_CASE("Deferred updating asks once per generation, immediate once per trial", "[optimise]") {
  for (const Updating updating : kUpdatings) {
    std::vector<std::size_t> batches;
    const auto objective = [&](const Eigen::Ref<const Eigen::MatrixXd>& candidates,
                               std::span<const double> abandon_above, std::span<double> costs) {
      batches.push_back(costs.size());
      REQUIRE(static_cast<std::size_t>(candidates.cols()) == costs.size());
      REQUIRE(abandon_above.size() == costs.size());
      for (std::size_t i = 0; i < costs.size(); ++i)
        costs[i] = test::kSphere.cost(candidates.col(static_cast<Eigen::Index>(i)));
    };
    minimise(objective, test::kSphere.bounds(2), endless(Strategy::best1bin, updating, 3));
    if (updating == Updating::deferred) {
      CHECK(batches == std::vector<std::size_t>(4, 10));
    } else {
      std::vector<std::size_t> expected(31, 1);
      expected[0] = 10;
      CHECK(batches == expected);
    }
  }
}

// --- the box ----------------------------------------------------------------------------------

TEST_CASE("Every trial is inside the bounds", "[optimise]") {
  // The lowest point lies in a corner, so that mutants overshoot all the time.
  const Bounds bounds{Eigen::Vector4d(-1e-3, 0.1, 7, -1e6), Eigen::Vector4d(1e3, 0.3, 7, 1e-6)};
  for_every_kind([&](const Options& options) {
    bool inside = true;
    const auto objective = batch_of([&](const Eigen::VectorXd& x) {
      inside = inside && bounds.contains(x);
      return x[0] - x[1] - x[3];
    });
    const Result result = minimise(objective, bounds, options);
    CHECK(inside);
    CHECK(bounds.contains(result.best));
  });
}

TEST_CASE("A coordinate with equal lower and upper bound is not searched", "[optimise]") {
  for_every_kind([](const Options& options) {
    Bounds bounds = test::kSphere.bounds(3);
    bounds.lower[1] = bounds.upper[1] = 0.1;
    bool fixed = true;
    const auto objective = batch_of([&](const Eigen::VectorXd& x) {
      fixed = fixed && x[1] == 0.1;
      return test::kSphere.cost(x);
    });
    const Result result = minimise(objective, bounds, options);
    CHECK(fixed);
    CHECK(result.population.row(1).minCoeff() == 0.1);
    CHECK(result.costs.size() == 10);
    CHECK(result.evaluations == 21 * 10);
  });
}

TEST_CASE("A box of a single point takes one evaluation", "[optimise]") {
  for_every_kind([](const Options& options) {
    Bounds bounds{Eigen::Vector2d(3, 4), Eigen::Vector2d(3, 4)};
    const Result result = minimise(batch_of(test::kSphere.cost), bounds, options);
    CHECK(result.best == Eigen::Vector2d(3, 4));
    CHECK(result.cost == test::kSphere.cost(bounds.lower));
    CHECK(result.evaluations == 1);
    CHECK(result.generations == 0);
    CHECK(result.termination == Termination::converged);
  });
}

TEST_CASE("One parameter is found", "[optimise]") {
  for_every_kind([](Options options) {
    options.generations = 100;
    options.population = 15;
    const Result result = search(test::kSphere, 1, options);
    CHECK(std::abs(result.best[0] - test::kSphere.minimiser) < 1e-6);
  });
}

// --- costs ------------------------------------------------------------------------------------

TEST_CASE("Costs that are not finite count as plus infinity", "[optimise]") {
  for_every_kind([](Options options) {
    options.generations = 150;
    int calls = 0;
    const auto treacherous = batch_of([&](const Eigen::VectorXd& x) {
      ++calls;
      if (x[0] < 0)
        return x[1] < 0 ? kNotANumber : -kInfinity;
      if (calls % 7 == 0)
        return kInfinity;
      return test::kSphere.cost(x);
    });
    const Result result = minimise(treacherous, test::kSphere.bounds(2), options);
    CHECK(std::isfinite(result.spread));
    CHECK(result.best[0] >= 0);
    CHECK(result.cost >= 0);
    CHECK(result.cost < 1e-3);
  });
}

TEST_CASE("A NaN in the first population is replaced", "[optimise]") {
  for_every_kind([](const Options& options) {
    bool first = true;
    const auto objective = [&](const Eigen::Ref<const Eigen::MatrixXd>& candidates,
                               std::span<const double>, std::span<double> costs) {
      for (std::size_t i = 0; i < costs.size(); ++i) {
        costs[i] = test::kSphere.cost(candidates.col(static_cast<Eigen::Index>(i)));
        if (first && i % 2 == 0)
          costs[i] = kNotANumber;
      }
      first = false;
    };
    const Result result = minimise(objective, test::kSphere.bounds(3), options);
    for (const double cost : result.costs)
      CHECK(std::isfinite(cost));
  });
}

TEST_CASE("The reported cost equals a fresh evaluation of the reported point", "[optimise]") {
  for_every_kind([](const Options& options) {
    const Result result = search(test::kRosenbrock, 7, options);
    CHECK(test::kRosenbrock.cost(result.best) == result.cost);
    CHECK(result.population.col(0) == result.best);
    CHECK(result.costs[0] == result.cost);
    for (std::size_t i = 0; i < result.costs.size(); ++i)
      CHECK(test::kRosenbrock.cost(result.population.col(static_cast<Eigen::Index>(i))) ==
            result.costs[i]);
    CHECK(result.spread == statistics(result.costs).spread);
  });
}

TEST_CASE("Scaling all costs by a power of two changes no coordinate", "[optimise]") {
  for_every_kind([](Options options) {
    options.tolerance = 0.01;
    options.generations = 300;
    const Result plain = search(test::kRastrigin, 3, options);
    const auto scaled =
        batch_of([](const Eigen::VectorXd& x) { return 0x1p-20 * test::kRastrigin.cost(x); });
    const Result result = minimise(scaled, test::kRastrigin.bounds(3), options);
    CHECK(result.best == plain.best);
    CHECK(result.population == plain.population);
    CHECK(result.evaluations == plain.evaluations);
  });
}

// --- termination ------------------------------------------------------------------------------

TEST_CASE("Converged: the spread fell below the tolerance", "[optimise]") {
  for_every_kind([](Options options) {
    options.generations = 1000;
    options.tolerance = 0.01;
    const auto raised =
        batch_of([](const Eigen::VectorXd& x) { return 1 + test::kSphere.cost(x); });
    const Result result = minimise(raised, test::kSphere.bounds(3), options);
    CHECK(result.termination == Termination::converged);
    const CostStatistics costs = statistics(result.costs);
    CHECK(costs.spread <= 0.01 * costs.mean);

    // The generation before had not converged: with one less, the limit ends the search.
    options.generations = result.generations - 1;
    const Result before = minimise(raised, test::kSphere.bounds(3), options);
    CHECK(before.termination == Termination::generation_limit);
    CHECK(before.spread > 0.01 * statistics(before.costs).mean);
  });
}

TEST_CASE("Converged: the absolute tolerance serves costs near zero", "[optimise]") {
  Options options = endless(Strategy::best1bin, Updating::deferred, 1000);
  options.absolute_tolerance = 1e-12;
  const Result result = search(test::kSphere, 3, options);
  CHECK(result.termination == Termination::converged);
  CHECK(result.spread <= 1e-12);
}

TEST_CASE("Convergence is not tested before the first generation", "[optimise]") {
  const auto flat = batch_of([](const Eigen::VectorXd&) { return 3.0; });
  Options options;
  const Result result = minimise(flat, test::kSphere.bounds(2), options);
  CHECK(result.termination == Termination::converged);
  CHECK(result.generations == 1);
  CHECK(result.spread == 0);

  options.generations = 0;
  CHECK(minimise(flat, test::kSphere.bounds(2), options).termination ==
        Termination::generation_limit);
}

TEST_CASE("A spread over infinite costs is not converged", "[optimise]") {
  for_every_kind([](Options options) {
    options.tolerance = 1;
    const auto hopeless = batch_of([](const Eigen::VectorXd&) { return kInfinity; });
    const Result result = minimise(hopeless, test::kSphere.bounds(2), options);
    CHECK(result.termination == Termination::generation_limit);
    CHECK(result.cost == kInfinity);
    CHECK(result.spread == kInfinity);

    // One member alone is finite.
    int calls = 0;
    const auto lonely =
        batch_of([&](const Eigen::VectorXd&) { return ++calls == 4 ? 1 : kInfinity; });
    CHECK(minimise(lonely, test::kSphere.bounds(2), options).termination ==
          Termination::generation_limit);
  });
}

TEST_CASE("One generation without improvement does not stop the search", "[optimise]") {
  for_every_kind([](const Options& options) {
    std::size_t calls = 0;
    const auto objective = batch_of([&](const Eigen::VectorXd& x) {
      ++calls;
      const bool barren = calls > 15 && calls <= 5 * 15;
      return test::kSphere.cost(x) + (barren ? 1e6 : 0);
    });
    const Result result = minimise(objective, test::kSphere.bounds(3), options);
    CHECK(result.termination == Termination::generation_limit);
    CHECK(result.generations == 20);
    CHECK(result.cost < 0.5);
  });
}

TEST_CASE("The evaluation limit is used up to whole generations and never exceeded", "[optimise]") {
  for_every_kind([](Options options) {
    options.generations = 1000;
    for (const std::size_t limit : {15U, 16U, 29U, 30U, 31U, 100U, 1500U}) {
      options.evaluations = limit;
      std::size_t calls = 0;
      const auto counted = batch_of([&calls](const Eigen::VectorXd& x) {
        ++calls;
        return test::kRastrigin.cost(x);
      });
      const Result result = minimise(counted, test::kRastrigin.bounds(3), options);
      CHECK(result.termination == Termination::evaluation_limit);
      CHECK(result.evaluations == calls);
      CHECK(calls <= limit);
      CHECK(limit - calls < result.costs.size());
      CHECK(calls == limit / 15 * 15);
    }
  });
}

TEST_CASE("Interrupted: a stop between generations returns the best so far", "[optimise]") {
  for_every_kind([](Options options) {
    std::stop_source source;
    options.stop = source.get_token();
    double best = kInfinity;
    options.observer = [&](const Progress& progress) {
      best = progress.best_cost;
      if (progress.generation == 3)
        source.request_stop();
    };
    const Result result = search(test::kRastrigin, 3, options);
    CHECK(result.termination == Termination::interrupted);
    CHECK(result.generations == 3);
    CHECK(result.cost == best);
    CHECK(test::kRastrigin.cost(result.best) == best);
  });
}

TEST_CASE("Interrupted: immediate updating stops at the next trial", "[optimise]") {
  Options options = endless(Strategy::best1bin, Updating::immediate);
  std::stop_source source;
  options.stop = source.get_token();
  std::size_t calls = 0;
  double lowest = kInfinity;
  const auto objective = batch_of([&](const Eigen::VectorXd& x) {
    if (++calls == 40)
      source.request_stop();
    lowest = std::min(lowest, test::kSphere.cost(x));
    return test::kSphere.cost(x);
  });
  const Result result = minimise(objective, test::kSphere.bounds(3), options);
  CHECK(result.termination == Termination::interrupted);
  CHECK(result.evaluations == 40);
  CHECK(result.generations == 1);
  CHECK(result.cost == lowest);
}

TEST_CASE("Interrupted: a stop before the start still returns the best of the first population",
          "[optimise]") {
  for_every_kind([](Options options) {
    std::stop_source source;
    source.request_stop();
    options.stop = source.get_token();
    const Result result = search(test::kSphere, 3, options);
    CHECK(result.termination == Termination::interrupted);
    CHECK(result.evaluations == 15);
    CHECK(result.generations == 0);
    CHECK(test::kSphere.cost(result.best) == result.cost);
  });
}

TEST_CASE("The observer is called once per generation", "[optimise]") {
  for_every_kind([](Options options) {
    std::vector<Progress> seen;
    options.observer = [&](const Progress& progress) { seen.push_back(progress); };
    const Result result = search(test::kSphere, 3, options);
    REQUIRE(seen.size() == result.generations);
    for (std::size_t k = 0; k < seen.size(); ++k)
      CHECK(seen[k].generation == k + 1);
    CHECK(seen.back().evaluations == result.evaluations);
    CHECK(seen.back().best_cost == result.cost);
    CHECK(seen[0].evaluations == 30);
    CHECK(seen.back().spread == result.spread);
  });
}

// --- determinism ------------------------------------------------------------------------------

TEST_CASE("The same seed gives the same bits, another seed gives others", "[optimise]") {
  for_every_kind([](Options options) {
    options.seed = 42;
    const Result first = search(test::kRastrigin, 6, options);
    CHECK(same_bits(search(test::kRastrigin, 6, options), first));
    options.observer = [](const Progress&) {};
    CHECK(same_bits(search(test::kRastrigin, 6, options), first));
    options.seed = 43;
    CHECK(search(test::kRastrigin, 6, options).best != first.best);
  });
}

// --- what is refused --------------------------------------------------------------------------

TEST_CASE("Options outside their range are refused with a sentence", "[optimise]") {
  const auto changed = [](auto change) {
    Options options;
    change(options);
    return complaint_about(options);
  };
  CHECK(changed([](Options&) {}).empty());
  CHECK(changed([](Options& o) { o.population = 0; }) ==
        "the population needs at least one member per free coordinate, not 0");
  CHECK(changed([](Options& o) { o.tolerance = -0.5; }) ==
        "the tolerance is -0.5; it must be a number from 0 on");
  CHECK(changed([](Options& o) { o.absolute_tolerance = kNotANumber; }) ==
        "the absolute tolerance is nan; it must be a number from 0 on");
  CHECK(changed([](Options& o) { o.evaluations = 44; }) ==
        "the limit of 44 evaluations is below the 45 members of the population");
}

TEST_CASE("Crossed bounds are refused before anything is evaluated", "[optimise]") {
  const auto unreachable = batch_of([](const Eigen::VectorXd&) -> double {
    FAIL("evaluated");
    return 0;
  });
  CHECK_THROWS_AS(minimise(unreachable, {Eigen::Vector2d(0, 1), Eigen::Vector2d(1, 0)}, {}),
                  std::invalid_argument);
}

TEST_CASE("Strategies and terminations have the names users type and read", "[optimise]") {
  CHECK(to_text(Strategy::best1bin) == "best1bin");
  CHECK(to_text(Strategy::rand1bin) == "rand1bin");
  CHECK(to_text(Strategy::currenttobest1bin) == "currenttobest1bin");
  CHECK(to_text(Termination::converged) == "converged");
  CHECK(to_text(Termination::generation_limit) == "generation_limit");
  CHECK(to_text(Termination::evaluation_limit) == "evaluation_limit");
  CHECK(to_text(Termination::interrupted) == "interrupted");
}
