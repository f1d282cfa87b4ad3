#pragma once

#include "cli/commands/predict_command.hpp"
#include "cli/runs/set_lines.hpp"
#include "io/file/output_file.hpp"

namespace perfmodel::cli {

/// The rows of a file with the predictions of their models. A row of a group without a model has
/// empty cells, with a warning; where the range is strict, it is refused.
int predict_by_set(const PredictArguments& arguments, const SetLines& set, OutputFile& output,
                   Console& console);

}  // namespace perfmodel::cli
