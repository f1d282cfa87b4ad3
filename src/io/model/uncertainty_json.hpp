#pragma once

#include <optional>

#include "json/json_cursor.hpp"
#include "json/json_layout.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

/// The fields `noise_floor` and `uncertainty` of model.json: null where there is none. Models that
/// were published, or fitted by an earlier version, do not have them at all.
Json to_json(const std::optional<NoiseFloor>& floor);
Json uncertainty_to_json(const FittedModel& model);
std::optional<NoiseFloor> read_noise_floor(const JsonCursor& root);
/// The inputs, constants and form of `model` are known already.
std::optional<Uncertainty> read_uncertainty(const FittedModel& model, const JsonCursor& root);

}  // namespace perfmodel
