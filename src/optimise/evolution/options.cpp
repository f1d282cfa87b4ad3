#include "optimise/evolution/options.hpp"

#include <stdexcept>
#include <string>

#include "base/text.hpp"

namespace perfmodel::optimise {

namespace {

void require(bool holds, const std::string& otherwise) {
  if (!holds)
    throw std::invalid_argument(otherwise);
}

bool is_tolerance(double value) {
  return value >= 0 && value < std::numeric_limits<double>::infinity();
}

}  // namespace

std::string_view to_text(Strategy strategy) {
  switch (strategy) {
    case Strategy::best1bin:
      return "best1bin";
    case Strategy::rand1bin:
      return "rand1bin";
    case Strategy::currenttobest1bin:
      return "currenttobest1bin";
  }
  return "unknown";
}

std::string_view to_text(Termination termination) {
  switch (termination) {
    case Termination::converged:
      return "converged";
    case Termination::generation_limit:
      return "generation_limit";
    case Termination::evaluation_limit:
      return "evaluation_limit";
    case Termination::interrupted:
      return "interrupted";
  }
  return "unknown";
}

void require_valid(const DifferentialEvolutionOptions& options) {
  const double low = options.differential_weight_low;
  const double high = options.differential_weight_high;
  require(options.population > 0,
          "the population needs at least one member per free coordinate, not 0");
  require(is_tolerance(options.tolerance), "the tolerance is " +
                                               perfmodel::to_text(options.tolerance) +
                                               "; it must be a number from 0 on");
  require(is_tolerance(options.absolute_tolerance),
          "the absolute tolerance is " + perfmodel::to_text(options.absolute_tolerance) +
              "; it must be a number from 0 on");
  require(0 <= low && low <= high && high <= 2,
          "the differential weight is " + perfmodel::to_text(low) + ":" + perfmodel::to_text(high) +
              "; it must be a range within 0:2");
  require(0 <= options.crossover_rate && options.crossover_rate <= 1,
          "the crossover rate is " + perfmodel::to_text(options.crossover_rate) +
              "; it must be within 0:1");
}

void require_evaluations_for(std::size_t population_size,
                             const DifferentialEvolutionOptions& options) {
  require(options.evaluations >= population_size,
          "the limit of " + std::to_string(options.evaluations) + " evaluations is below the " +
              std::to_string(population_size) + " members of the population");
}

void require_guesses_fit(const DifferentialEvolutionOptions& options, const Bounds& bounds,
                         std::size_t population_size) {
  const auto& guesses = options.initial_guesses;
  require(guesses.size() <= population_size, "there are " + std::to_string(guesses.size()) +
                                                 " initial guesses for a population of " +
                                                 std::to_string(population_size));
  for (const Eigen::VectorXd& guess : guesses) {
    require(guess.size() == bounds.size(), "an initial guess has " + std::to_string(guess.size()) +
                                               " coordinates, not " +
                                               std::to_string(bounds.size()));
    require(guess.allFinite(), "an initial guess is not finite");
  }
}

}  // namespace perfmodel::optimise
