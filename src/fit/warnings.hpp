#pragma once

#include <Eigen/Core>
#include <vector>

#include "fit/search_space.hpp"
#include "perfmodel/fit/fitted_model.hpp"

namespace perfmodel {

/// What the reader of the constants should know: too few rows, levels without a training row,
/// constants at a bound, constants that the data do not determine. `scaled` are the constants of
/// `model` in scaled form.
std::vector<Warning> find_warnings(const FittedModel& model, const Design& training,
                                   const SearchSpace& space, const Eigen::VectorXd& scaled);

/// The same for a sum of product terms.
std::vector<Warning> find_multi_warnings(const FittedModel& model, const Design& training);

}  // namespace perfmodel
