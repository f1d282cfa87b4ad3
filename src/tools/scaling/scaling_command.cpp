#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/model_words.hpp"
#include "base/text.hpp"
#include "cli/certainty.hpp"
#include "cli/commands.hpp"
#include "cli/fit_options.hpp"
#include "cli/judged_runs.hpp"
#include "cli/model_sets.hpp"
#include "columns/spec.hpp"
#include "forms/form.hpp"
#include "forms/scaling_belief.hpp"
#include "jobs/settings.hpp"
#include "perfmodel/fit.hpp"
#include "registry/registry.hpp"
#include "roles/column_facts.hpp"
#include "roles/roles.hpp"
#include "scaling/scaling.hpp"
#include "storage/files.hpp"
#include "table/formula.hpp"
#include "table/table.hpp"
#include "trust/turning.hpp"

namespace perfmodel::cli {
namespace {

struct ScalingArguments {
  std::string input;
  std::string pick;
  std::optional<std::string> column;
  std::optional<scaling::Kind> kind;           ///< nullopt: inferred from the columns
  std::optional<double> least_efficiency;      ///< percent; if given, efficiencies are reported
  std::vector<double> scales;                  ///< of a model
  std::vector<std::string> settings;           ///< of a model
  bool strict_range = false;                   ///< of a model
  std::optional<double> coverage;              ///< of its intervals
  RoleRequest roles;                           ///< of runs; completed from the other arguments
  bool throughput = false;                     ///< of runs
  FailedRunsAre failed = FailedRunsAre::told;  ///< of runs
  OutputFormat format = OutputFormat::text;
  std::string output = "-";
};

/// The least efficiency as a fraction.
double least_efficiency(const ScalingArguments& arguments) {
  constexpr double percent_where_not_given = 50;
  return arguments.least_efficiency.value_or(percent_where_not_given) / 100;
}

/// The requested scale, else the only one. Throws UsageError if there are several or none.
std::string choose_column(const std::optional<std::string>& wanted,
                          const std::vector<std::string>& extrinsic) {
  if (wanted)
    return *wanted;
  if (extrinsic.size() != 1) {
    throw UsageError("which column is the scale? Pass --column" +
                     (extrinsic.empty() ? " COL; of a model, fit --extrinsic COL"
                                        : ": " + quoted_list(extrinsic)));
  }
  return extrinsic.front();
}

/// Strong or weak scaling, as requested or inferred from the columns; the document gives the
/// reason.
scaling::Kind settle_kind(const ScalingArguments& arguments, const scaling::WorkColumns& columns,
                          const std::string& target, ScalingDocument& document, Console& console) {
  const scaling::KindOfWork work = scaling::kind_of_work(columns);
  const bool may_tell = is_speed(document.measure);
  document.tells_speedup = arguments.kind || arguments.least_efficiency ||
                           (may_tell && scaling::counts_workers(columns.scale)) ||
                           (arguments.throughput && !is_batch_name(columns.scale));
  if (arguments.kind) {
    if (*arguments.kind == scaling::Kind::weak && work.holds_all)
      console.warning("--kind weak counts '" + columns.scale + "' times the work, but " +
                      work.because + ": efficiencies come out '" + columns.scale +
                      "' times too large. Leave --kind out, or predict a file of configurations "
                      "whose work grows");
    return *arguments.kind;
  }
  if (!document.tells_speedup) {
    console.notice("'" +
                   (may_tell ? columns.scale + "' counts no workers" : target + "' is no time") +
                   " by its name, so no speedup, efficiency or law is printed; " +
                   (may_tell ? "" : "if it is one, ") + "--kind strong or weak requests them");
    return scaling::Kind::strong;
  }
  document.kind_because = work.because;
  document.kind_is_open = work.is_open;
  if (work.is_open) {
    console.notice(work.because + ", so " +
                   (work.kind == scaling::Kind::weak
                        ? "weak scaling is assumed; pass --kind strong where that is no size of "
                          "the work"
                        : "strong scaling is assumed; pass --kind weak where each worker's part "
                          "of the work stays the same"));
  }
  return work.kind;
}

/// Geometric means of measured ranges and first levels, for files without a central run.
BaseConfiguration middle_of_ranges(const ModelSpec& spec) {
  // Four digits suffice for a value that the user has not set.
  const auto middle = [](const NumericInput& input) {
    return input.low == input.high
               ? input.low
               : *parse_number(short_number(std::sqrt(input.low) * std::sqrt(input.high)));
  };
  Configuration configuration;
  for (const NumericInput& input : spec.intrinsic)
    configuration.intrinsic.push_back(middle(input));
  configuration.levels.assign(spec.categorical.size(), 0);
  for (const NumericInput& input : spec.extrinsic)
    configuration.extrinsic.push_back(middle(input));
  BaseConfiguration base = base_of(configuration, spec);
  base.name = base.table.source = "the middle of the measured ranges";
  base.table.lines = {1};
  return base;
}

/// Powers of two times the lowest measured scale.
std::vector<double> default_scales(const NumericInput& input, bool within_measured) {
  const double last = within_measured ? input.high : 4 * input.high;
  std::vector<double> scales;
  for (double scale = input.low; scale <= last && scales.size() < 20; scale *= 2)
    scales.push_back(scale);
  return scales;
}

/// The settings with each of these scales; other inputs are as in the base.
SetConfigurations configurations_along(const ScalingArguments& arguments, const FittedModel& model,
                                       const std::string& column, const std::vector<double>& scales,
                                       const BaseConfiguration& base) {
  for (const std::string& setting : arguments.settings)
    if (setting.starts_with(column + "="))
      throw UsageError("'" + column + "' is the scale; its values are those of --at");
  std::vector<std::string> settings = arguments.settings;
  const std::vector<std::string> values =
      mapped(scales, [](double scale) { return to_text(scale); });
  settings.push_back(column + "=" + joined(values, ","));
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
  return mapped(indices(scales.size()), [&](std::size_t i) {
    return scaling::Timing{scales[i], times[index(i)], 1};
  });
}

/// The effect of doubling the scale at the settings.
std::optional<Effect> doubling_at(const ScalingArguments& arguments, FittedModel model,
                                  std::size_t extrinsic, const BaseConfiguration& base) {
  const std::string& column = model.spec.extrinsic[extrinsic].column;
  const Table here =
      configurations_along(arguments, model, column, base.table.at(column).numbers, base).table;
  for (SourceColumn& source : model.spec.sources)
    source.typical = here.at(source.column).numbers[0];
  const Design design = make_design(here, model.spec, Target::absent);
  for (const Effect& doubling : scale_effects_of(model, configuration_of(design, 0)))
    if (doubling.column == column)
      return doubling;
  return std::nullopt;
}

/// Throws UsageError for a column from which the model only derives others, so that it has neither
/// range nor power.
void refuse_source_of_derived(const FittedModel& model, const std::string& column,
                              const std::vector<std::string>& extrinsic) {
  const ModelSpec& spec = model.spec;
  for (const DerivedColumn& derived : spec.derived) {
    if (!contains(derived.of, column))
      continue;
    const auto source = std::ranges::find(spec.sources, column, &SourceColumn::column);
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

/// Warns if the work of a throughput is per worker and thus changes along the scale, so that
/// efficiencies compare different work.
void question_work(const FittedModel& model, const scaling::WorkColumns& columns,
                   Console& console) {
  const auto& rate = model.spec.throughput;
  if (!rate || !columns.throughput.empty() || !is_work_per_worker_name(rate->work) ||
      is_rate_of_one_worker_name(rate->column) || !scaling::counts_workers(columns.scale))
    return;
  console.warning(
      "the model was fitted with --work " + shell_word(rate->work) +
      ", which is of one worker by its name and changes with '" + columns.scale + "', where '" +
      rate->column + "' counts the work of all: efficiencies are not of the same work; fit with " +
      "--work " + shell_word(factor_in_formula(rate->work) + " * " + formula_name(columns.scale)));
}

/// The values of a scale in the runs that a model remembers.
std::vector<double> remembered_scales(const FittedModel& model, std::size_t extrinsic) {
  const Design& known = model.belief->known();
  return sorted_unique(mapped(
      indices(known.rows), [&](std::size_t row) { return known.extrinsic[extrinsic].value(row); }));
}

/// Whether the runs turn along a scale where the model does not: its predictions are then those of
/// its runs, and the user is warned.
bool heeds_turn(FittedModel& model, const std::string& column, Console& console) {
  const std::vector<Turn> turns = turns_against(model);
  const auto turn = std::ranges::find(turns, column, &Turn::column);
  if (turn == turns.end())
    return false;
  console.warning(turn_in_words(model, *turn) +
                  "; the times below are those of the runs without a formula, at the measured '" +
                  column + "' unless --at; fit another form: --expression auto");
  model = without_formula(model);
  return true;
}

/// The scale that is asked for, or the only one of the model.
std::string scale_of_model(const ScalingArguments& arguments, const FittedModel& model) {
  std::vector<std::string> extrinsic;
  for (const NumericInput& input : model.spec.extrinsic)
    if (!model.spec.is_derived(input.column) &&
        (arguments.column == input.column || !model.spec.follows(input.column)))
      extrinsic.push_back(input.column);
  const std::string column = choose_column(arguments.column, extrinsic);
  if (!contains(extrinsic, column)) {
    refuse_source_of_derived(model, column, extrinsic);
    throw UsageError("--column: the model has no extrinsic column '" + column + "'; it has " +
                     (extrinsic.empty() ? "none" : quoted_list(extrinsic)));
  }
  return column;
}

/// Adds the power of the scale and what it says, if the formula has one.
void add_power(const ScalingArguments& arguments, const FittedModel& model,
               const std::vector<double>& scales,
               const std::function<Design(const std::vector<double>&)>& at,
               ScalingDocument& document, Console& console) {
  const std::string& column = document.column;
  const std::size_t index = place_of_input(model.spec.extrinsic, column).value();
  const auto power_constant = model.form->scaling_constant(model.spec, index);
  if (!power_constant || model.spec.moves_others(column)) {
    const std::string why =
        !power_constant ? "the form of the model is '" + std::string(model.form->words().noun) + "'"
        : model.spec.is_derived_from(column) ? "another input is derived from '" + column + "'"
                                             : "other inputs move along with '" + column + "'";
    console.notice(why + ": no single power describes it");
    return;
  }
  scaling::PowerPlusConstant power;
  power.power = model.constants[static_cast<Eigen::Index>(*power_constant)];
  power.constant = model.form->unscaled_time(model.constants);
  power.scalable = timings_of(model, at({1}), column, {1})[0].time - power.constant;
  document.power = power;
  if (!document.tells_speedup)
    return;
  document.readings = scaling::readings(power, scales, document.study.kind);
  document.model_pays_until =
      scaling::pays_until(power, scales.front(), document.study.kind, least_efficiency(arguments));
}

/// The study of a fitted model along one of its extrinsic columns. Other inputs are fixed by --set,
/// or else as in the central run, with a notice.
ScalingDocument scaling_of_model(const ScalingArguments& arguments, Console& console) {
  FittedModel model = model_at_common_run(picked_models(arguments.input, arguments.pick));
  const std::string column = scale_of_model(arguments, model);
  const std::size_t index = place_of_input(model.spec.extrinsic, column).value();
  const bool turned = heeds_turn(model, column, console);
  const NumericInput& input = model.spec.extrinsic[index];

  ScalingDocument document;
  document.source = "model";
  document.column = column;
  document.unit = shown_unit(model.spec);
  document.measure = measure_of(model.spec);
  const std::vector<double> scales = !arguments.scales.empty() ? sorted_unique(arguments.scales)
                                     : turned                  ? remembered_scales(model, index)
                                              : default_scales(input, arguments.strict_range);
  if (scales.size() < 2)
    throw UsageError("scaling needs at least two different scales; pass them with --at 1,2,4");

  const BaseConfiguration base = central_base(model).value_or(middle_of_ranges(model.spec));
  const SetConfigurations set = configurations_along(arguments, model, column, scales, base);
  document.settings = arguments.settings;
  document.settings.insert(document.settings.end(), set.assumed.begin(), set.assumed.end());
  if (!set.assumed.empty())
    console.notice("held at " + base.name + ", unless --set: " + joined(set.assumed, " "));
  for (const std::string& name : set.moved)
    console.notice("'" + name + "' moves along with '" + column + "'");
  document.doubling = doubling_at(arguments, model, index, base);
  if (document.doubling)
    document.doubling_in_words = effect_in_words(*document.doubling, &model.spec);
  document.doubling_at =
      base.name + (arguments.settings.empty() ? "" : " with ") + joined(arguments.settings, " ");
  const Design design = make_design(set.table, model.spec, Target::absent);
  const std::vector<scaling::Timing> timings = timings_of(model, design, column, scales);
  scaling::WorkColumns columns = scaling::work_columns(model, column, set.moved);
  columns.least_share = scaling::least_share(mapped(timings, &scaling::Timing::time));
  const scaling::Kind kind = settle_kind(arguments, columns, model.spec.target, document, console);
  question_work(model, columns, console);
  document.study = scaling::study(timings, kind, least_efficiency(arguments));
  const RangeCheck range = check_range(model, design);
  report_range(range, arguments.strict_range, console);
  report_few_rows(model, console);
  document.in_range = range.in_range;
  const Certainty certainty = certainty_of(model, arguments.coverage, arguments.input, design);
  document.level = certainty.level.value_or(0);
  for (std::size_t i = 0; certainty.intervals && i < scales.size(); ++i)
    document.intervals.push_back((*certainty.intervals)[i].around(document.study.rows[i].time));
  const auto at = [&](const std::vector<double>& some) {
    return make_design(configurations_along(arguments, model, column, some, base).table, model.spec,
                       Target::absent);
  };
  if (turned)
    return document;  // neither the parts nor the power of a formula that does not follow the runs
  document.forecast = scaling::forecast(
      {model, input, at, document.study, certainty.level, scaling::counts_workers(column)});

  add_power(arguments, model, scales, at, document, console);
  return document;
}

RoleRequest request_of(const ScalingArguments& arguments) {
  RoleRequest request = arguments.roles;
  request.failed = arguments.failed;
  if (arguments.column)
    request.extrinsic = {*arguments.column};
  return request;
}

constexpr RoleOptions kRoleOptions{
    .scale = "--column", .need_scale = true, .has_throughput_flag = true};

/// A scale column of a single value if there is no other; later messages say what is missing.
std::optional<std::string> constant_scale(const Roles& roles) {
  std::optional<std::string> found;
  if (roles.extrinsic.empty())
    for (const LeftOut& item : roles.left_out)
      if (item.because == LeftOut::Because::constant && is_scale_name(item.column))
        found = item.column;
  return found;
}

/// The columns besides the scale: those tied to others, and those that must stay fixed.
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

/// The runs, without failed ones if these are to be dropped. Completes the arguments by a
/// throughput that is known by its name, as `fit` does.
Table runs_of(ScalingArguments& arguments, Console& console) {
  RunsFile file = read_noted({arguments.input}, {}, {}, {}, console);
  const auto measured = measured_column(file.table, request_of(arguments));
  if (measured && measured->is_rate) {
    console.notice("Column '" + measured->name +
                   "' is taken as the measured throughput, by its name.");
    arguments.roles.target = measured->name;
    arguments.throughput = true;
  }
  if (measured && arguments.failed != FailedRunsAre::refused)
    if (const auto warning = drop_failed_runs(file, measured->name, {}, arguments.failed))
      console.warning(*warning);
  return std::move(file.table);
}

/// What one mean does not describe.
std::string words_of_mean(const scaling::Unlike& unlike) {
  return unlike.words + ": one mean describes neither; pass a file of the runs of one value";
}

/// Adds a study of each level of a column whose laws differ, and of the levels in these whose do.
void add_levels(const ScalingArguments& arguments, const scaling::CurveColumns& columns,
                const Table& table, const scaling::Unlike& unlike,
                const std::vector<std::pair<std::string, std::string>>& at,
                ScalingDocument& document, Console& console) {
  for (const TableGroup& level : groups_of(table, std::array{unlike.column})) {
    auto here = at;
    here.emplace_back(unlike.column, level.key[0]);
    const Table own = take_rows(table, level.rows);
    try {
      const scaling::Curve curve = scaling::curve_of(own, columns);
      if (curve.unlike && curve.unlike->is_text) {
        add_levels(arguments, columns, own, *curve.unlike, here, document, console);
        continue;
      }
      if (curve.unlike)
        console.warning(words_of_mean(*curve.unlike));
      document.levels.push_back(
          {here, curve.relative, curve.left_out,
           scaling::study(curve.timings, document.study.kind, least_efficiency(arguments))});
    } catch (const InputError& error) {
      console.warning(unlike.column + " = " + level.key[0] + " is left out: " + error.what());
    }
  }
}

/// The study of measured runs. Throws UsageError if the column of scales must be named.
ScalingDocument scaling_of_runs(ScalingArguments arguments, Console& console) {
  const Table table = runs_of(arguments, console);
  const RoleRequest request = request_of(arguments);
  const Roles roles = roles_around_scale(table, request, kRoleOptions);
  if (!arguments.throughput)
    if (const auto warning = warning_of_throughput(roles.target, kRoleOptions))
      console.warning(*warning);
  scaling::CurveColumns columns;
  columns.ignore = {arguments.roles.ignore.begin(), arguments.roles.ignore.end()};
  columns.target_is_throughput = arguments.throughput;
  columns.target = roles.target;
  columns.scale =
      choose_column(arguments.column ? arguments.column : constant_scale(roles), roles.extrinsic);
  const NoInputs no_inputs =
      find_no_inputs(table, columns.target, columns.scale, arguments.roles.ignore);
  for (const LeftOut& item : no_inputs.columns)
    columns.ignore.insert(item.column);
  columns.ignore.insert(no_inputs.in_steps.begin(), no_inputs.in_steps.end());
  for (const std::string& notice : no_inputs.notices)
    console.notice(notice);
  const scaling::Curve curve = scaling::curve_of(table, columns);
  const bool by_level = curve.unlike && curve.unlike->is_text;
  if (by_level)
    console.notice(curve.unlike->words + ": no law describes both, so each level of '" +
                   curve.unlike->column + "' has its own");
  else if (curve.unlike)
    console.warning(words_of_mean(*curve.unlike));
  if (curve.relative && !by_level) {
    console.notice("times are geometric means over configurations that differ in '" +
                   columns.scale + "' alone, relative to " + columns.scale + " = " +
                   to_text(curve.timings.front().scale));
  }
  ScalingDocument document;
  document.source = "runs";
  document.column = columns.scale;
  if (!arguments.throughput) {
    document.unit = {roles.unit, unit_of_cell(table.at(roles.target).with_unit)};
    document.measure = measure_of(roles.target, roles.unit);
  }
  document.relative = curve.relative;
  document.left_out = curve.left_out;
  scaling::WorkColumns work = work_columns(table, columns, no_inputs);
  work.least_share = scaling::least_share(mapped(curve.timings, &scaling::Timing::time));
  const scaling::Kind kind = settle_kind(arguments, work, roles.target, document, console);
  document.study = scaling::study(curve.timings, kind, least_efficiency(arguments));
  if (by_level) {
    add_levels(arguments, columns, table, *curve.unlike, {}, document, console);
    if (document.levels.empty())
      throw UsageError(words_of_mean(*curve.unlike));
    document.study.amdahl.reset();
    document.study.gustafson.reset();
    document.study.usl.reset();
    document.study.pays_until.reset();
    document.study.pays_no_more_at.reset();
  }
  if (arguments.format == OutputFormat::csv && !curve.left_out.empty())
    console.warning(words_of_left_out(document));
  return document;
}

bool is_of_model(const ScalingArguments& arguments) {
  const std::string& path = arguments.input;
  return is_document(path).value_or(path.ends_with(".json") || path.ends_with(".jsonl"));
}

void setup_scaling(OptionSet& command, ScalingArguments& arguments) {
  const Condition model = {"a model", [&] { return is_of_model(arguments); }};
  const Condition runs = {"measured runs", [&] { return !is_of_model(arguments); }};
  add_input(command, "MODEL.json|RUNS.csv", arguments.input,
            "a model that fit wrote, or measured runs")
      .required();
  add_pick(command, arguments.pick);
  command.add("--column COL", arguments.column,
              "the scale: workers, batch size (default: the one extrinsic column)");
  using scaling::Kind;
  command.choice<Kind>(
      "--kind", arguments.kind, {{"strong", Kind::strong}, {"weak", Kind::weak}},
      "strong: times are of a fixed amount of work\n"
      "weak: of an iteration whose work grows with the scale\n"
      "(default: by the batch column, per worker or in total; strong if there is none)");
  command.number("--least-efficiency X", arguments.least_efficiency,
                 "the efficiency below which more workers do not pay, in percent (default: 50)",
                 {.low = 1, .high = 100, .words = "a percentage from 1 to 100 (50 for 50 %)"});
  add_format(command, arguments.format, "format of the result");
  add_output(command, arguments.output, "FILE");
  command.group("Of a model");
  command
      .add("--set COL=VALUE", arguments.settings,
           "hold an input at a value (default: as in the central run of the model)")
      .needs(model);
  command
      .add(
          "--at X,X",
          [&arguments](const std::string& text) {
            const auto values = listed_numbers(text);
            if (!values || std::any_of(values->begin(), values->end(),
                                       [](double value) { return value <= 0; }))
              throw OptionError("--at", "'" + text + "' is no list of numbers > 0 such as 1,2,4 " +
                                            "and no range such as 1:64:x2 or 1:9:+2");
            arguments.scales = *values;
          },
          "scales, 1,2,4,8 or 1:8:x2 (default: doubling, up to four times what was measured; with "
          "--strict-range up to that)")
      .needs(model);
  add_coverage(command, arguments.coverage,
               "coverage of the intervals of predicted times (default: as in the model)");
  add_strict_range(command, arguments.strict_range);
  command.group("Of measured runs");
  command.add("--target COL", arguments.roles.target, "the measured time (default: inferred)")
      .needs(runs);
  command.flag("--throughput", arguments.throughput, "the target is work per time, not a time")
      .needs(runs);
  command
      .add(
          "--ignore A,B",
          [&arguments](const std::string& text) { arguments.roles.ignore = split_list(text); },
          "columns that do not distinguish configurations")
      .needs(runs);
  add_failed(command, arguments.failed);
  for (const char* option : {"--coverage", "--strict-range"})
    command.option(option).needs(model);
  command.rule({"--failed drop", runs, false, ""});
  command.common({"--column", "--kind", "--set", "--at", "--target"});
  command.footer(
      R"(Among measured runs, only rows that differ in nothing but the scale are compared.

Examples:
  perfmodel scaling model.json --column workers --set batch_size=64
  perfmodel scaling runs.csv --column workers --kind weak
  perfmodel scaling load.csv --column threads --target requests_per_s --throughput)");
}

int run_scaling(const ScalingArguments& arguments, Console& console) {
  OutputFile output(arguments.output);
  ScalingDocument document = is_of_model(arguments) ? scaling_of_model(arguments, console)
                                                    : scaling_of_runs(arguments, console);
  document.file = base_name(arguments.input);
  return finish(output, formatted(document, arguments.format, output_width(arguments.output)));
}

}  // namespace

Command scaling_command() {
  return make_command<ScalingArguments>("scaling",
                                        "Speedup, efficiency and scaling laws along one column.",
                                        setup_scaling, run_scaling);
}

}  // namespace perfmodel::cli

namespace perfmodel {

void add_scaling() {
  add<cli::CommandEntry>({{"scaling", cli::scaling_command, "evaluate"}});
  add<DocumentKind>({{"scaling", schema_of<ScalingDocument>}});
}

}  // namespace perfmodel
