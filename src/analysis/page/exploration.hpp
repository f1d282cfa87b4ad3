#pragma once

#include <optional>
#include <string>

#include "analysis/page/content.hpp"

namespace perfmodel::page {

/// What a script needs to give the time of any configuration, in JavaScript: an object `model` with
/// predict(), inputs() (of the same columns: numbers and positions of levels as the model takes
/// them), the columns, measured ranges and regions where nothing was measured, ties, intervals.
/// Nothing of a model that no function can hold.
std::optional<std::string> exploration_script(const FittedModel& model,
                                              const TypicalConfiguration& start);

}  // namespace perfmodel::page
