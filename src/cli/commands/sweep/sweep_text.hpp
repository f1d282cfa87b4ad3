#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cli/options/output_format.hpp"
#include "io/documents/sweep_json.hpp"

namespace perfmodel::cli {

/// The path as it is asked for; text and Markdown show the errors and scaling powers, JSON and CSV
/// hold all constants too. `width` is that of the terminal that shows it.
std::string formatted(const SweepDocument& report, OutputFormat format,
                      std::optional<std::size_t> width);

}  // namespace perfmodel::cli
