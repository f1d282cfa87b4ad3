#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/columns.hpp"

namespace perfmodel {

/// In the notice of a guessed target.
inline constexpr std::string_view kOtherTargets = "--target names another";

/// The request with the columns of its formula as the only inputs: all others are ignored.
///
/// Throws UsageError if the formula has no constants, a constant that may be a typing error for a
/// column, or the time itself, and if a column of `per` is unknown or has numbers.
RoleRequest with_formula_columns(const Table& table, RoleRequest request);

/// The inputs that resolve_roles() would infer and that lack values in a few rows.
std::vector<std::string> columns_with_gaps(const Table& table, const RoleRequest& request);

/// What differs in the options of a command by which users name roles.
struct RoleOptions {
  std::string_view scale = "--extrinsic";
  bool need_scale = false;
  /// Whether a flag beside --target says that it is a throughput.
  bool has_throughput_flag = false;

  /// "--throughput-target samples_per_s"
  std::string throughput(const std::string& column) const;
};

/// resolve_roles() without checks of values, for callers that use only the target and a scale.
Roles roles_around_scale(const Table& table, const RoleRequest& request,
                         const RoleOptions& options = {.need_scale = true});

/// warning_of_throughput() with the options of a command.
std::optional<std::string> warning_of_throughput(const std::string& target,
                                                 const RoleOptions& options);

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

/// The remedy for bad cells of the measured time or throughput; if there are failed runs, how to
/// exclude them.
std::string remedy_of_measured(const std::string& what, const Table& table, const Column& column);

}  // namespace perfmodel
