#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/columns/facts/column_part.hpp"
#include "perfmodel/base/sentence.hpp"
#include "perfmodel/data/table.hpp"
#include "perfmodel/model/columns/roles.hpp"

namespace perfmodel {

/// One entry per column of the table, in its order, with the parts that the request gives. Throws
/// UsageError for unknown names and for a column that is named twice.
std::vector<ColumnPart> parts_by_flags(const Table& table, const RoleRequest& request);

/// Whether the user said that no column plays this part: an empty list, or "none" where no column
/// has that name.
bool asks_for_none(const Table& table, const std::optional<std::vector<std::string>>& columns);

/// Finds the target and the extrinsic columns by their names among the open ones, where the request
/// does not tell. Throws InputError with fields to fill in where names do not tell either; that no
/// column is a scale is among its advice where that may be. Adds to `notices`.
void infer_target_and_extrinsic(const Table& table, const RoleRequest& request, bool needs_scale,
                                std::vector<ColumnPart>& parts, std::vector<Sentence>& notices);

/// What resolve_roles() finds, with no check of values: for those who use the target and a scale
/// alone.
Roles roles_around_scale(const Table& table, const RoleRequest& request);

/// The names of the columns that play a part.
std::vector<std::string> names_of(const std::vector<ColumnPart>& parts, Part part);

}  // namespace perfmodel
