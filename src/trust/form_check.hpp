#pragma once

#include <optional>

#include "perfmodel/fit/result/fitted_model.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

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
