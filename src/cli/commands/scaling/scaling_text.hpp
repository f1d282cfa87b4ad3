#pragma once

#include <string>

#include "cli/options/output_format.hpp"
#include "io/documents/scaling_json.hpp"

namespace perfmodel::cli {

/// What scaling prints; as CSV the rows alone. Throws InputError for figures that are no numbers.
std::string formatted(const ScalingDocument& document, OutputFormat format);

}  // namespace perfmodel::cli
