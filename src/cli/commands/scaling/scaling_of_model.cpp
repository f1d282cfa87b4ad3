#include "cli/commands/scaling/scaling_of_model.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/central/doubling.hpp"
#include "analysis/scaling/kind_of_work.hpp"
#include "analysis/scaling/work_of_model.hpp"
#include "base/text.hpp"
#include "cli/commands/scaling/scaling_choices.hpp"
#include "cli/options/flag_names.hpp"
#include "cli/runs/model_sets.hpp"
#include "cli/runs/predictions.hpp"
#include "cli/runs/range_check.hpp"
#include "cli/terminal/text_table.hpp"
#include "fit/result/form.hpp"
#include "model/columns/facts/work_names.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/pipeline/runs_file.hpp"
#include "perfmodel/pipeline/settings.hpp"

namespace perfmodel::cli {
namespace {

/// The geometric middle of each measured range and the first level of each column: for files that
/// tell no central run.
BaseConfiguration middle_of_ranges(const ModelSpec& spec) {
  BaseConfiguration base{{}, "the middle of the measured ranges"};
  base.table.source = base.name;
  base.table.lines = {1};
  for (const auto* inputs : {&spec.intrinsic, &spec.extrinsic}) {
    for (const NumericInput& input : *inputs) {
      Column& column = base.table.columns.emplace_back();
      column.name = input.column;
      // Four digits are plenty for a value that nobody asked for.
      column.numbers = {
          input.low == input.high
              ? input.low
              : *parse_number(short_number(std::sqrt(input.low) * std::sqrt(input.high)))};
    }
  }
  for (const CategoricalInput& input : spec.categorical) {
    Column& column = base.table.columns.emplace_back();
    column.name = input.column;
    column.kind = Column::Kind::text;
    column.levels = {input.levels.front()};
    column.codes = {0};
  }
  return base;
}

/// "workers=1,2,4"
std::string scale_setting(const std::string& column, const std::vector<double>& scales) {
  std::vector<std::string> texts;
  for (const double scale : scales)
    texts.push_back(to_text(scale));
  return column + "=" + joined(texts, ",");
}

/// Doubling from the lowest measured scale on.
std::vector<double> default_scales(const NumericInput& input, bool within_measured) {
  const double last = within_measured ? input.high : 4 * input.high;
  std::vector<double> scales;
  for (double scale = input.low; scale <= last && scales.size() < 20; scale *= 2)
    scales.push_back(scale);
  return scales;
}

/// The settings with the scale at each of these values; what is not set is as in the base.
SetConfigurations configurations_along(const ScalingArguments& arguments, const FittedModel& model,
                                       const std::string& column, const std::vector<double>& scales,
                                       const BaseConfiguration& base) {
  for (const std::string& setting : arguments.settings)
    if (setting.starts_with(column + "="))
      throw UsageError("'" + column + "' is the scale; its values are those of --at");
  std::vector<std::string> settings = arguments.settings;
  settings.push_back(scale_setting(column, scales));
  SetConfigurations set = configurations_of_settings(settings, model, base);
  if (set.table.rows() != scales.size())
    throw UsageError("--set: scaling holds each input at one value");
  return set;
}

std::vector<scaling::Timing> timings_of(const FittedModel& model, const Design& design,
                                        const std::string& column,
                                        const std::vector<double>& scales) {
  const Eigen::VectorXd times = predicted_times(
      model, design, [&](std::size_t row) { return column + " = " + to_text(scales[row]); });
  std::vector<scaling::Timing> out;
  for (std::size_t i = 0; i < scales.size(); ++i)
    out.push_back({scales[i], times[static_cast<Eigen::Index>(i)], 1});
  return out;
}

/// What doubling the scale does where the settings leave the base.
std::optional<Doubling> doubling_at(const ScalingArguments& arguments, FittedModel model,
                                    std::size_t extrinsic, const BaseConfiguration& base) {
  const std::string& column = model.spec.extrinsic[extrinsic].column;
  const Table here =
      configurations_along(arguments, model, column, base.table.at(column).numbers, base).table;
  for (SourceColumn& source : model.spec.sources)
    source.typical = here.at(source.column).numbers[0];
  const Design design = make_design(here, model.spec, Target::absent);
  for (const Doubling& doubling : doublings_of(model, configuration_of(design, 0)))
    if (doubling.column == column)
      return doubling;
  return std::nullopt;
}

/// Throws UsageError for a column that the model knows only as what others are computed from: it
/// has neither a range nor a power.
void refuse_source_of_derived(const FittedModel& model, const std::string& column,
                              const std::vector<std::string>& extrinsic) {
  const ModelSpec& spec = model.spec;
  for (const DerivedColumn& derived : spec.derived) {
    if (std::find(derived.of.begin(), derived.of.end(), column) == derived.of.end())
      continue;
    const auto source =
        std::find_if(spec.sources.begin(), spec.sources.end(),
                     [&](const SourceColumn& candidate) { return candidate.column == column; });
    const std::string values = source == spec.sources.end()
                                   ? "A,B"
                                   : to_text(source->typical) + "," + to_text(2 * source->typical);
    throw UsageError("--column: the model counts '" + column + "' in '" + derived.definition() +
                     "' alone, so it is no scale of its own; " +
                     (extrinsic.empty() ? "" : "those are " + quoted_list(extrinsic) + "; ") +
                     "for times along it: perfmodel predict MODEL.json --set " +
                     shell_word(column + "=" + values) +
                     ", or a model that was fitted with --keep-totals");
  }
}

/// Work of one worker that changes along the scale: neither its time nor that of a sample.
void question_work(const FittedModel& model, const scaling::WorkColumns& columns,
                   Console& console) {
  const auto& rate = model.spec.throughput;
  if (!rate || !columns.throughput.empty() || !is_work_per_worker_name(rate->work) ||
      is_rate_of_one_worker_name(rate->column) || !scaling::counts_workers(columns.scale))
    return;
  console.warning("the model was fitted with " + flag_text({"work", {rate->work}}) +
                  ", which is of one worker by its name and changes with '" + columns.scale +
                  "', where '" + rate->column +
                  "' counts the work of all: efficiencies are not of the same work; fit with " +
                  flag_text({"work", {rate->work + " * " + columns.scale}}));
}

}  // namespace

ScalingDocument scaling_of_model(const ScalingArguments& arguments, Console& console) {
  if (arguments.target || arguments.throughput || !arguments.ignore.empty() ||
      arguments.drop_failed) {
    throw UsageError("--target, --throughput, --ignore and --failed go with measured runs, and '" +
                     arguments.input + "' was read as a model");
  }
  const FittedModel model = picked_model(arguments.input, arguments.pick);
  std::vector<std::string> extrinsic;
  for (const NumericInput& input : model.spec.extrinsic)
    if (!model.spec.is_derived(input.column))
      extrinsic.push_back(input.column);
  const std::string column = choose_column(arguments.column, extrinsic);
  if (std::find(extrinsic.begin(), extrinsic.end(), column) == extrinsic.end()) {
    refuse_source_of_derived(model, column, extrinsic);
    throw UsageError("--column: the model has no extrinsic column '" + column + "'; it has " +
                     (extrinsic.empty() ? "none" : quoted_list(extrinsic)));
  }
  const auto found =
      std::find_if(model.spec.extrinsic.begin(), model.spec.extrinsic.end(),
                   [&](const NumericInput& input) { return input.column == column; });
  const auto index = static_cast<std::size_t>(found - model.spec.extrinsic.begin());
  const NumericInput& input = model.spec.extrinsic[index];

  ScalingDocument document;
  document.source = "model";
  document.column = column;
  document.unit = model.spec.unit;
  std::vector<double> scales =
      arguments.scales.empty() ? default_scales(input, arguments.strict_range) : arguments.scales;
  std::sort(scales.begin(), scales.end());
  scales.erase(std::unique(scales.begin(), scales.end()), scales.end());
  if (scales.size() < 2)
    throw UsageError("scaling needs at least two different scales; pass them with --at 1,2,4");

  const BaseConfiguration base = central_base(model).value_or(middle_of_ranges(model.spec));
  const SetConfigurations set = configurations_along(arguments, model, column, scales, base);
  document.settings = arguments.settings;
  document.settings.insert(document.settings.end(), set.assumed.begin(), set.assumed.end());
  if (!set.assumed.empty())
    console.notice("held as in " + base.name + " (--set): " + joined(set.assumed, " "));
  for (const std::string& name : set.moved)
    console.notice("'" + name + "' moves along with '" + column + "'");
  document.doubling = doubling_at(arguments, model, index, base);
  document.doubling_at =
      base.name + (arguments.settings.empty() ? "" : " with ") + joined(arguments.settings, " ");
  const Design design = make_design(set.table, model.spec, Target::absent);
  const scaling::WorkColumns columns = scaling::work_columns(model, column, set.moved);
  const scaling::Kind kind = settle_kind(arguments, columns, document, console);
  question_work(model, columns, console);
  document.study =
      scaling::study(timings_of(model, design, column, scales), kind, least_efficiency(arguments));
  const RangeCheck range = check_range(model, design);
  report_range(range, arguments.strict_range, console);
  document.in_range = range.in_range;

  const auto power_constant = model.form->scaling_constant(model.spec, index);
  if (!power_constant || model.spec.moves_others(column)) {
    const std::string why =
        !power_constant ? "the model is a " + std::string(model.form->words().noun)
        : model.spec.is_derived_from(column) ? "another input is derived from '" + column + "'"
                                             : "other inputs move along with '" + column + "'";
    console.notice(why + ": there is no one power to be read");
    return document;
  }
  scaling::PowerPlusConstant power;
  power.power = model.constants[static_cast<Eigen::Index>(*power_constant)];
  power.constant = model.form->unscaled_time(model.constants);
  const Design of_one = make_design(configurations_along(arguments, model, column, {1}, base).table,
                                    model.spec, Target::absent);
  power.scalable = timings_of(model, of_one, column, {1})[0].time - power.constant;
  document.power = power;
  if (!document.tells_speedup)
    return document;
  document.readings = scaling::readings(power, scales, kind);
  document.model_pays_until =
      scaling::pays_until(power, scales.front(), kind, least_efficiency(arguments));
  return document;
}

}  // namespace perfmodel::cli
