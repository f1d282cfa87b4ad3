#pragma once

#include <string>

#include "cli/terminal/text_table.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel::cli {

/// The constants and metrics of repeated fits: of the best one, and mean and standard deviation
/// over the seeds. The first row is the heading.
TextTable repeat_table(const FittedModel& model, const RepeatSummary& repeats);

}  // namespace perfmodel::cli
