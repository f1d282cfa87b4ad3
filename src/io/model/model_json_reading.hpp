#pragma once

#include <string>
#include <vector>

#include "fit/form_kinds.hpp"
#include "json/json_cursor.hpp"
#include "perfmodel/io/model/model_json.hpp"

namespace perfmodel {

/// read_model() of a program that knows these forms.
FittedModel read_model(const std::string& path, const std::vector<FormKind>& kinds);

/// A model that stands at this place of a document.
FittedModel read_model(const JsonCursor& root, const std::vector<FormKind>& kinds);

}  // namespace perfmodel
