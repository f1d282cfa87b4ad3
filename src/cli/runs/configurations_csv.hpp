#pragma once

#include <string>
#include <vector>

#include "analysis/plan/space.hpp"

namespace perfmodel::cli {

/// The header line, with further columns at its end.
std::string csv_header(const plan::Space& space, const std::vector<std::string>& further = {});

/// One line, with further cells at its end.
std::string csv_line(const plan::Space& space, const plan::Configuration& configuration,
                     const std::vector<std::string>& further = {});

}  // namespace perfmodel::cli
