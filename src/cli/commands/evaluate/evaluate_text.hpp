#pragma once

#include <string>

#include "cli/options/output_format.hpp"
#include "io/documents/evaluation_json.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel::cli {

/// What evaluate prints.
std::string formatted(const EvaluationDocument& report, const FittedModel& model,
                      OutputFormat format);

}  // namespace perfmodel::cli
