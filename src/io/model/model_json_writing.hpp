#pragma once

#include "json/json_layout.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

/// What to_json() writes, to stand alone or in another document.
Json model_document(const FittedModel& model);

}  // namespace perfmodel
