#pragma once

#include <string>
#include <vector>

#include "perfmodel/base/sentence.hpp"
#include "perfmodel/data/table.hpp"

namespace perfmodel {

/// A column that is computed from others: "flops = filters * kernel_size^2".
struct DerivedColumn {
  std::string column;
  std::string formula;          ///< as Formula takes it
  std::vector<std::string> of;  ///< the columns that the formula uses

  /// "flops = filters * kernel_size^2"
  std::string definition() const { return column + " = " + formula; }
  bool operator==(const DerivedColumn&) const = default;
};

/// Throws UsageError, which begins with `where`, for a name that is no identifier, a formula that
/// cannot be read, that uses its own column or quotes a text.
DerivedColumn make_derived(const std::string& column, const std::string& formula,
                           const Sentence& where);

/// "flops = filters * kernel_size^2", as it stands after --derive. Throws UsageError.
DerivedColumn parse_derived(const std::string& text);

/// The table with these columns behind its own; a later one may use an earlier one. The one place
/// where a table gets its derived columns. Those that it has already, by the same formula, stay.
///
/// Throws InputError for a column that is missing, whose name the table already has, or that holds
/// texts, and with file and line for a cell that is not a number and for a value that is not
/// finite.
Table with_derived_columns(const Table& table, const std::vector<DerivedColumn>& derived);

/// The same for what a user asks for. Throws UsageError for an unknown column and for a name that
/// the table or another derived column has.
Table derive_as_requested(const Table& table, const std::vector<DerivedColumn>& derived);

/// Those of the columns that `used` names, and those that they are computed from.
std::vector<DerivedColumn> needed_columns(const std::vector<DerivedColumn>& derived,
                                          const std::vector<std::string>& used);

}  // namespace perfmodel
