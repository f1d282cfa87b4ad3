#pragma once

#include <string>

#include "io/documents/evaluation_json.hpp"

namespace perfmodel::cli {

/// JUnit's XML: a test case per condition, which fails where the condition holds.
std::string junit_report(const EvaluationDocument& report, const FittedModel& model);

/// Workflow commands of GitHub Actions: the errors as a notice, an error per condition that holds.
std::string github_annotations(const EvaluationDocument& report, const FittedModel& model);

}  // namespace perfmodel::cli
