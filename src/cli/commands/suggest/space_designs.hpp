#pragma once

#include <vector>

#include "analysis/plan/space.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"
#include "perfmodel/model/columns/spec.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel::cli {

/// Configurations of a space as the inputs of a model. Throws InputError for levels that it does
/// not know.
Design design_of_space(const plan::Space& space,
                       const std::vector<plan::Configuration>& configurations,
                       const ModelSpec& spec);

std::vector<double> times_of(const FittedModel& model, const plan::Space& space,
                             const std::vector<plan::Configuration>& configurations);

}  // namespace perfmodel::cli
