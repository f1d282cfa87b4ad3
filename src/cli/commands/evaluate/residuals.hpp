#pragma once

#include <optional>

#include "cli/runs/judged_runs.hpp"
#include "fit/result/form.hpp"
#include "io/file/output_file.hpp"

namespace perfmodel::cli {

/// One line per judged run: where it stands in the file, and how far the model is from it. A
/// positive error is a prediction that is too long.
void write_residuals(const JudgedRuns& runs, const std::optional<ProcessReach>& reach,
                     OutputFile& output);

}  // namespace perfmodel::cli
