#pragma once

#include <string>

#include "cli/options/output_format.hpp"
#include "io/documents/evaluation_json.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel::cli {

/// What evaluate prints. `model_file` names the model beside its baseline.
std::string formatted(const EvaluationDocument& report, const FittedModel& model,
                      const std::string& model_file, OutputFormat format);

}  // namespace perfmodel::cli
