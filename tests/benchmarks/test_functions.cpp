// Success rates of differential evolution on test functions whose answer is known, as lines
// "function dimension successes runs": for tests/benchmarks/test_functions.py.
#include <cstdint>
#include <iostream>

#include "optimise/differential_evolution.hpp"
#include "support/test_functions.hpp"

using namespace perfmodel;

namespace {

constexpr int kRuns = 51;

int successes(const test::TestFunction& function, Eigen::Index dimension) {
  int count = 0;
  for (int seed = 1; seed <= kRuns; ++seed) {
    optimise::DifferentialEvolutionOptions options;
    options.seed = static_cast<std::uint64_t>(seed);
    options.population = 5;
    options.generations = static_cast<std::size_t>(40 * dimension + 200);
    options.tolerance = 1e-10;
    options.absolute_tolerance = 1e-9;
    const auto result =
        minimise(optimise::batch_of(function.cost), function.bounds(dimension), options);
    count += result.cost < 1e-6 ? 1 : 0;
  }
  return count;
}

}  // namespace

int main() {
  for (const test::TestFunction& function : test::kTestFunctions) {
    for (const Eigen::Index dimension : {5, 10, 20})
      std::cout << function.name << ',' << dimension << ',' << successes(function, dimension) << ','
                << kRuns << std::endl;
  }
}
