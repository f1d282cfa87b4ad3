#pragma once

#include <optional>
#include <string>
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

/// Takes out the rows of which the model does not know a level. Returns a sentence about them;
/// nothing where there are none. Throws InputError where none is left.
std::optional<std::string> drop_unknown_levels(Table& runs, const ModelSpec& spec);

std::vector<double> times_of(const FittedModel& model, const plan::Space& space,
                             const std::vector<plan::Configuration>& configurations);

}  // namespace perfmodel::cli
