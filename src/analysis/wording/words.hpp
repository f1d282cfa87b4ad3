#pragma once

#include <optional>
#include <string>

#include "analysis/central/doubling.hpp"
#include "perfmodel/model/design/replicates.hpp"

namespace perfmodel {

// Figures as sentences, the same in every output.

/// Of the ratio of a later time to an earlier one: "1.31 times slower", "2 times faster", "as
/// fast".
std::string change_in_words(double ratio);

/// "1 -> 2: 1.31 times slower", with what is to be doubted about it behind.
std::string doubling_in_words(const Doubling& doubling);

/// "model 22.0 %, noise floor 9.0 % from 124 replicated rows: the shape, not the noise, limits it";
/// empty where no configuration was run twice.
std::string noise_floor_in_words(double mape_percent, const std::optional<NoiseFloor>& floor);

}  // namespace perfmodel
