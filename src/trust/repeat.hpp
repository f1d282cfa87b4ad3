#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/tasks/tasks.hpp"
#include "fit/fit.hpp"

namespace perfmodel {

/// Fits with the seeds options.seed, options.seed + 1, ... in this order, `options.threads` of them
/// at a time and each on one thread. The number of threads changes no result.
///
/// `fit_done` is told after each fit how many are done, from one thread at a time. After a stop
/// request no further fit begins; there is always at least the first. Those that `hooks` leave
/// to others are not among them.
std::vector<FittedModel> fit_repeatedly(const ModelSpec& spec, const Design& training,
                                        const FitOptions& options, std::size_t repeats,
                                        const std::function<void(std::size_t)>& fit_done = nullptr,
                                        const TaskHooks<FittedModel>& hooks = {});

/// The fit with the lowest cost; of equal ones the first.
std::size_t best_of(const std::vector<FittedModel>& fits);

/// Spread over seeds of fits of the same rows. At least two fits.
RepeatSummary summarise(const std::vector<FittedModel>& fits);

}  // namespace perfmodel
