#pragma once

#include <string>

#include "io/documents/scaling_json.hpp"

namespace perfmodel::cli {

/// The tables for people.
std::string scaling_report(const ScalingDocument& document);

}  // namespace perfmodel::cli
