#include "optimise/evolution/differential_evolution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "optimise/evolution/crossover.hpp"
#include "optimise/evolution/dithered.hpp"
#include "optimise/evolution/options.hpp"
#include "optimise/evolution/population.hpp"

namespace perfmodel::optimise {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kSmallestPopulation = 5;
/// Candidates between two looks at whether to stop.
constexpr std::size_t kMostAtOnce = 512;

class Search {
 public:
  Search(const BatchObjective& objective, const Bounds& bounds,
         const DifferentialEvolutionOptions& options)
      : objective_(objective),
        bounds_(bounds),
        options_(options),
        free_(free_coordinates(bounds)),
        initial_size_(
            free_.empty() ? 1 : std::max(kSmallestPopulation, options.population * free_.size())),
        random_(options.seed, "differential evolution"),
        scheme_(options) {}

  DifferentialEvolutionResult run() {
    evaluate_initial_population();
    if (free_.empty())
      return result(Termination::converged);
    for (;;) {
      if (const auto reason = reason_to_stop())
        return result(*reason);
      if (!next_generation())
        return result(Termination::interrupted);
      ++generation_;
      observe();
      if (converged())
        return result(Termination::converged);
    }
  }

 private:
  void evaluate_initial_population() {
    require_evaluations_for(initial_size_, options_);
    require_guesses_fit(options_, bounds_, initial_size_);
    population_.members = latin_hypercube(bounds_, initial_size_, random_, options_.stop);
    for (std::size_t i = 0; i < options_.initial_guesses.size(); ++i) {
      population_.members.col(static_cast<Eigen::Index>(i)) =
          options_.initial_guesses[i].cwiseMax(bounds_.lower).cwiseMin(bounds_.upper);
    }
    population_.costs.resize(initial_size_);
    const std::vector<double> exact(initial_size_, kInfinity);
    evaluate(population_.members, exact, population_.costs);
    population_.promote_best();

    trials_.resize(bounds_.size(), static_cast<Eigen::Index>(initial_size_));
    trial_costs_.resize(initial_size_);
  }

  std::optional<Termination> reason_to_stop() const {
    if (options_.stop.stop_requested())
      return Termination::interrupted;
    if (generation_ >= options_.generations)
      return Termination::generation_limit;
    if (options_.evaluations - evaluations_ < population_.size())
      return Termination::evaluation_limit;
    return std::nullopt;
  }

  /// False where a stop was requested on the way.
  bool next_generation() {
    scheme_.begin_generation(random_);
    return options_.updating == Updating::immediate ? immediate_generation()
                                                    : deferred_generation();
  }

  bool immediate_generation() {
    for (std::size_t i = 0; i < population_.size(); ++i) {
      if (options_.stop.stop_requested())
        return false;
      make_trial(i);
      const auto column = static_cast<Eigen::Index>(i);
      evaluate(trials_.middleCols(column, 1), std::span(population_.costs).subspan(i, 1),
               std::span(trial_costs_).subspan(i, 1));
      select(i);
      if (population_.costs[i] < population_.costs[0])
        population_.swap(0, i);
    }
    return true;
  }

  bool deferred_generation() {
    const std::size_t size = population_.size();
    for (std::size_t i = 0; i < size; ++i)
      make_trial(i);
    if (!evaluate(trials_.leftCols(static_cast<Eigen::Index>(size)), population_.costs,
                  std::span(trial_costs_).first(size)))
      return false;
    for (std::size_t i = 0; i < size; ++i)
      select(i);
    population_.promote_best();
    return true;
  }

  void make_trial(std::size_t target) {
    auto trial = trials_.col(static_cast<Eigen::Index>(target));
    scheme_.mutate(population_, target, random_, trial);
    cross_over(population_.member(target), options_.crossover_rate, free_, random_, trial);
    redraw_outside(bounds_, random_, trial);
  }

  /// False where a stop was requested on the way: the costs of the rest are then infinite.
  bool evaluate(const Eigen::Ref<const Eigen::MatrixXd>& candidates,
                std::span<const double> abandon_above, std::span<double> costs) {
    std::size_t done = 0;
    while (done < costs.size() && (done == 0 || !options_.stop.stop_requested())) {
      const std::size_t count = std::min(kMostAtOnce, costs.size() - done);
      objective_(
          candidates.middleCols(static_cast<Eigen::Index>(done), static_cast<Eigen::Index>(count)),
          abandon_above.subspan(done, count), costs.subspan(done, count));
      done += count;
    }
    evaluations_ += done;
    std::fill(costs.begin() + static_cast<std::ptrdiff_t>(done), costs.end(), kInfinity);
    for (double& cost : costs)
      if (!std::isfinite(cost))
        cost = kInfinity;
    return done == costs.size();
  }

  /// The trial takes its target's place unless it costs more.
  void select(std::size_t target) {
    if (!(trial_costs_[target] <= population_.costs[target]))
      return;
    population_.replace(target, trials_.col(static_cast<Eigen::Index>(target)),
                        trial_costs_[target]);
  }

  bool converged() const {
    const auto [mean, spread] = statistics(population_.costs);
    return std::isfinite(spread) &&
           spread <= options_.absolute_tolerance + options_.tolerance * std::abs(mean);
  }

  void observe() const {
    if (!options_.observer)
      return;
    options_.observer(
        {generation_, evaluations_, population_.costs[0], statistics(population_.costs).spread});
  }

  DifferentialEvolutionResult result(Termination termination) {
    DifferentialEvolutionResult result;
    result.best = population_.member(0);
    result.cost = population_.costs[0];
    result.generations = generation_;
    result.evaluations = evaluations_;
    result.spread = statistics(population_.costs).spread;
    result.termination = termination;
    result.population = std::move(population_.members);
    result.costs = std::move(population_.costs);
    return result;
  }

  const BatchObjective& objective_;
  const Bounds& bounds_;
  const DifferentialEvolutionOptions& options_;
  std::vector<Eigen::Index> free_;
  std::size_t initial_size_;
  RandomStream random_;
  Dithered scheme_;

  Population population_;
  Eigen::MatrixXd trials_;  // trial i, made for member i, is column i
  std::vector<double> trial_costs_;
  std::size_t generation_ = 0;
  std::size_t evaluations_ = 0;
};

}  // namespace

DifferentialEvolutionResult minimise(const BatchObjective& objective, const Bounds& bounds,
                                     const DifferentialEvolutionOptions& options) {
  require_valid(bounds);
  require_valid(options);
  return Search(objective, bounds, options).run();
}

BatchObjective batch_of(std::function<double(const Eigen::VectorXd&)> cost) {
  return
      [cost = std::move(cost)](const Eigen::Ref<const Eigen::MatrixXd>& candidates,
                               std::span<const double> /*abandon_above*/, std::span<double> costs) {
        for (std::size_t i = 0; i < costs.size(); ++i)
          costs[i] = cost(candidates.col(static_cast<Eigen::Index>(i)));
      };
}

}  // namespace perfmodel::optimise
