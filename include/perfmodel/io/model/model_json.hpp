#pragma once

#include <string>
#include <vector>

#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

/// The model as model.json (schema perfmodel/model, version 1); ends with a newline. Numbers
/// round-trip. Throws std::logic_error for a value that is not finite; r2, which has no value where
/// all measured times are equal, is written as null.
std::string to_json(const FittedModel& model);

/// Reads model.json ("-" is standard input). Throws InputError that names file and field, and gives
/// advice where the schema is newer than this program.
FittedModel read_model(const std::string& path);

}  // namespace perfmodel
