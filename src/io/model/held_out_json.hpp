#pragma once

#include <vector>

#include "json/json_cursor.hpp"
#include "json/json_layout.hpp"
#include "perfmodel/fit/result/certainty.hpp"
#include "perfmodel/model/design/unmeasured.hpp"

namespace perfmodel {

/// "prediction_intervals" of model.json.
Json to_json(const PredictionIntervals& intervals);
/// `has_process`: scores may then be divided by its deviations.
PredictionIntervals read_intervals(const JsonCursor& node, bool has_process);

/// "cross_validation" of model.json.
Json to_json(const CrossValidation& validation);
CrossValidation read_cross_validation(const JsonCursor& node);

/// "unmeasured_regions" of model.json.
Json to_json(const std::vector<UnmeasuredRegion>& regions);
std::vector<UnmeasuredRegion> read_unmeasured(const JsonCursor& node);

}  // namespace perfmodel
