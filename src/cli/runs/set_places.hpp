#pragma once

#include <optional>
#include <string>
#include <vector>

#include "perfmodel/fit/result/fitted_model.hpp"
#include "perfmodel/model/design/configuration.hpp"

namespace perfmodel::cli {

/// The configuration of each model with these settings (COL=VALUE), all else as in its central run.
/// Columns that a model does not have mean nothing to it; a level that it does not know leaves it
/// without one. Throws UsageError where that is so of all models.
std::vector<std::optional<Configuration>> places_of_settings(
    const std::vector<std::string>& settings, const std::vector<const FittedModel*>& models);

}  // namespace perfmodel::cli
