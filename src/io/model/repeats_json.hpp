#pragma once

#include "json/json_cursor.hpp"
#include "json/json_layout.hpp"
#include "perfmodel/fit/result/certainty.hpp"

namespace perfmodel {

/// The field `repeats` of model.json.
Json to_json(const RepeatSummary& repeats);
RepeatSummary read_repeats(const JsonCursor& node);

}  // namespace perfmodel
