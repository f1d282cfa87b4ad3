#include "optimise/differential_evolution.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "base/text.hpp"

namespace perfmodel::optimise {

void cross_over(const ConstColumn& target, double crossover_rate, std::span<const Index> free,
                RandomStream& random, Column mutant) {
  const Index forced = free[random.below(free.size())];
  const double forced_value = mutant[forced];

  // One random number of 64 bits decides four coordinates, each by 16 bits against CR * 2^16: four
  // decimals suffice for a rate that is chosen by experience. Selection of the source by index
  // avoids an unpredictable branch in the loop.
  const auto threshold = static_cast<std::uint64_t>(std::lround(crossover_rate * 0x1p16));
  const std::array<const double*, 2> source = {target.data(), mutant.data()};
  const Index size = mutant.size();
  double* trial = mutant.data();
  for (Index j = 0; j < size; j += 4) {
    std::uint64_t bits = random.bits();
    for (Index k = j; k < std::min(j + 4, size); ++k, bits >>= 16)
      trial[k] = source[(bits & 0xffff) < threshold ? 1 : 0][k];
  }

  mutant[forced] = forced_value;
}

void redraw_outside(const Bounds& bounds, RandomStream& random, Column trial) {
  const Index size = trial.size();
  const double* lower = bounds.lower.data();
  const double* upper = bounds.upper.data();
  double* x = trial.data();
  const auto outside = [=](Index j) {
    return static_cast<std::size_t>(!(x[j] >= lower[j])) |
           static_cast<std::size_t>(!(x[j] <= upper[j]));
  };

  // Listed before they are drawn, and without a branch, since which ones are outside is
  // unpredictable.
  std::array<Index, 64> listed;  // only written entries are read
  for (Index begin = 0; begin < size; begin += std::ssize(listed)) {
    std::size_t count = 0;
    for (Index j = begin; j < std::min(begin + std::ssize(listed), size); ++j) {
      listed[count] = j;
      count += outside(j);
    }
    for (std::size_t k = 0; k < count; ++k) {
      const Index j = listed[k];
      x[j] = std::min(random.uniform(lower[j], upper[j]), upper[j]);
    }
  }
}

std::size_t draw_other(std::size_t size, std::span<const std::size_t> taken, RandomStream& random) {
  std::size_t drawn = random.below(size - taken.size());
  for (const std::size_t index : taken)
    if (drawn >= index)
      ++drawn;
  return drawn;
}

template <std::size_t Count>
std::array<std::size_t, Count> draw_donors(std::size_t size, std::size_t target,
                                           RandomStream& random) {
  std::array<std::size_t, Count> donors{};
  std::array<std::size_t, Count + 1> taken{target};
  for (std::size_t k = 0; k < Count; ++k) {
    donors[k] = draw_other(size, std::span(taken).first(k + 1), random);
    std::size_t place = k + 1;
    for (; place > 0 && taken[place - 1] > donors[k]; --place)
      taken[place] = taken[place - 1];
    taken[place] = donors[k];
  }
  return donors;
}

template std::array<std::size_t, 2> draw_donors<2>(std::size_t, std::size_t, RandomStream&);
template std::array<std::size_t, 3> draw_donors<3>(std::size_t, std::size_t, RandomStream&);

void mutate_from(const ConstColumn& base, const ConstColumn& plus, const ConstColumn& minus,
                 double differential_weight, Column mutant) {
  mutant = base + differential_weight * (plus - minus);
}

void mutate_towards(const ConstColumn& target, const ConstColumn& guide, const ConstColumn& plus,
                    const ConstColumn& minus, double differential_weight, Column mutant) {
  mutant = target + differential_weight * (guide - target + plus - minus);
}

void Dithered::begin_generation(RandomStream& random) {
  differential_weight_ = random.uniform(0.5, 1.0);
}

void Dithered::mutate(const Population& population, std::size_t target, RandomStream& random,
                      Column mutant) const {
  const auto member = [&population](std::size_t i) { return population.member(i); };
  if (strategy_ == Strategy::rand1bin) {
    const auto [base, plus, minus] = draw_donors<3>(population.size(), target, random);
    mutate_from(member(base), member(plus), member(minus), differential_weight_, mutant);
    return;
  }
  const auto [plus, minus] = draw_donors<2>(population.size(), target, random);
  if (strategy_ == Strategy::best1bin) {
    mutate_from(member(0), member(plus), member(minus), differential_weight_, mutant);
  } else {
    mutate_towards(member(target), member(0), member(plus), member(minus), differential_weight_,
                   mutant);
  }
}

namespace {

void require(bool holds, const std::string& otherwise) {
  if (!holds)
    throw std::invalid_argument(otherwise);
}

bool is_tolerance(double value) {
  return value >= 0 && value < std::numeric_limits<double>::infinity();
}

}  // namespace

/// The checks throw std::invalid_argument with the message for the user.
void require_valid(const DifferentialEvolutionOptions& options) {
  require(options.population > 0,
          "the population needs at least one member per free coordinate, not 0");
  require(is_tolerance(options.tolerance), "the tolerance is " +
                                               perfmodel::to_text(options.tolerance) +
                                               "; it must be a number from 0 on");
  require(is_tolerance(options.absolute_tolerance),
          "the absolute tolerance is " + perfmodel::to_text(options.absolute_tolerance) +
              "; it must be a number from 0 on");
}

void Population::replace(std::size_t i, const ConstColumn& x, double cost) {
  members.col(index(i)) = x;
  costs[i] = cost;
}

void Population::swap(std::size_t i, std::size_t j) {
  members.col(index(i)).swap(members.col(index(j)));
  std::swap(costs[i], costs[j]);
}

void Population::promote_best() {
  const auto best = static_cast<std::size_t>(std::ranges::min_element(costs) - costs.begin());
  if (best != 0)
    swap(0, best);
}

MatrixXd latin_hypercube(const Bounds& bounds, std::size_t count, RandomStream& random,
                         const std::stop_token& stop) {
  MatrixXd points = bounds.lower.replicate(1, index(count));
  std::vector<std::size_t> strata(count);
  for (const Index j : free_coordinates(bounds)) {
    if (stop.stop_requested())
      break;
    std::iota(strata.begin(), strata.end(), std::size_t{0});
    random.shuffle(std::span(strata));
    const double width = bounds.upper[j] - bounds.lower[j];
    for (std::size_t i = 0; i < count; ++i) {
      const double position =
          (static_cast<double>(strata[i]) + random.uniform()) / static_cast<double>(count);
      points(j, index(i)) = std::min(bounds.lower[j] + position * width, bounds.upper[j]);
    }
  }
  return points;
}

CostStatistics statistics(std::span<const double> costs) {
  // Summed in index order, so that the bits do not depend on the width of vector registers.
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto n = static_cast<double>(costs.size());
  const double mean = std::accumulate(costs.begin(), costs.end(), 0.0) / n;
  if (!std::isfinite(mean))
    return {infinity, infinity};
  double squares = 0;
  for (const double cost : costs)
    squares += (cost - mean) * (cost - mean);
  return {mean, std::sqrt(squares / n)};
}

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kSmallestPopulation = 5;
constexpr double kCrossoverRate = 0.7;
/// Candidates between two checks for a stop request.
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
        scheme_(options.strategy) {}

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
    require(options_.evaluations >= initial_size_,
            "the limit of " + std::to_string(options_.evaluations) + " evaluations is below the " +
                std::to_string(initial_size_) + " members of the population");
    population_.members = latin_hypercube(bounds_, initial_size_, random_, options_.stop);
    population_.costs.resize(initial_size_);
    const std::vector<double> exact(initial_size_, kInfinity);
    evaluate(population_.members, exact, population_.costs);
    population_.promote_best();

    trials_.resize(bounds_.size(), index(initial_size_));
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

  /// False if a stop was requested meanwhile.
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
      const auto column = index(i);
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
    if (!evaluate(trials_.leftCols(index(size)), population_.costs,
                  std::span(trial_costs_).first(size)))
      return false;
    for (std::size_t i = 0; i < size; ++i)
      select(i);
    population_.promote_best();
    return true;
  }

  void make_trial(std::size_t target) {
    auto trial = trials_.col(index(target));
    scheme_.mutate(population_, target, random_, trial);
    cross_over(population_.member(target), kCrossoverRate, free_, random_, trial);
    redraw_outside(bounds_, random_, trial);
  }

  /// False if a stop was requested meanwhile: the remaining costs are then infinite.
  bool evaluate(const Eigen::Ref<const MatrixXd>& candidates, std::span<const double> abandon_above,
                std::span<double> costs) {
    std::size_t done = 0;
    while (done < costs.size() && (done == 0 || !options_.stop.stop_requested())) {
      const std::size_t count = std::min(kMostAtOnce, costs.size() - done);
      objective_(candidates.middleCols(index(done), index(count)),
                 abandon_above.subspan(done, count), costs.subspan(done, count));
      done += count;
    }
    evaluations_ += done;
    std::fill(costs.begin() + index(done), costs.end(), kInfinity);
    for (double& cost : costs)
      if (!std::isfinite(cost))
        cost = kInfinity;
    return done == costs.size();
  }

  /// The trial replaces its target unless its cost is higher.
  void select(std::size_t target) {
    if (trial_costs_[target] <= population_.costs[target])
      population_.replace(target, trials_.col(index(target)), trial_costs_[target]);
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
  std::vector<Index> free_;
  std::size_t initial_size_;
  RandomStream random_;
  Dithered scheme_;

  Population population_;
  MatrixXd trials_;  // trial i, made for member i, is column i
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

BatchObjective batch_of(std::function<double(const VectorXd&)> cost) {
  return
      [cost = std::move(cost)](const Eigen::Ref<const MatrixXd>& candidates,
                               std::span<const double> /*abandon_above*/, std::span<double> costs) {
        for (std::size_t i = 0; i < costs.size(); ++i)
          costs[i] = cost(candidates.col(index(i)));
      };
}

}  // namespace perfmodel::optimise
