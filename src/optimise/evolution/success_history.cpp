#include "optimise/evolution/success_history.hpp"

#include <algorithm>
#include <cmath>

#include "optimise/evolution/mutation.hpp"

namespace perfmodel::optimise {

namespace {

constexpr double kGuideShare = 0.11;   // p
constexpr double kArchiveShare = 2.6;  // r^arc
constexpr double kDrawWidth = 0.1;
constexpr double kFinalPopulation = 4;  // N^min

std::size_t rounded(double value) {
  return static_cast<std::size_t>(std::lround(value));
}

/// Standard Cauchy: the ratio of the coordinates of a point in the unit disc.
double cauchy(RandomStream& random) {
  for (;;) {
    const double x = random.uniform(-1, 1);
    const double y = random.uniform(-1, 1);
    if (x * x + y * y < 1 && y != 0)
      return x / y;
  }
}

}  // namespace

void SuccessHistory::begin_generation(const Population& population, RandomStream& random) {
  const auto size = static_cast<double>(population.size());
  guides_ = ranking(population.costs);
  guides_.resize(std::max<std::size_t>(2, rounded(kGuideShare * size)));

  archive_capacity_ = rounded(kArchiveShare * size);
  while (archive_.size() > archive_capacity_) {
    std::swap(archive_[random.below(archive_.size())], archive_.back());
    archive_.pop_back();
  }
}

Controls SuccessHistory::choose_controls(const Population& /*population*/, std::size_t /*target*/,
                                         RandomStream& random) {
  const Memory& memory = memories_[random.below(memories_.size())];
  Controls controls{0, 0};
  if (memory.crossover_rate) {
    controls.crossover_rate =
        std::clamp(*memory.crossover_rate + kDrawWidth * random.normal(), 0.0, 1.0);
  }
  while (controls.differential_weight <= 0) {
    controls.differential_weight =
        std::min(memory.differential_weight + kDrawWidth * cauchy(random), 1.0);
  }
  return controls;
}

// v = x_i + F (x_pbest - x_i) + F (x_r1 - x_r2), where r2 may be of the archive
void SuccessHistory::mutate(const Population& population, std::size_t target,
                            double differential_weight, RandomStream& random, Column mutant) {
  const std::size_t size = population.size();
  const std::size_t guide = guides_[random.below(guides_.size())];
  const std::size_t plus = draw_other(size, std::array{target}, random);
  const std::array taken = {std::min(target, plus), std::max(target, plus)};
  const std::size_t minus = draw_other(size + archive_.size(), taken, random);

  if (minus < size) {
    mutate_towards(population.member(target), population.member(guide), population.member(plus),
                   population.member(minus), differential_weight, mutant);
  } else {
    mutate_towards(population.member(target), population.member(guide), population.member(plus),
                   archive_[minus - size], differential_weight, mutant);
  }
}

void SuccessHistory::learn(const Population& population, std::size_t target,
                           const Controls& made_with, double trial_cost, RandomStream& random) {
  const double improvement = population.costs[target] - trial_cost;
  if (!(improvement > 0))
    return;
  // A first finite cost improves on +infinity by no measurable amount.
  if (std::isfinite(improvement))
    successes_.push_back({made_with, improvement});
  if (archive_.size() < archive_capacity_)
    archive_.emplace_back(population.member(target));
  else
    archive_[random.below(archive_.size())] = population.member(target);
}

// M_F and M_CR: means of what won, weighted by the improvement, as Lehmer means: sum w s^2 / sum w
// s
void SuccessHistory::end_generation() {
  if (successes_.empty())
    return;
  double weight = 0, weight_squares = 0, rate = 0, rate_squares = 0;
  for (const auto& [made_with, improvement] : successes_) {
    weight += improvement * made_with.differential_weight;
    weight_squares += improvement * made_with.differential_weight * made_with.differential_weight;
    rate += improvement * made_with.crossover_rate;
    rate_squares += improvement * made_with.crossover_rate * made_with.crossover_rate;
  }
  successes_.clear();

  Memory& memory = memories_[next_memory_];
  next_memory_ = (next_memory_ + 1) % memories_.size();
  if (weight > 0 && std::isfinite(weight_squares))
    memory.differential_weight = weight_squares / weight;
  if (!memory.crossover_rate || !std::isfinite(rate))
    return;
  memory.crossover_rate = rate > 0 ? std::optional(rate_squares / rate) : std::nullopt;
}

std::size_t SuccessHistory::population_size(std::size_t initial, double used) const {
  const auto first = static_cast<double>(initial);
  return rounded(first + (kFinalPopulation - first) * std::clamp(used, 0.0, 1.0));
}

}  // namespace perfmodel::optimise
