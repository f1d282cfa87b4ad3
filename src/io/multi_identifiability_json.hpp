#pragma once

#include <optional>

#include "io/json_cursor.hpp"
#include "io/json_layout.hpp"
#include "perfmodel/fit/fitted_model.hpp"

namespace perfmodel {

/// Adds to the `constants` of model.json, beside each constant of a sum of product terms, whether
/// the runs determine it.
void add_multi_identifiability(const FittedModel& model, Json& node);

/// Nothing where `constants` do not say it: models of an earlier version. The inputs and terms of
/// `model` are known already.
std::optional<Identifiability> read_multi_identifiability(const FittedModel& model,
                                                          const JsonCursor& constants);

}  // namespace perfmodel
