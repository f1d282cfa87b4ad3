#include "fit/eq4/finish/polish_condensed.hpp"

#include <algorithm>
#include <utility>

#include "fit/eq4/finish/scaled_model.hpp"
#include "fit/task/loss_value.hpp"

namespace perfmodel {
namespace {

/// Each parts more of what was left together; a handful is enough.
constexpr std::size_t kMostPartings = 50;

}  // namespace

PolishResult polish_condensed(CondensedTimes& times, const Design& training,
                              const SearchSpace& space, const Regulariser& penalty,
                              const FitOptions& options, PolishResult from) {
  const ScaledModel model(training, space);
  bool exact = true;
  for (std::size_t i = 0; i < kMostPartings && !options.stop.stop_requested(); ++i) {
    const bool parted = times.part_around(model.predict(from.scaled));
    if (!parted && exact)
      break;
    exact = !parted;  // loosely, as long as it moves on
    const std::size_t evaluations = from.evaluations;
    from =
        polish(times.rows(), space, penalty, options, from.scaled, exact ? kExactGap : kLooseGap);
    from.evaluations += evaluations;
  }
  const double cost =
      loss_value(options.loss, training, model.predict(from.scaled)) + penalty(from.scaled);
  from.relative_gap += std::max(0.0, 1 - from.cost / cost);
  from.cost = cost;
  return from;
}

}  // namespace perfmodel
