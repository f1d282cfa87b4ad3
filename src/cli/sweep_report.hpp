#pragma once

#include <string>

#include "cli/output_format.hpp"
#include "perfmodel/io/sweep_json.hpp"

namespace perfmodel::cli {

/// The path as it is asked for; text and Markdown show the errors and scaling powers, JSON and CSV
/// hold all constants too.
std::string formatted(const SweepReport& report, OutputFormat format);

}  // namespace perfmodel::cli
