#pragma once

#include <string>
#include <vector>

#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel::cli {

/// The warnings of a fit, in their order; of many of one kind, one line: "104 of 495 constants are
/// not determined by these runs". Each stands in model.json.
std::vector<std::string> warning_lines(const FittedModel& model);

}  // namespace perfmodel::cli
