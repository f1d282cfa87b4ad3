#pragma once

#include <string>
#include <vector>

#include "fit/form_kinds.hpp"
#include "perfmodel/io/model/model_json.hpp"

namespace perfmodel {

/// read_model() of a program that knows these forms.
FittedModel read_model(const std::string& path, const std::vector<FormKind>& kinds);

}  // namespace perfmodel
