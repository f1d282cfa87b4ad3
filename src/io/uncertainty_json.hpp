#pragma once

#include <optional>

#include "io/json_cursor.hpp"
#include "io/json_layout.hpp"
#include "perfmodel/fit/fitted_model.hpp"

namespace perfmodel {

/// Says in the `constants` of model.json which of them the runs determine, and adds the differences
/// of levels to the first of their column.
void add_identifiability(const ModelSpec& spec, const Eigen::VectorXd& constants,
                         const Identifiability& identifiability, Json& node);
/// Nothing where `constants` do not say it: models that were published, or fitted by an earlier
/// version.
std::optional<Identifiability> read_identifiability(const ModelSpec& spec,
                                                    const JsonCursor& constants);

/// The fields `noise_floor` and `uncertainty` of model.json: null where there is none. Models that
/// were published, or fitted by an earlier version, do not have them at all.
Json to_json(const std::optional<NoiseFloor>& floor);
Json uncertainty_to_json(const FittedModel& model);
std::optional<NoiseFloor> read_noise_floor(const JsonCursor& root);
/// The inputs, constants and form of `model` are known already.
std::optional<Uncertainty> read_uncertainty(const FittedModel& model, const JsonCursor& root);

}  // namespace perfmodel
