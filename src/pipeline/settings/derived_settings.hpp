#pragma once

#include <vector>

#include "perfmodel/data/table.hpp"
#include "perfmodel/model/columns/spec.hpp"

namespace perfmodel {

/// Throws UsageError where the `set` columns of some configuration give a derived input a value
/// that it cannot have: users know the columns that they set, not those that are computed of them.
void refuse_derived_values(const Table& configurations, const std::vector<Column>& set,
                           const ModelSpec& spec);

}  // namespace perfmodel
