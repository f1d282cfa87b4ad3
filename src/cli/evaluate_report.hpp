#pragma once

#include <string>

#include "cli/output_format.hpp"
#include "perfmodel/fit/fitted_model.hpp"
#include "perfmodel/io/evaluation_json.hpp"

namespace perfmodel::cli {

/// What evaluate prints. `model_file` names the model beside its baseline.
std::string formatted(const EvaluationReport& report, const FittedModel& model,
                      const std::string& model_file, OutputFormat format);

}  // namespace perfmodel::cli
