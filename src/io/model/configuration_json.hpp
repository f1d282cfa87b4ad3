#pragma once

#include "json/json_cursor.hpp"
#include "json/json_layout.hpp"
#include "perfmodel/model/columns/spec.hpp"
#include "perfmodel/model/design/configuration.hpp"

namespace perfmodel {

/// A value per column: the configuration that local scaling powers belong to.
Json configuration_to_json(const ModelSpec& spec, const Configuration& configuration);
/// Throws InputError for a number that is not > 0 and for a level that the model does not know.
Configuration read_configuration(const ModelSpec& spec, const JsonCursor& node);

}  // namespace perfmodel
