#pragma once

#include <string>

#include "cli/options/output_format.hpp"
#include "io/documents/sweep_json.hpp"

namespace perfmodel::cli {

/// The path as it is asked for; text and Markdown show the errors and scaling powers, JSON and CSV
/// hold all constants too.
std::string formatted(const SweepDocument& report, OutputFormat format);

}  // namespace perfmodel::cli
