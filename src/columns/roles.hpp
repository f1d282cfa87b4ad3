#pragma once

#include <optional>
#include <string>
#include <vector>

#include "columns/column_facts.hpp"
#include "columns/left_out.hpp"
#include "columns/spec.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/table.hpp"

namespace perfmodel {

/// Returns one entry per column of the table, in its order, with the roles that the request gives.
/// Throws UsageError for unknown names and for a column that is named twice.
std::vector<ColumnPart> parts_by_flags(const Table& table, const RoleRequest& request);

/// True if the user excluded this role: by an empty list, or "none" if no column has that name.
bool asks_for_none(const Table& table, const std::optional<std::vector<std::string>>& columns);

/// Infers the target and the extrinsic columns that the request does not give from the names of the
/// open columns. Throws InputError, which suggests fields to set, if the names do not suffice;
/// unless `needs_scale`, the advice mentions models without a scale. Adds to `notices`.
void infer_target_and_extrinsic(const Table& table, const RoleRequest& request, bool needs_scale,
                                std::vector<ColumnPart>& parts, std::vector<std::string>& notices);

/// resolve_roles() without checks of values, for callers that use only the target and a scale.
Roles roles_around_scale(const Table& table, const RoleRequest& request);

std::vector<std::string> names_of(const std::vector<ColumnPart>& parts, Part part);

/// Columns that are no inputs, and notices about them.
struct NoInputs {
  std::vector<LeftOut> columns;
  std::vector<std::string> in_steps;  ///< inputs that move in steps with the scale
  std::vector<std::string> notices;   ///< whole sentences
};

/// The columns that resolve_roles() would exclude with this target, this one scale and these
/// ignored columns, and those that move along. The values of other columns are not checked.
NoInputs find_no_inputs(const Table& table, const std::string& target, const std::string& scale,
                        const std::vector<std::string>& ignore);

/// Numeric inputs that follow from the measured time, but are inputs because a flag names them or
/// no other is left. The errors of such a model are meaningless.
std::vector<LeftOut> inputs_given_by_target(const Table& table, const ModelSpec& spec);

/// The problems that prevent a fit, in cells and in whole columns, with remedies.
struct Obstacles {
  explicit Obstacles(const Table& table) : cells(table) {}

  CellProblems cells;
  std::vector<std::string> columns;

  /// Throws InputError with all problems.
  void throw_if_any() const;
};

/// The remedy for bad cells of the measured time or throughput; if there are failed runs, how to
/// exclude them.
std::string remedy_of_measured(const std::string& what, const Table& table, const Column& column);

/// Adds a problem for a mixed column that is neither numeric with mistakes nor categorical.
void refuse_mixed(const Table& table, const ColumnPart& part, Obstacles& obstacles);

/// Checks every cell of the columns with a role: the target and scales must be > 0, other numbers
/// >= 0, and levels not blank and fewer than the rows.
void check_values(const Table& table, const std::vector<ColumnPart>& parts, Obstacles& obstacles);

}  // namespace perfmodel
