#pragma once

#include <optional>
#include <string>
#include <vector>

#include "perfmodel/base/sentence.hpp"
#include "perfmodel/data/table.hpp"
#include "perfmodel/model/columns/derived.hpp"
#include "perfmodel/model/columns/left_out/left_out_column.hpp"
#include "perfmodel/model/columns/throughput.hpp"

namespace perfmodel {

/// What the user said about the columns; everything left open is inferred.
///
/// Read the table with the names in `categorical` (and best also those in `ignore`) as
/// `text_columns`: their cells then stay as they stand in the file, so that the levels 1.1 and 1.10
/// are two.
struct RoleRequest {
  std::optional<std::string> target;
  /// Empty, or "none" where no column has that name: no column is a scale.
  std::optional<std::vector<std::string>> extrinsic;
  bool needs_scale = true;  ///< otherwise all columns may be inputs alike
  /// The numeric intrinsic columns. Where given, columns named in no list are ignored, with a
  /// notice.
  std::optional<std::vector<std::string>> intrinsic;
  std::vector<std::string> categorical;  ///< numeric columns to treat as levels
  std::vector<std::string> ignore;
  std::optional<std::string> time_unit;  ///< a label, never a conversion
  std::optional<Throughput> throughput;  ///< in place of `target`
  bool drop_failed = false;              ///< leave out runs whose time says that they failed
  std::vector<DerivedColumn> derived;    ///< the table has them already
  /// label_runs() puts what each worker has in place of a total that was set so.
  bool totals_per_worker = false;
};

/// Which column plays which part in the model.
struct Roles {
  std::string target;
  std::string unit;                      ///< of the target; empty where unknown
  std::vector<std::string> intrinsic;    ///< numeric intrinsic columns, in the order of the file
  std::vector<std::string> categorical;  ///< intrinsic columns that are levels
  std::vector<std::string> extrinsic;
  std::vector<std::string> ignored;      ///< on request, or in no list beside --intrinsic
  std::vector<LeftOut> left_out;         ///< constants, and what is no input
  std::optional<Throughput> throughput;  ///< of which the target is computed
  std::vector<DerivedColumn> derived;
  std::vector<Sentence> notices;  ///< whole sentences: what was inferred or dropped
};

/// Settles the part of every column and checks its values: the target > 0, extrinsic
/// columns > 0, numeric intrinsic ones >= 0, no bad cell in a column that is used.
///
/// A column of texts is categorical. A column of numbers and texts is a column of numbers with bad
/// cells where most cells are numbers; otherwise only `categorical` settles it. Columns in no list
/// that are no inputs are left out: results, names of runs, what others give; the notices say so.
///
/// Throws UsageError where a flag names an unknown column or flags contradict each other, and
/// InputError (with file, line and column; all offenders counted, the first shown) where a value
/// cannot be used or the parts cannot be inferred.
Roles resolve_roles(const Table& table, const RoleRequest& request);

/// The column of the measured time or throughput: the one that the request names, else the one that
/// resolve_roles() would take, as far as it can tell.
std::optional<std::string> measured_column(const Table& table, const RoleRequest& request);

}  // namespace perfmodel
