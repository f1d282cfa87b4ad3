#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "base/tasks/tasks.hpp"
#include "perfmodel/fit/result/certainty.hpp"
#include "perfmodel/fit/task/fit_options.hpp"
#include "perfmodel/model/columns/spec.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// What a fit says of the fold that was held out of it, in the order of its rows.
struct HeldOutFold {
  Metrics metrics;
  Eigen::VectorXd predicted;
  std::optional<Eigen::VectorXd> deviations;  ///< ProcessReach::deviations, where there are any
};

/// Fits each fold's other rows from scratch, with the same options and seed, and predicts the
/// fold's own: nothing that is learnt from a row reaches its prediction. A level that a fold holds
/// out altogether is taken as the mean of its column's others. `options.threads` folds at a time,
/// each on one thread; their number changes no result.
///
/// `held_out` as make_held_out_parts() gives it; `fold_done` is told how many folds are done, from
/// one thread at a time. Throws UsageError where the rows that a fold leaves have one value only in
/// a numeric column that has more, since its power could be anything. Nothing after a stop request,
/// and where `hooks` leave a fold to others.
std::optional<CrossValidation> cross_validate(
    const ModelSpec& spec, const Design& training, const FitOptions& options,
    const std::vector<std::vector<std::size_t>>& held_out,
    const std::function<void(std::size_t)>& fold_done = nullptr,
    const TaskHooks<HeldOutFold>& hooks = {});

}  // namespace perfmodel
