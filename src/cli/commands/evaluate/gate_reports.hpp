#pragma once

#include <string>

#include "cli/terminal/output_tables.hpp"
#include "io/documents/evaluation_json.hpp"

namespace perfmodel::cli {

/// Throws UsageError where the format tells of conditions and there are none, or of outliers, which
/// it has no place for.
void check_gate_report(OutputFormat format, bool has_conditions, bool has_outliers);

/// JUnit's XML: a test case per condition, which fails where the condition holds.
std::string junit_report(const EvaluationDocument& report, const FittedModel& model);

/// Workflow commands of GitHub Actions: the errors as a notice, an error per condition that holds.
std::string github_annotations(const EvaluationDocument& report, const FittedModel& model);

}  // namespace perfmodel::cli
