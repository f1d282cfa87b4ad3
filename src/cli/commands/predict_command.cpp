#include "cli/commands/predict_command.hpp"

#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "base/time_text.hpp"
#include "cli/commands/predict_set.hpp"
#include "cli/commands/predicted_settings.hpp"
#include "cli/options/option_set.hpp"
#include "cli/options/output_format.hpp"
#include "cli/options/reading_options.hpp"
#include "cli/options/replaced_input.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/runs/csv_columns.hpp"
#include "cli/runs/held_out_options.hpp"
#include "cli/runs/model_sets.hpp"
#include "cli/runs/predictions.hpp"
#include "cli/runs/range_check.hpp"
#include "cli/terminal/signals.hpp"
#include "cli/terminal/text_table.hpp"
#include "fit/result/form.hpp"
#include "io/documents/evaluation_json.hpp"
#include "io/file/output_file.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/model/design/design.hpp"
#include "perfmodel/pipeline/runs_file.hpp"
#include "perfmodel/pipeline/settings.hpp"

namespace perfmodel::cli {
namespace {

void check_combination(const PredictArguments& arguments) {
  const bool has_file = !arguments.configurations.empty();
  const bool has_settings = !arguments.settings.empty() || !arguments.like.empty();
  if (!has_file && !has_settings)
    throw UsageError(
        "what shall be predicted? Pass --set COL=VALUE ..., --like RUNS.csv:LINE or a file "
        "CONFIGS.csv");
  if (has_file && has_settings) {
    throw UsageError(
        "pass either --set COL=VALUE ... and --like, or a file CONFIGS.csv, not both "
        "('" +
        arguments.configurations + "' was read as a file)");
  }
  if (has_file && arguments.format && arguments.format != OutputFormat::csv)
    throw UsageError(
        "--format and --json go with --set and --like; the predictions of a file are written as "
        "CSV");
  if (arguments.model == "-" && arguments.configurations == "-")
    throw UsageError("the model and the configurations cannot both come from standard input");
}

/// The run that "runs.csv:41" names.
BaseConfiguration base_like(const std::string& like, const ModelSpec& spec) {
  const auto colon = like.rfind(':');
  const auto line =
      colon == std::string::npos ? std::nullopt : parse_number(like.substr(colon + 1));
  if (!line || colon == 0 || *line < 1 || *line > 4e9 || *line != std::floor(*line))
    throw UsageError("--like '" + like + "': expected RUNS.csv:LINE, such as runs.csv:41");
  const RunsFile file = read_runs(like.substr(0, colon), categorical_columns(spec));
  return base_of_line(file.table, static_cast<std::uint32_t>(*line), spec);
}

/// "num_gpus=512 batch=8", or "--set" where there is only one configuration.
std::string place_of(const SetConfigurations& set, std::size_t row) {
  std::string place;
  for (const std::string& name : set.varied)
    place += (place.empty() ? "" : " ") + name + "=" + set.table.at(name).text(row);
  return place.empty() ? "--set" : place;
}

/// What was taken from elsewhere.
void tell_assumptions(const SetConfigurations& set, const BaseConfiguration& base, bool asked_for,
                      Console& console) {
  if (!set.assumed.empty() && !asked_for)
    console.notice("as in " + base.name + ", the central one (--set): " + joined(set.assumed, " "));
  for (const std::string& name : set.moved) {
    const Column& column = set.table.at(name);
    const std::string last = column.text(column.numbers.size() - 1);
    console.notice("'" + name + "' moves along: " + column.text(0) +
                   (last == column.text(0) ? "" : " .. " + last));
  }
}

/// Empty for what is no time.
std::string time_cell(double value) {
  return is_time(value) ? to_text(value) : "";
}

/// What a file has beside its columns.
void write_rows(const PredictArguments& arguments, const FittedModel& model, std::string_view bytes,
                const Table& table, const Design& design, OutputFile& output, Console& console) {
  const Certainty certainty = certainty_of(model, arguments.coverage, arguments.model, design);
  std::vector<std::string> names = {"predicted_" + model.spec.target, "in_range"};
  if (certainty.intervals)
    names.insert(names.begin() + 1, {"lower", "upper"});
  if (certainty.reach)
    names.emplace_back("support");
  refuse_taken_names(table, names);
  const Predictions predicted = predictions_of(model, design);
  const RangeCheck range = check_range(model, design);
  report_range(range, arguments.strict_range, console);
  report_constants(model, design, predicted.values, table.lines, console);
  report_without_time(predicted, table, "their cells stay empty", arguments.strict_range, console);
  append_columns(
      bytes, table, names,
      [&](std::size_t row) {
        const double time = predicted.values[static_cast<Eigen::Index>(row)];
        std::vector<std::string> further = {time_cell(time)};
        if (certainty.intervals) {
          const IntervalFactors factors = (*certainty.intervals)[row];
          further.push_back(time_cell(time * factors.lower));
          further.push_back(time_cell(time * factors.upper));
        }
        further.emplace_back(range.in_range[row] ? "true" : "false");
        if (certainty.reach)
          further.emplace_back(support_text(certainty.reach->near[row]));
        return further;
      },
      output);
}

/// The number alone; the interval is a notice.
void write_one(const PredictedSettings& predicted, OutputFile& output, Console& console) {
  const double time = predicted.times[0];
  output.write(to_text(time) + "\n");
  if (!predicted.certainty.intervals)
    return;
  const IntervalFactors factors = (*predicted.certainty.intervals)[0];
  console.notice(
      short_number(100 * *predicted.level) + " % interval: " +
      time_range_text(time * factors.lower, time * factors.upper, predicted.model.spec.unit));
}

/// One configuration is a number to all, several are a table to people and CSV to programs.
std::optional<OutputFormat> format_of(const PredictArguments& arguments, std::size_t rows) {
  if (arguments.format || rows == 1)
    return arguments.format;
  return arguments.output == "-" && is_terminal_output() ? OutputFormat::text : OutputFormat::csv;
}

int predict_settings(const PredictArguments& arguments, const FittedModel& model,
                     OutputFile& output, Console& console) {
  const bool asked_for = !arguments.like.empty();
  const std::optional<BaseConfiguration> base =
      asked_for ? base_like(arguments.like, model.spec) : central_base(model);
  SetConfigurations set = configurations_of_settings(arguments.settings, model, base);
  const Design design = make_design(set.table, model.spec, Target::absent);
  if (base)
    tell_assumptions(set, *base, asked_for, console);
  const std::optional<OutputFormat> format = format_of(arguments, design.rows);
  if (format == OutputFormat::csv) {
    const std::string bytes = csv_of_table(set.table);
    set.table.source = "--set";
    for (std::size_t row = 0; row < design.rows; ++row)
      set.table.lines[row] = static_cast<std::uint32_t>(row + 2);
    write_rows(arguments, model, bytes, set.table, design, output, console);
  } else {
    const Eigen::VectorXd times =
        predicted_times(model, design, [&](std::size_t row) { return place_of(set, row); });
    const RangeCheck range = check_range(model, design);
    report_range(range, arguments.strict_range, console);
    report_constants(model, design, times, set.table.lines, console);
    const Certainty certainty = certainty_of(model, arguments.coverage, arguments.model, design);
    const PredictedSettings predicted{
        model,     set,   times,
        certainty, range, interval_level(model, arguments.coverage, arguments.model)};
    if (format) {
      OutputTables out(TextTable({}), [&] { return predictions_json(predicted, design); });
      out.add(prediction_table(predicted), 2);
      output.write(out.in(*format, output_width(arguments.output)));
    } else {
      write_one(predicted, output, console);
    }
  }
  output.commit();
  return 0;
}

int predict_file(const PredictArguments& arguments, const FittedModel& model, OutputFile& output,
                 Console& console) {
  const RunsFile file =
      read_runs(arguments.configurations, categorical_columns(model.spec), arguments.separator);
  if (const auto notice = reading_notice(file.table))
    console.notice(*notice);
  const Design design = make_design(file.table, model.spec, Target::absent);
  // Where a file is replaced, a signal must not leave the unfinished one behind.
  std::optional<SignalWatch> signals;
  if (output.replaces_file())
    signals.emplace();
  write_rows(arguments, model, file.bytes, file.table, design, output, console);
  if (const auto signal = received_signal())
    return exit_code_of_signal(*signal);
  output.commit();
  return 0;
}

}  // namespace

void setup_predict(OptionSet& command, PredictArguments& arguments) {
  add_input(command, "MODEL.json", arguments.model, "a model that fit wrote").required();
  add_input(command, "CONFIGS.csv", arguments.configurations, "configurations, one per line");
  add_pick(command, arguments.pick);
  add_separator(command, arguments.separator);
  command
      .add_option("--set", arguments.settings,
                  "values of inputs; what is not set is as in the central\n"
                  "run of the model. A list (1,2,4) or range (1:64:x2,\n"
                  "1:9:+2) makes several configurations (repeatable)")
      .type_name("COL=VALUE");
  command
      .add_option("--like", arguments.like,
                  "what is not set is as in the run of this line of a\nfile")
      .type_name("RUNS.csv:LINE");
  add_format(command, arguments.format,
             "with --set or --like (default: of one configuration\n"
             "the bare number; of several text on a terminal, else\n"
             "csv)");
  command.add_flag_callback(
      "--json", [&] { arguments.format = OutputFormat::json; }, "short for --format json");
  add_coverage(command, arguments.coverage,
               "share of new times that the intervals cover, of a model\n"
               "that was fitted with --coverage (default: as there)");
  add_strict_range(command, arguments.strict_range);
  add_output(command, arguments.output, "FILE");
  command.footer(
      "Of one configuration the predicted time is printed as a plain number; of several a table,\n"
      "which is CSV where no terminal reads it. A file comes back as it is,\n"
      "with columns more: predicted_<target>; lower and upper where the model was fitted with\n"
      "--coverage; in_range, which is false where a number lies outside of the range that was\n"
      "measured, or a combination of values where nothing was; and, of a model with a residual\n"
      "process, support: process where runs are near, trend where the formula speaks alone. Where\n"
      "the model gives no time > 0, the cells stay empty; with --strict-range the file is "
      "refused.\n"
      "\n"
      "Examples:\n"
      "  perfmodel predict model.json --set filters=32 workers=2 batch_size=64 activation=relu\n"
      "  perfmodel predict model.json --like runs.csv:41 --set workers=1:64:x2\n"
      "  perfmodel predict model.json configs.csv -o predicted.csv\n"
      "  perfmodel predict model.json configs.csv --coverage 0.5 --strict-range");
}

int run_predict(const PredictArguments& arguments, Console& console) {
  check_combination(arguments);
  refuse_to_replace(arguments.model, arguments.output);  // configurations keep their columns
  OutputFile output(arguments.output);
  const SetLines set = picked_models(arguments.model, arguments.pick);
  if (has_keys(set) && !arguments.configurations.empty())
    return predict_by_set(arguments, set, output, console);
  const FittedModel model = model_of(set);
  return arguments.configurations.empty() ? predict_settings(arguments, model, output, console)
                                          : predict_file(arguments, model, output, console);
}

}  // namespace perfmodel::cli
