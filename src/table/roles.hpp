#pragma once

#include <optional>
#include <string>
#include <vector>

#include "perfmodel/columns.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/table.hpp"
#include "table/column_facts.hpp"
#include "table/left_out.hpp"
#include "table/spec.hpp"

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

/// Columns that are no inputs, and what is to be said about them.
struct NoInputs {
  std::vector<LeftOut> columns;
  std::vector<std::string> notices;  ///< whole sentences
};

/// What resolve_roles() would leave out beside this target, this one scale and columns that are
/// ignored, whatever the values in the others are.
NoInputs find_no_inputs(const Table& table, const std::string& target, const std::string& scale,
                        const std::vector<std::string>& ignore);

/// Numeric inputs of a model, because a flag named them or nothing else is left, that the measured
/// time gives: the errors of such a model say nothing.
std::vector<LeftOut> inputs_given_by_target(const Table& table, const ModelSpec& spec);

/// What stands in the way of a fit: cells, and whole columns; and how to go on.
struct Obstacles {
  explicit Obstacles(const Table& table) : cells(table) {}

  CellProblems cells;
  std::vector<Sentence> columns;

  /// Throws InputError that tells all of it.
  void throw_if_any() const;
};

/// What to do about cells of the measured time, or throughput; runs that failed can be left out
/// where there are any.
Sentence remedy_of_measured(const std::string& what, const Table& table, const Column& column);

/// Notes a column that is neither one of numbers with slips nor one of levels.
void refuse_mixed(const Table& table, const ColumnPart& part, Obstacles& obstacles);

/// Checks every cell of the columns that play a part: the target and scales > 0, other numbers
/// >= 0, levels not blank and fewer than the rows.
void check_values(const Table& table, const std::vector<ColumnPart>& parts, Obstacles& obstacles);

}  // namespace perfmodel
