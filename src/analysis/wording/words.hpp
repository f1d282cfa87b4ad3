#pragma once

#include <optional>
#include <string>

#include "perfmodel/model/design/replicates.hpp"

namespace perfmodel {

// Figures as sentences, the same in every output.

/// A scaling power: "far from ideal -1: doubling it cuts the scalable part by 8 %".
std::string scaling_in_words(double power);

/// "model 22.0 %, noise floor 9.0 % from 124 replicated rows: the shape, not the noise, limits it";
/// empty where no configuration was run twice.
std::string noise_floor_in_words(double mape_percent, const std::optional<NoiseFloor>& floor);

}  // namespace perfmodel
