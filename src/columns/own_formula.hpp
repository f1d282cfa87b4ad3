#pragma once

#include "perfmodel/columns.hpp"
#include "perfmodel/table.hpp"

namespace perfmodel {

/// The request with the columns of its formula as the only inputs: all others are ignored.
///
/// Throws UsageError if the formula has no constants, a constant that may be a typing error for a
/// column, or the time itself, and if a column of `per` is unknown or has numbers.
RoleRequest with_formula_columns(const Table& table, RoleRequest request);

}  // namespace perfmodel
