#include "fit/eq4/search/reentry.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "base/random.hpp"

namespace perfmodel {
namespace {

using Eigen::VectorXd;

constexpr std::size_t kManyColumns = 24;
constexpr std::size_t kAttempts = 24;
constexpr std::size_t kTermsAtOnce = 8;

/// Some of the terms in use leave the model, each with another power to begin at.
VectorXd without_some_terms(const SearchSpace& space, const VectorXd& scaled,
                            RandomStream& random) {
  const GenericLayout& layout = space.layout();
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < space.intrinsic_log_centres().size(); ++i)
    if (scaled[index(layout.coefficient(i))] > 0)
      used.push_back(i);
  random.shuffle(std::span(used));
  used.resize(std::min(kTermsAtOnce, used.size()));
  VectorXd out = scaled;
  for (const std::size_t i : used) {
    const auto a = index(layout.coefficient(i));
    const auto p = index(layout.intrinsic_power(i));
    out[a] = space.scaled().lower[a];
    out[p] = random.uniform(space.scaled().lower[p], space.scaled().upper[p]);
  }
  return out;
}

}  // namespace

bool has_many_powers(const SearchSpace& space) {
  return space.intrinsic_log_centres().size() >= kManyColumns;
}

PolishResult reenter_terms(const WeightedRows& rows, const SearchSpace& space,
                           const Regulariser& penalty, const FitOptions& options,
                           PolishResult best) {
  RandomStream random(options.seed, "terms to take out");
  for (std::size_t k = 0; k < kAttempts && !options.stop.stop_requested(); ++k) {
    PolishResult trial = polish(rows, space, penalty, options,
                                without_some_terms(space, best.scaled, random), kRoughGap);
    trial.evaluations += best.evaluations;
    if (trial.cost < best.cost)
      best = std::move(trial);
    else
      best.evaluations = trial.evaluations;
  }
  return best;
}

}  // namespace perfmodel
