#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "base/parallel.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

/// What a fit says of the fold that was held out of it, in the order of its rows.
struct HeldOutFold {
  Metrics metrics;
  Eigen::VectorXd predicted;
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

/// Means of |ln(predicted / measured)| on the same runs: of a model, and of a surface of second
/// order through the logarithms, which has not seen the runs that it is judged on.
struct FormCheck {
  double of_model = 0;
  double of_surface = 0;

  /// Whether other forms can be expected to predict far better. The model has seen the runs, so
  /// that it is not wronged.
  bool points_elsewhere() const;
  /// Whether the model is so far off that what it says of scales is no headline.
  bool is_far_worse() const;
};

/// Closed forms on at most some hundred runs: milliseconds. Nothing where there are too few.
std::optional<FormCheck> check_form(const FittedModel& model, const Design& training);

}  // namespace perfmodel
