#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/model_words.hpp"
#include "base/text.hpp"
#include "cli/certainty.hpp"
#include "cli/commands.hpp"
#include "cli/fit_options.hpp"
#include "cli/judged_runs.hpp"
#include "cli/many_models.hpp"
#include "columns/design.hpp"
#include "forms/failure_model.hpp"
#include "forms/scaling_belief.hpp"
#include "perfmodel/predict.hpp"
#include "report/documents.hpp"
#include "roles/quantities.hpp"

namespace perfmodel::cli {
namespace {

struct PredictArguments {
  std::string model;
  std::string pick;
  std::string configurations;  ///< empty with --set
  InputOptions input;
  std::vector<std::string> settings;
  std::string like;                    ///< "runs.csv:41": the run that the settings modify
  std::optional<OutputFormat> format;  ///< nullopt: depends on the output
  std::optional<double> coverage;      ///< of the intervals; nullopt: the model's
  bool strict_range = false;
  std::string output = "-";
};

/// Above this probability, a failing run is worth a word beside its time.
constexpr double kWorthTelling = 0.1;

/// The predictions of the rows of a table, and how far they can be trusted.
struct PredictedRows {
  Design design;
  Predictions times;
  RangeCheck range;
  Certainty certainty;
  std::optional<Eigen::VectorXd> p_fails;
  bool determined = true;  ///< the model had more runs than constants
};

PredictedRows predicted_rows(const FittedModel& model, const Table& table,
                             const PredictArguments& arguments) {
  Design design = make_design(table, model.spec, Target::absent);
  // Certainty first: the deviations of a residual process come with its means.
  Certainty certainty = certainty_of(model, arguments.coverage, arguments.model, design);
  Predictions times = predictions_of(model, design);
  RangeCheck range = check_range(model, design, table);
  return {std::move(design),
          std::move(times),
          std::move(range),
          std::move(certainty),
          model.failures ? std::optional(model.failures->probabilities(table)) : std::nullopt,
          few_rows_warning(model) == nullptr};
}

/// "fails with P = 0.62", or nothing.
std::string failing_note(const std::optional<Eigen::VectorXd>& p_fails, std::size_t row) {
  return p_fails && (*p_fails)[index(row)] > kWorthTelling
             ? "fails with P = " + short_number((*p_fails)[index(row)])
             : "";
}

/// What is told beside a predicted time.
std::string row_notes(const FittedModel& model, const PredictedRows& predicted, std::size_t row,
                      const std::string& unlike = {}) {
  std::vector<std::string> notes = {unlike, few_rows_warning(model) ? "not determined" : "",
                                    predicted.range.in_range[row] ? "" : "extrapolated",
                                    failing_note(predicted.p_fails, row)};
  std::erase(notes, "");
  return joined(notes, ", ");
}

/// A row per configuration: the columns that differ, the time and its interval.
doc::Table prediction_table(const FittedModel& model, const SetConfigurations& set,
                            const PredictedRows& predicted) {
  const Eigen::VectorXd& times = predicted.times.values;
  const ShownTime time(readable_unit(times.mean(), shown_unit(model.spec)));
  doc::Table table;
  table.rows.resize(set.table.rows());
  for (const auto* names : {&set.varied, &set.moved})
    for (const std::string& name : *names)
      table.add_column(
          doc::numbers(name),
          [&column = set.table.at(name)](std::size_t row) { return column.text(row); });
  table.add_column(doc::numbers(time.heading(model.spec.target), {}, doc::format_of(time)),
                   [&](std::size_t row) { return times[index(row)]; });
  if (const auto& intervals = predicted.certainty.intervals)
    table.add_column({short_number(100 * *predicted.certainty.level) + " % interval",
                      doc::Align::left, doc::format_of(time)},
                     [&](std::size_t row) { return (*intervals)[row].around(times[index(row)]); });
  if (const auto& reach = predicted.certainty.reach)
    table.add_column(
        doc::words("support"), [&](std::size_t row) { return support_text(reach->near[row]); });
  table.add_column(doc::words(""),
                   [&](std::size_t row) { return row_notes(model, predicted, row); });
  return table;
}

PredictionsDocument document_of(const FittedModel& model, const Table& configurations,
                                const PredictedRows& predicted) {
  PredictionsDocument out{model.spec.target, {}, predicted.range.findings};
  out.determined = few_rows_warning(model) == nullptr;
  if (model.bound)
    out.quantile = model.bound->quantile;
  const auto factors = correction_factors(model, predicted.design);
  for (std::size_t row = 0; row < predicted.design.rows; ++row) {
    const double time = predicted.times.values[index(row)];
    PredictionDocument& document = out.predictions.emplace_back();
    document.time = time;
    document.in_range = predicted.range.in_range[row];
    if (predicted.certainty.intervals)
      document.interval = (*predicted.certainty.intervals)[row].around(time);
    if (predicted.p_fails && std::isfinite((*predicted.p_fails)[index(row)]))
      document.p_fails = (*predicted.p_fails)[index(row)];
    if (factors && predicted.certainty.reach)
      document.gp = GpPart{(*factors)[index(row)], predicted.certainty.reach->near[row]};
    for (const Column& column : configurations.columns)
      document.configuration.emplace_back(column.name, column.is_numeric()
                                                           ? InputValue(column.numbers[row])
                                                           : InputValue(column.text(row)));
  }
  return out;
}

/// The table as CSV; its rows begin on line 2.
std::string csv_of_table(const Table& table) {
  doc::Table out;
  out.rows.resize(table.rows());
  for (const Column& column : table.columns)
    out.add_column(doc::words("", column.name), [&](std::size_t row) { return column.text(row); });
  return doc::csv(out);
}

/// The new columns of one target, of which some are only there for models that have them.
struct TargetColumns {
  std::string target;
  std::size_t task = 0;  ///< the first of it: targets stand in the order of tasks, not of lines
  bool with_intervals = false;
  bool with_support = false;
  bool with_p_fails = false;
  bool with_determined = false;
  std::size_t first = 0;  ///< its place among the new columns

  void add(const FittedModel& model) {
    with_intervals |= model.known.intervals.has_value();
    with_support |= has_gp(*model.form);
    with_p_fails |= model.failures != nullptr;
    with_determined |= few_rows_warning(model) != nullptr;
  }

  std::vector<std::string> names(const std::string& suffix) const {
    std::vector<std::string> out = {"predicted_" + target};
    if (with_intervals)
      out.insert(out.end(), {"lower" + suffix, "upper" + suffix});
    out.push_back("in_range" + suffix);
    if (with_support)
      out.push_back("support" + suffix);
    if (with_p_fails)
      out.push_back("p_fails" + suffix);
    if (with_determined)
      out.push_back("determined" + suffix);
    return out;
  }

  /// Empty cells where there is no valid time, or no such figure.
  std::vector<std::string> cells(const PredictedRows& rows, std::size_t row) const {
    const auto time_cell = [](double value) { return is_time(value) ? to_text(value) : ""; };
    const double time = rows.times.values[index(row)];
    std::vector<std::string> out = {time_cell(time)};
    if (with_intervals) {
      const auto& intervals = rows.certainty.intervals;
      const auto ends = intervals ? std::optional((*intervals)[row].around(time)) : std::nullopt;
      out.insert(out.end(), {ends ? time_cell(ends->low) : "", ends ? time_cell(ends->high) : ""});
    }
    out.emplace_back(doc::truth(rows.range.in_range[row]));
    const auto& reach = rows.certainty.reach;
    if (with_support)
      out.emplace_back(reach ? support_text(reach->near[row]) : "");
    if (with_p_fails)
      out.push_back(rows.p_fails && std::isfinite((*rows.p_fails)[index(row)])
                        ? to_text((*rows.p_fails)[index(row)])
                        : "");
    if (with_determined)
      out.emplace_back(doc::truth(rows.determined));
    return out;
  }
};

/// The targets of a set, in the order of its tasks.
std::vector<TargetColumns> targets_of(const SetLines& set) {
  std::vector<TargetColumns> out;
  set.for_each([&](const ModelSetLine& line) {
    if (!line.model)
      return;
    auto target = std::ranges::find(out, line.target, &TargetColumns::target);
    if (target == out.end())
      target = out.insert(target, {line.target, line.task});
    target->add(*line.model);
    target->task = std::min(target->task, line.task);
  });
  std::ranges::sort(out, {}, &TargetColumns::task);
  return out;
}

/// What the rows of a file have that are not predicted as measured ones are.
struct SetDoubts {
  std::vector<bool> known;  ///< rows of which there is a model
  std::size_t out_of_range = 0;
  std::size_t undetermined = 0;
  std::size_t without_time = 0;

  void report(const PredictArguments& arguments, Console& console) const {
    const auto tell = [&](std::size_t count, const std::string& what) {
      if (count > 0)
        warn_or_refuse(arguments.configurations + ": " + std::to_string(count) + what, "",
                       arguments.strict_range, console);
    };
    tell(static_cast<std::size_t>(std::ranges::count(known, false)),
         " of " + std::to_string(known.size()) + " rows are of groups without a model");
    tell(out_of_range, " predictions are outside of the range measured for their groups");
    tell(undetermined, " predictions are not determined: their groups have too few rows");
    tell(without_time, " predictions are not times > 0; their cells are left empty");
  }
};

/// Predicts the rows of a file, each with the model of its group. If a group has no model, its rows
/// get empty cells and a warning or, with --strict-range, an error.
int predict_by_set(const PredictArguments& arguments, const SetLines& set, OutputFile& output,
                   Console& console) {
  const RunsFile file = read_noted({arguments.configurations}, text_columns_of(set),
                                   {arguments.input}, reading_of(set), console);
  std::vector<TargetColumns> targets = targets_of(set);
  std::vector<std::string> names;
  for (TargetColumns& target : targets) {
    target.first = names.size();
    for (std::string& name : target.names(targets.size() > 1 ? "_" + target.target : ""))
      names.push_back(std::move(name));
  }
  refuse_taken_names(file.table, names);
  std::vector<std::vector<std::string>> cells(file.table.rows(),
                                              std::vector<std::string>(names.size()));
  SetDoubts doubts{std::vector<bool>(file.table.rows(), false)};
  for_each_with_rows(set, file.table, [&](const LineRows& part) {
    const FittedModel& model = *part.line.model;
    const PredictedRows predicted = predicted_rows(model, part.table, arguments);
    const auto target = std::ranges::find(targets, part.line.target, &TargetColumns::target);
    for (std::size_t i = 0; i < part.rows.size(); ++i) {
      doubts.known[part.rows[i]] = true;
      doubts.out_of_range += predicted.range.in_range[i] ? 0U : 1U;
      doubts.undetermined += few_rows_warning(model) ? 1U : 0U;
      std::ranges::copy(target->cells(predicted, i),
                        cells[part.rows[i]].begin() + index(target->first));
    }
    doubts.without_time += predicted.times.without_time.size();
  });
  doubts.report(arguments, console);
  return append_columns(
      file.bytes, file.table, names, [&](std::size_t row) { return cells[row]; }, output);
}

/// Without --format, one configuration is a number; several are a table on a terminal, else CSV.
std::optional<OutputFormat> format_of(const PredictArguments& arguments, std::size_t rows) {
  if (arguments.format || rows == 1)
    return arguments.format;
  return output_width(arguments.output) ? OutputFormat::text : OutputFormat::csv;
}

/// The table of add_rows() without rows.
doc::Table table_of_set(const PredictArguments& arguments, const ModelSetHeader& header) {
  doc::Table table;
  table.keys = header.by.size() + 1;
  for (const std::string& name : header.by)
    table.columns.push_back(doc::words(name, name));
  table.columns.push_back(doc::words("target", "target"));
  for (const std::string& setting : arguments.settings) {
    const std::string column = setting.substr(0, setting.find('='));
    table.columns.push_back(doc::numbers(column, column));
  }
  table.columns.push_back(doc::numbers("predicted", "predicted"));
  table.columns.push_back(doc::words("interval"));
  for (const char* name : {"lower", "upper", "in_range"})
    table.columns.push_back(doc::for_programs(name));
  table.columns.push_back(doc::words(""));
  return table;
}

/// A row per configuration of a model. `unlike`: in what it differs from the common run.
void add_rows(const PredictArguments& arguments, const ModelSetLine& line, const FittedModel& model,
              const Table& asked, const PredictedRows& predicted, const std::string& unlike,
              doc::Table& table) {
  for (std::size_t row = 0; row < asked.rows(); ++row) {
    std::vector<doc::Cell> cells(line.key.begin(), line.key.end());
    cells.emplace_back(line.target);
    for (const std::string& setting : arguments.settings) {
      const Column* const column = asked.find(setting.substr(0, setting.find('=')));
      cells.emplace_back(column != nullptr ? column->text(row) : "");
    }
    const double time = predicted.times.values[index(row)];
    const bool has_time = is_time(time);
    cells.push_back(has_time ? doc::shown_as(time, time_text(time, shown_unit(model.spec)))
                             : doc::Cell(std::nan("")));
    std::optional<Interval> interval;
    if (has_time && predicted.certainty.intervals)
      interval = (*predicted.certainty.intervals)[row].around(time);
    cells.emplace_back(
        interval ? time_range_text(interval->low, interval->high, shown_unit(model.spec)) : "");
    for (const auto end : {&Interval::low, &Interval::high})
      cells.emplace_back(interval ? std::optional((*interval).*end) : std::nullopt);
    cells.emplace_back(doc::truth(predicted.range.in_range[row]));
    cells.emplace_back(row_notes(model, predicted, row, unlike));
    table.add(std::move(cells));
  }
}

/// `--set` for many models, of which those that know the configurations are asked: a row per model
/// and configuration or, as JSON, an array of the documents of the models, each with its group.
int predict_settings_by_set(const PredictArguments& arguments, const SetLines& set,
                            OutputFile& output, Console& console) {
  if (!arguments.like.empty())
    throw UsageError("--like goes with one model; choose it: --pick");
  const ModelSetHeader& header = set.header();
  const CommonRun common(set, arguments.settings);
  const OutputFormat format = *format_of(arguments, 2);
  doc::Table table = table_of_set(arguments, header);
  std::vector<std::string> documents;
  std::vector<std::string> findings;
  SetPlaces places(arguments.settings, header.by);
  set.for_each([&](const ModelSetLine& line) {
    if (!line.model)
      return;
    const FittedModel model = common.moved(*line.model);
    const auto asked = places.of(model);
    if (!asked)
      return;
    const PredictedRows predicted = predicted_rows(model, asked->table, arguments);
    for (const std::string& finding : predicted.range.findings)
      findings.push_back(words_of(line, header) + ": " + finding);
    if (format != OutputFormat::json)
      return add_rows(arguments, line, model, asked->table, predicted, common.unlike(model), table);
    PredictionsDocument document = document_of(model, asked->table, predicted);
    for (std::size_t k = 0; k < line.key.size(); ++k)
      document.by.emplace_back(header.by[k], InputValue(line.key[k]));
    documents.push_back(to_json(document));
  });
  places.check();
  if (arguments.strict_range && !findings.empty())
    throw InputError("--strict-range: " + joined(findings, "; "));
  if (!findings.empty())
    console.warning(enumerated(findings, 3) + ": the predictions there are extrapolated");
  if (common.holds_inputs())
    console.notice("other inputs are held at " + common.words());
  doc::Document out{.json = [&] { return "[\n" + joined(documents, ",\n") + "]\n"; }};
  out.add(std::move(table), 2);
  return finish(output, out.in(format, output_width(arguments.output)));
}

/// The run at "runs.csv:41".
BaseConfiguration base_like(const std::string& like, const FittedModel& model,
                            const InputOptions& input) {
  const auto colon = like.rfind(':');
  const auto line =
      colon == std::string::npos ? std::nullopt : parse_number(like.substr(colon + 1));
  if (!line || colon == 0 || *line < 1 || *line > 4e9 || *line != std::floor(*line))
    throw UsageError("--like '" + like + "': expected RUNS.csv:LINE, such as runs.csv:41");
  const RunsFile file = read_further_runs({like.substr(0, colon)}, categorical_columns(model.spec),
                                          {input}, model.provenance.reading);
  return base_of_line(file.table, static_cast<std::uint32_t>(*line), model.spec);
}

/// "num_gpus=512 batch=8", or "--set" for a single configuration.
std::string place_of(const SetConfigurations& set, std::size_t row) {
  std::string place;
  for (const std::string& name : set.varied)
    place += (place.empty() ? "" : " ") + name + "=" + set.table.at(name).text(row);
  return place.empty() ? "--set" : place;
}

/// Notices about inputs taken from the base or moved along with a scale.
void tell_assumptions(const SetConfigurations& set, const BaseConfiguration& base, bool asked_for,
                      Console& console) {
  if (!set.assumed.empty() && !asked_for)
    console.notice("held at " + base.name + ", unless --set: " + joined(set.assumed, " "));
  for (const std::string& name : set.moved) {
    const Column& column = set.table.at(name);
    const std::string last = column.text(column.numbers.size() - 1);
    console.notice("'" + name + "' moves along: " + column.text(0) +
                   (last == column.text(0) ? "" : " .. " + last));
  }
}

/// Writes the file with the columns of the predictions appended.
int write_rows(const PredictArguments& arguments, const FittedModel& model, std::string_view bytes,
               const Table& table, OutputFile& output, Console& console) {
  TargetColumns target{model.spec.target};
  target.add(model);
  const std::vector<std::string> names = target.names("");
  refuse_taken_names(table, names);
  const PredictedRows predicted = predicted_rows(model, table, arguments);
  report_range(predicted.range, arguments.strict_range, console);
  report_constants(model, predicted.design, predicted.times.values, table.lines, console);
  report_without_time(predicted.times, table, "their cells stay empty", arguments.strict_range,
                      console);
  return append_columns(
      bytes, table, names, [&](std::size_t row) { return target.cells(predicted, row); }, output);
}

/// Returns only the number; the interval is a notice.
std::string shown_alone(const FittedModel& model, const PredictedRows& predicted,
                        Console& console) {
  const double time = predicted.times.values[0];
  if (model.bound)
    console.notice(bound_notice(*model.bound));
  else if (predicted.certainty.intervals) {
    const Interval interval = (*predicted.certainty.intervals)[0].around(time);
    console.notice(short_number(100 * *predicted.certainty.level) + " % interval: " +
                   time_range_text(interval.low, interval.high, shown_unit(model.spec)));
  }
  if (const std::string note = failing_note(predicted.p_fails, 0); !note.empty())
    console.warning("a run of this configuration " + note);
  return to_text(time) + "\n";
}

int predict_settings(const PredictArguments& arguments, const FittedModel& model,
                     OutputFile& output, Console& console) {
  const bool asked_for = !arguments.like.empty();
  const std::optional<BaseConfiguration> base =
      asked_for ? base_like(arguments.like, model, arguments.input) : central_base(model);
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
    return write_rows(arguments, model, bytes, set.table, output, console);
  }
  predicted_times(model, design, [&](std::size_t row) { return place_of(set, row); });
  const PredictedRows predicted = predicted_rows(model, set.table, arguments);
  report_range(predicted.range, arguments.strict_range, console);
  report_constants(model, design, predicted.times.values, set.table.lines, console);
  if (!format)
    return finish(output, shown_alone(model, predicted, console));
  doc::Document out{.json = [&] {
    const PredictionsDocument document = document_of(model, set.table, predicted);
    return document.predictions.size() == 1 ? to_json(SinglePrediction{document})
                                            : to_json(document);
  }};
  out.add(prediction_table(model, set, predicted), 2);
  return finish(output, out.in(*format, output_width(arguments.output)));
}

int predict_file(const PredictArguments& arguments, const FittedModel& model, OutputFile& output,
                 Console& console) {
  const RunsFile file = read_noted({arguments.configurations}, categorical_columns(model.spec),
                                   {arguments.input}, model.provenance.reading, console);
  if (const auto notice = notice_of_plain_numbers(file.table, model.spec))
    console.notice(*notice);
  return write_rows(arguments, model, file.bytes, file.table, output, console);
}

void setup_predict(OptionSet& command, PredictArguments& arguments) {
  const Condition file = {"a file CONFIGS.csv", [&] { return !arguments.configurations.empty(); }};
  add_input(command, "MODEL.json", arguments.model, "a model that fit wrote").required();
  command
      .add("CONFIGS.csv", arguments.configurations,
           "configurations, one per line; \"-\" is stdin")
      .file(FileUse::replaced);  // the output contains all columns of the input
  add_pick(command, arguments.pick);
  add_input_options(command, arguments.input);
  command.group("Options");
  const std::string as_file = "pass either values or a file";
  command
      .add("--set COL=VALUE", arguments.settings,
           "values of inputs; other inputs are those of the model's central run. A list "
           "(1,2,4) or range (1:64:x2, 1:9:+2) gives several configurations (repeatable)")
      .excludes(file, as_file);
  command
      .add("--like RUNS.csv:LINE", arguments.like,
           "take all inputs that are not set from the run in this line")
      .excludes(file, as_file);
  add_format(command, arguments.format,
             "output format, with --set or --like (default: the bare number for one configuration; "
             "for several, text on a terminal, else csv)");
  command.flag("--json", arguments.format, "short for --format json", OutputFormat::json)
      .excludes(file, "its predictions are written as CSV");
  command.rule({"--format !csv", file, true, "its predictions are written as CSV"});
  add_coverage(command, arguments.coverage,
               "share of new times that the intervals cover, if the model was fitted with "
               "--coverage (default: as in its fit)");
  add_strict_range(command, arguments.strict_range);
  add_output(command, arguments.output, "FILE");
  command.common({"--set", "--like"});
  command.footer(
      R"(One configuration prints its predicted time as a plain number; several print a table, which is CSV
unless standard output is a terminal. A file is written back unchanged, with these columns added:
predicted_<target>; lower and upper, unless the model was fitted with --coverage none; in_range,
which is false if a number is outside the measured range or a combination of values is in an
unmeasured region; for a model with a residual correction, support: process if measured runs are
near, trend if the prediction is mostly that of the formula; if enough runs of the fit failed,
p_fails, the probability that a run fails; and determined, which is false, if the fit had no more
runs than constants. If a prediction is not a time > 0, its cells are left empty; with
--strict-range the file is refused.

Examples:
  perfmodel predict model.json --set filters=32 workers=2 batch_size=64 activation=relu
  perfmodel predict model.json --like runs.csv:41 --set workers=1:64:x2
  perfmodel predict model.json configs.csv -o predicted.csv
  perfmodel predict model.json configs.csv --coverage 0.5 --strict-range)");
}

int run_predict(const PredictArguments& arguments, Console& console) {
  if (arguments.configurations.empty() && arguments.settings.empty() && arguments.like.empty())
    throw UsageError(
        "no configuration to predict; pass --set COL=VALUE ..., --like RUNS.csv:LINE or a file "
        "CONFIGS.csv");
  OutputFile output(arguments.output);
  const SetLines set = picked_models(arguments.model, arguments.pick);
  if (has_keys(set) && !arguments.configurations.empty())
    return predict_by_set(arguments, set, output, console);
  if (has_keys(set) && set.size() != 1)
    return predict_settings_by_set(arguments, set, output, console);
  const FittedModel model = CommonRun(set).moved(model_of(set));
  return arguments.configurations.empty() ? predict_settings(arguments, model, output, console)
                                          : predict_file(arguments, model, output, console);
}

}  // namespace

Command predict_command() {
  return make_command<PredictArguments>("predict", "Predicts the times of configurations.",
                                        setup_predict, run_predict);
}

}  // namespace perfmodel::cli
