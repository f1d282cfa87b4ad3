#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cli/options/output_format.hpp"
#include "io/documents/scaling_json.hpp"

namespace perfmodel::cli {

/// What scaling prints; as CSV the rows alone. Throws InputError for figures that are no numbers.
/// `width` is that of the terminal that shows it.
std::string formatted(const ScalingDocument& document, OutputFormat format,
                      std::optional<std::size_t> width);

}  // namespace perfmodel::cli
