#pragma once

#include <set>
#include <string>

#include "perfmodel/table.hpp"
#include "table/cells.hpp"

/// Columns of units beside numbers: "ms" beside 900. What tells one is its name or its cells; what
/// it describes, the name of the column: the one in its name ("time" of "time_unit"), or the
/// only result. Columns in `text_columns` are none.
namespace perfmodel {

/// Takes columns of several units of time or memory into the columns of numbers that they describe,
/// which are in seconds or bytes then, as of cells with units; they are removed themselves. Numbers
/// of one unit stay as they are, see unit_beside(). So do those of units that cannot be converted,
/// and those where it is unclear what the column describes.
void take_unit_columns(Table& table, const std::set<std::string>& text_columns);

/// What is wrong, and the cure, if a column of units says several ones of the numbers of a column,
/// or is blank beside some, in rows that the table has; else empty.
std::string doubt_of_units(const Table& table, const Column& column,
                           const std::set<std::string>& text_columns);

/// Throws InputError for such a column; nothing if there is no column of this name.
void require_one_unit(const Table& table, const std::string& column,
                      const std::set<std::string>& text_columns);

/// The columns of units that the table has, which are no inputs.
std::set<std::string> columns_of_units(const Table& table,
                                       const std::set<std::string>& text_columns);

}  // namespace perfmodel
