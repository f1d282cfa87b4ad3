#include "cli/commands/scaling/scaling_of_runs.hpp"

#include <string>
#include <vector>

#include "analysis/scaling/curve.hpp"
#include "analysis/scaling/kind_of_work.hpp"
#include "base/text.hpp"
#include "cli/commands/scaling/scaling_choices.hpp"
#include "cli/options/flag_names.hpp"
#include "model/columns/column_parts.hpp"
#include "model/columns/facts/well_known_names.hpp"
#include "model/columns/no_inputs.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/model/columns/roles.hpp"
#include "perfmodel/model/columns/throughput.hpp"
#include "perfmodel/pipeline/runs_file.hpp"

namespace perfmodel::cli {
namespace {

RoleRequest request_of(const ScalingArguments& arguments) {
  RoleRequest request;
  request.target = arguments.target;
  request.ignore = arguments.ignore;
  request.drop_failed = arguments.drop_failed;
  if (arguments.column)
    request.extrinsic = {*arguments.column};
  return request;
}

/// Flags as they are called here.
std::string scaling_flag(const Field& field) {
  if (field.name == "extrinsic")
    return flag_text({"column", field.values});
  if (field.name == "throughput_target")
    return flag_text({"target", field.values}) + " --throughput";
  return flag_text(field);
}

Roles roles_of(const Table& table, const RoleRequest& request) {
  try {
    return roles_around_scale(table, request);
  } catch (const UsageError& error) {
    throw UsageError(error.sentence().text(scaling_flag));
  } catch (const InputError& error) {
    throw InputError(error.sentence().text(scaling_flag));
  }
}

/// The only scale that the runs have, of one value: what follows says what it lacks.
std::optional<std::string> constant_scale(const Roles& roles) {
  std::optional<std::string> found;
  if (roles.extrinsic.empty())
    for (const LeftOut& item : roles.left_out)
      if (item.because == LeftOut::Because::constant && is_scale_name(item.column))
        found = item.column;
  return found;
}

/// The columns beside the scale: which are tied to others, which stay as they are.
scaling::WorkColumns work_columns(const Table& table, const scaling::CurveColumns& columns,
                                  const NoInputs& no_inputs) {
  scaling::WorkColumns work{columns.scale, columns.target, {}, {}};
  if (columns.target_is_throughput)
    work.throughput = columns.target;
  for (const LeftOut& item : no_inputs.columns)
    if (!item.factors.empty())
      work.tied.push_back({item.column, item.factors});
  for (const Column& column : table.columns)
    if (column.name != columns.scale && column.name != columns.target &&
        !columns.ignore.contains(column.name))
      work.held.push_back(column.name);
  return work;
}

/// The runs, as far as they went well where others are to be dropped.
Table runs_of(const ScalingArguments& arguments, const RoleRequest& request, Console& console) {
  RunsFile file = read_runs(arguments.input);
  if (const auto notice = reading_notice(file.table))
    console.notice(*notice);
  if (!arguments.drop_failed)
    return std::move(file.table);
  if (const auto column = measured_column(file.table, request))
    if (const auto warning = drop_failed_runs(file, *column, {}))
      console.warning(*warning);
  return std::move(file.table);
}

}  // namespace

ScalingDocument scaling_of_runs(const ScalingArguments& arguments, Console& console) {
  if (!arguments.settings.empty() || !arguments.scales.empty() || arguments.strict_range) {
    throw UsageError("--set, --at and --strict-range go with a model, and '" + arguments.input +
                     "' was read as measured runs (a model's name ends in .json)");
  }
  const RoleRequest request = request_of(arguments);
  const Table table = runs_of(arguments, request, console);
  const Roles roles = roles_of(table, request);
  if (!arguments.throughput)
    if (const auto warning = warning_of_throughput(roles.target))
      console.warning(warning->text(scaling_flag));
  scaling::CurveColumns columns;
  columns.ignore = {arguments.ignore.begin(), arguments.ignore.end()};
  columns.target_is_throughput = arguments.throughput;
  columns.target = roles.target;
  columns.scale =
      choose_column(arguments.column ? arguments.column : constant_scale(roles), roles.extrinsic);
  const NoInputs no_inputs = find_no_inputs(table, columns.target, columns.scale, arguments.ignore);
  for (const LeftOut& item : no_inputs.columns)
    columns.ignore.insert(item.column);
  for (const std::string& notice : no_inputs.notices)
    console.notice(notice);
  const scaling::Curve curve = scaling::curve_of(table, columns);
  if (curve.relative) {
    console.notice("times are geometric means over configurations that differ in '" +
                   columns.scale + "' alone, relative to " + columns.scale + " = " +
                   to_text(curve.timings.front().scale));
  }
  ScalingDocument document;
  document.source = "runs";
  document.column = columns.scale;
  document.unit = arguments.throughput ? "" : roles.unit;
  document.relative = curve.relative;
  const scaling::Kind kind =
      settle_kind(arguments, work_columns(table, columns, no_inputs), document, console);
  document.study = scaling::study(curve.timings, kind, least_efficiency(arguments));
  return document;
}

}  // namespace perfmodel::cli
