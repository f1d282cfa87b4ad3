#pragma once

#include <Eigen/Core>
#include <vector>

#include "fit/search_space.hpp"
#include "perfmodel/fit/fitted_model.hpp"

namespace perfmodel {

/// What the training rows say about the constants of a fitted Eq. (4): which can be quoted, and why
/// the others cannot.
struct Findings {
  Identifiability identifiability;
  std::vector<Warning> warnings;  ///< at_bound, flat_direction, negligible_term, undetermined
};

/// `scaled` are the constants of `model` in scaled form.
Findings identify(const FittedModel& model, const Design& training, const SearchSpace& space,
                  const FitOptions& options, const Eigen::VectorXd& scaled);

}  // namespace perfmodel
