#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "perfmodel/model.hpp"

namespace perfmodel {

/// The rows that are not in `some`, which is ascending.
std::vector<std::size_t> other_rows(std::size_t rows, const std::vector<std::size_t>& some);

/// Fits the rows outside of each fold from scratch, with the same options and seed, and predicts
/// the fold, so that nothing learnt from a row reaches its prediction. A level that occurs in the
/// fold only is predicted as the mean of the other levels of its column. `options.threads` folds
/// run at a time, each on one thread; the number of threads does not change the result.
///
/// `held_out`: rows of each fold, see make_held_out_parts(). `fold_done` is called with the number
/// of folds done, by one thread at a time. Throws UsageError if the rows outside of a fold have
/// only one value in a numeric column that has several, since its power would not be identifiable.
/// Returns nullopt after a stop request.
std::optional<CrossValidation> cross_validate(
    const ModelSpec& spec, const Design& training, const FitOptions& options,
    const std::vector<std::vector<std::size_t>>& held_out,
    const std::function<void(std::size_t)>& fold_done = nullptr);

/// Mean |ln(predicted / measured)| on the same runs: of a model, and of a quadratic response
/// surface in the logarithms, which is judged on runs held out of its fit.
struct FormCheck {
  double of_model = 0;
  double of_surface = 0;

  /// Whether other forms can be expected to predict far better. The comparison favours the model,
  /// which was fitted to these runs.
  bool points_elsewhere() const;
  /// Whether the model is so far off that its forecasts of scaling must not be a headline.
  bool is_far_worse() const;
};

/// Linear least squares on at most some hundred runs: milliseconds. nullopt for too few runs.
std::optional<FormCheck> check_form(const FittedModel& model, const Design& training);

}  // namespace perfmodel
