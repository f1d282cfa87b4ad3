#include <algorithm>
#include <array>
#include <cmath>
#include <list>
#include <optional>
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

/// A formula that is off by more, in ln of the time, is shown beside the prediction.
constexpr double kWorthShowing = 0.03;

bool is_worth_showing(const PredictionDocument& row) {
  return row.formula && !(std::abs(std::log(row.time / *row.formula)) <= kWorthShowing);
}

/// Above this probability, a failing run is worth a word beside its time.
constexpr double kWorthTelling = 0.1;

/// The predictions of the rows of a table, and how far they can be trusted.
struct PredictedRows {
  Design design;
  Predictions times;
  RangeCheck range;
  std::optional<double> level;           ///< of the intervals
  std::vector<PredictionDocument> rows;  ///< without configurations
  bool determined = true;                ///< the model had more runs than constants
};

PredictedRows predicted_rows(const FittedModel& model, const Table& table,
                             const PredictArguments& arguments) {
  Design design = make_design(table, model.spec, Target::absent);
  // Certainty first: the deviations of a residual process come with its means.
  const Certainty certainty = certainty_of(model, arguments.coverage, arguments.model, design);
  Predictions times = predictions_of(model, design);
  RangeCheck range = check_range(model, design, table);
  std::optional<Eigen::VectorXd> formula;
  if (has_more_than_formula(model))
    formula = model.form->trend().predict(model.spec, model.constants, design);
  std::optional<Eigen::VectorXd> p_fails;
  if (model.failures)
    p_fails = model.failures->probabilities(table);
  std::vector<PredictionDocument> rows(design.rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    PredictionDocument& row = rows[i];
    row.time = times.values[index(i)];
    row.in_range = range.in_range[i];
    if (certainty.intervals)
      row.interval = (*certainty.intervals)[i].around(row.time);
    if (certainty.reach)
      row.near = certainty.reach->near[i];
    if (formula)
      row.formula = (*formula)[index(i)];
    if (p_fails && std::isfinite((*p_fails)[index(i)]))
      row.p_fails = (*p_fails)[index(i)];
  }
  return {std::move(design), std::move(times), std::move(range),
          certainty.level,   std::move(rows),  few_rows_warning(model) == nullptr};
}

/// "fails with P = 0.62", or nothing.
std::string failing_note(const PredictionDocument& row) {
  return row.p_fails.value_or(0) > kWorthTelling ? "fails with P = " + short_number(*row.p_fails)
                                                 : "";
}

/// What is told beside a predicted time.
std::string row_notes(const PredictedRows& predicted, std::size_t row,
                      const std::string& unlike = {}) {
  std::vector<std::string> notes = {unlike, predicted.determined ? "" : "not determined",
                                    predicted.rows[row].in_range ? "" : "extrapolated",
                                    failing_note(predicted.rows[row])};
  std::erase(notes, "");
  return joined(notes, ", ");
}

/// A row per configuration: the columns that differ, the time and its interval.
doc::Table prediction_table(const FittedModel& model, const SetConfigurations& set,
                            const PredictedRows& predicted) {
  const std::vector<PredictionDocument>& rows = predicted.rows;
  const ShownTime time(readable_unit(predicted.times.values.mean(), shown_unit(model.spec)));
  doc::Table table;
  table.rows.resize(set.table.rows());
  for (const auto* names : {&set.varied, &set.moved})
    for (const std::string& name : *names)
      table.add_column(
          doc::numbers(name),
          [&column = set.table.at(name)](std::size_t row) { return column.text(row); });
  table.add_column(doc::numbers(time.heading(model.spec.target), {}, doc::format_of(time)),
                   [&](std::size_t row) { return rows[row].time; });
  if (predicted.level)
    table.add_column({short_number(100 * *predicted.level) + " % interval", doc::Align::left,
                      doc::format_of(time)},
                     [&](std::size_t row) { return rows[row].interval; });
  if (std::ranges::any_of(rows, is_worth_showing))
    table.add_column(doc::numbers("formula", {}, doc::format_of(time)),
                     [&](std::size_t row) { return rows[row].formula; });
  if (rows.front().near)
    table.add_column(
        doc::words("support"), [&](std::size_t row) { return support_text(*rows[row].near); });
  table.add_column(doc::words(""), [&](std::size_t row) { return row_notes(predicted, row); });
  return table;
}

PredictionsDocument document_of(const FittedModel& model, const Table& configurations,
                                const PredictedRows& predicted) {
  PredictionsDocument out{model.spec.target, predicted.rows, predicted.range.findings};
  out.determined = predicted.determined;
  if (model.bound)
    out.quantile = model.bound->quantile;
  for (std::size_t row = 0; row < predicted.design.rows; ++row) {
    PredictionDocument& document = out.predictions[row];
    for (const Column& column : configurations.columns)
      document.configuration.emplace_back(column.name, column.is_numeric()
                                                           ? InputValue(column.numbers[row])
                                                           : InputValue(column.text(row)));
  }
  return out;
}

/// The table as CSV; its rows begin on line 2.
std::string csv_of_table(const Table& table) {
  std::string out = csv_line(table.names());
  for (std::size_t row = 0; row < table.rows(); ++row)
    out += csv_line(mapped(table.columns, [&](const Column& column) { return column.text(row); }));
  return out;
}

/// Empty if it is no time, as an end of an interval may be none.
std::string time_cell(double value) {
  return is_time(value) ? to_text(value) : "";
}

/// A column that predictions add to a file, if some model has it.
struct RowFigure {
  const char* name;
  bool (*has)(const FittedModel& model);
  std::string (*cell)(const PredictionDocument& row, bool determined);
};

using Row = PredictionDocument;

const std::array<RowFigure, 8> kRowFigures = {{
    {"predicted", [](const FittedModel&) { return true; },
     [](const Row& row, bool) { return time_cell(row.time); }},
    {"lower", [](const FittedModel& model) { return model.known.intervals.has_value(); },
     [](const Row& row, bool) { return row.interval ? time_cell(row.interval->low) : ""; }},
    {"upper", [](const FittedModel& model) { return model.known.intervals.has_value(); },
     [](const Row& row, bool) { return row.interval ? time_cell(row.interval->high) : ""; }},
    {"in_range", [](const FittedModel&) { return true; },
     [](const Row& row, bool) { return std::string(doc::truth(row.in_range)); }},
    {"support", [](const FittedModel& model) { return has_gp(*model.form); },
     [](const Row& row, bool) { return std::string(row.near ? support_text(*row.near) : ""); }},
    {"p_fails", [](const FittedModel& model) { return model.failures != nullptr; },
     [](const Row& row, bool) { return row.p_fails ? to_text(*row.p_fails) : ""; }},
    {"determined", [](const FittedModel& model) { return few_rows_warning(model) != nullptr; },
     [](const Row&, bool determined) { return std::string(doc::truth(determined)); }},
    {"formula", has_more_than_formula,
     [](const Row& row, bool) { return row.formula ? time_cell(*row.formula) : ""; }},
}};

/// The new columns of one target.
struct TargetColumns {
  std::string target;
  std::size_t task = 0;  ///< the first of it: targets stand in the order of tasks, not of lines
  std::vector<const RowFigure*> figures = {};
  /// Per row of the file: the predictions of its group, and its place there; null: there are none.
  std::vector<std::pair<const PredictedRows*, std::size_t>> of_row = {};
};

std::vector<TargetColumns> targets_of(const ModelSet& set, const Table& table) {
  std::vector<TargetColumns> out;
  set.for_each_model([&](const ModelSetLine& line, const FittedModel& model) {
    auto target = std::ranges::find(out, line.target, &TargetColumns::target);
    if (target == out.end())
      target = out.insert(target, {line.target, line.task});
    target->task = std::min(target->task, line.task);
    for (const RowFigure& figure : kRowFigures)
      if (figure.has(model) && !contains(target->figures, &figure))
        target->figures.push_back(&figure);
  });
  std::ranges::sort(out, {}, &TargetColumns::task);
  for (TargetColumns& target : out) {
    std::ranges::sort(target.figures);
    target.of_row.resize(table.rows());
  }
  return out;
}

/// Warns of rows that are not predicted as measured ones are: how many there are.
void report_doubts(const PredictArguments& arguments, const std::list<PredictedRows>& parts,
                   std::size_t rows, std::size_t without_model, Console& console) {
  const auto report = [&](std::size_t count, const std::string& what) {
    if (count > 0)
      warn_or_refuse(arguments.configurations + ": " + std::to_string(count) + what, "",
                     arguments.strict_range, console);
  };
  std::size_t out_of_range = 0;
  std::size_t undetermined = 0;
  std::size_t without_time = 0;
  for (const PredictedRows& part : parts) {
    out_of_range += to_size(std::ranges::count(part.range.in_range, false));
    undetermined += part.determined ? 0 : part.rows.size();
    without_time += part.times.without_time.size();
  }
  report(without_model, " of " + std::to_string(rows) + " rows are of groups without a model");
  report(out_of_range, " predictions are outside of the range measured for their groups");
  report(undetermined, " predictions are not determined: their groups have too few rows");
  report(without_time, " predictions are not times > 0; their cells are left empty");
}

/// The same for a single model, whose rows are named.
void report_doubts(const PredictArguments& arguments, const FittedModel& model, const Table& table,
                   const PredictedRows& predicted, Console& console) {
  report_range(predicted.range, arguments.strict_range, console);
  report_constants(model, predicted.design, table.lines, console);
  report_without_time(predicted.times, table, "their cells stay empty", arguments.strict_range,
                      console);
}

/// Writes the lines of a table with the columns of the predictions appended, each row predicted
/// with the model of its group. Rows of groups without a model get empty cells and a warning or,
/// with --strict-range, an error.
int write_rows(const PredictArguments& arguments, const ModelSet& set, std::string_view bytes,
               const Table& table, OutputFile& output, Console& console) {
  std::vector<TargetColumns> targets = targets_of(set, table);
  std::vector<std::string> names;
  for (const TargetColumns& target : targets)
    for (const RowFigure* figure : target.figures) {
      const bool names_target = targets.size() > 1 || figure == &kRowFigures.front();
      names.push_back(figure->name + (names_target ? "_" + target.target : ""));
    }
  refuse_taken_names(table, names);
  std::list<PredictedRows> parts;
  std::vector<bool> has_model(table.rows(), false);
  for_each_with_rows(set, table, [&](const ModelRows& part) {
    const PredictedRows& predicted =
        parts.emplace_back(predicted_rows(part.model, part.table, arguments));
    auto& of_row = std::ranges::find(targets, part.line.target, &TargetColumns::target)->of_row;
    for (std::size_t i = 0; i < part.rows.size(); ++i) {
      of_row[part.rows[i]] = {&predicted, i};
      has_model[part.rows[i]] = true;
    }
    if (!set.has_keys())
      report_doubts(arguments, part.model, table, predicted, console);
  });
  if (set.has_keys())
    report_doubts(arguments, parts, table.rows(), to_size(std::ranges::count(has_model, false)),
                  console);
  const auto cells = [&](std::size_t row) {
    std::vector<std::string> out;
    out.reserve(names.size());
    for (const TargetColumns& target : targets)
      for (const RowFigure* figure : target.figures) {
        const auto [predicted, i] = target.of_row[row];
        out.push_back(predicted ? figure->cell(predicted->rows[i], predicted->determined) : "");
      }
    return out;
  };
  return append_columns(bytes, table, names, cells, output);
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
    const double time = predicted.rows[row].time;
    const bool has_time = is_time(time);
    cells.push_back(has_time ? doc::shown_as(time, time_text(time, shown_unit(model.spec)))
                             : doc::Cell(std::nan("")));
    const std::optional<Interval> interval = has_time ? predicted.rows[row].interval : std::nullopt;
    cells.emplace_back(
        interval ? time_range_text(interval->low, interval->high, shown_unit(model.spec)) : "");
    for (const auto end : {&Interval::low, &Interval::high})
      cells.emplace_back(interval ? std::optional((*interval).*end) : std::nullopt);
    cells.emplace_back(doc::truth(predicted.rows[row].in_range));
    cells.emplace_back(row_notes(predicted, row, unlike));
    table.add(std::move(cells));
  }
}

/// `--set` for many models, of which those that know the configurations are asked: a row per model
/// and configuration or, as JSON, an array of the documents of the models, each with its group.
int predict_settings_by_set(const PredictArguments& arguments, const ModelSet& set,
                            OutputFile& output, Console& console) {
  if (!arguments.like.empty())
    throw UsageError("--like goes with one model; choose it: --pick");
  const ModelSetHeader& header = set.header();
  CommonRun common(set, arguments.settings);
  const OutputFormat format = *format_of(arguments, 2);
  doc::Table table = table_of_set(arguments, header);
  std::vector<std::string> documents;
  std::vector<std::string> findings;
  set.for_each_model([&](const ModelSetLine& line, const FittedModel& own) {
    const FittedModel model = common.moved(own);
    const auto asked = common.configurations(model);
    if (!asked)
      return;
    const PredictedRows predicted = predicted_rows(model, asked->table, arguments);
    for (const std::string& finding : predicted.range.findings)
      findings.push_back(words_of(line, header) + ": " + finding);
    if (format != OutputFormat::json)
      return add_rows(arguments, line, model, asked->table, predicted, common.unlike(model, {}),
                      table);
    PredictionsDocument document = document_of(model, asked->table, predicted);
    for (std::size_t k = 0; k < line.key.size(); ++k)
      document.by.emplace_back(header.by[k], InputValue(line.key[k]));
    documents.push_back(to_json(document));
  });
  common.check();
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

/// Returns only the number; the interval is a notice.
std::string shown_alone(const FittedModel& model, const PredictedRows& predicted,
                        Console& console) {
  const PredictionDocument& row = predicted.rows.front();
  if (model.bound)
    console.notice(bound_notice(*model.bound));
  else if (row.interval)
    console.notice(short_number(100 * *predicted.level) + " % interval: " +
                   time_range_text(row.interval->low, row.interval->high, shown_unit(model.spec)));
  if (is_worth_showing(row))
    console.notice(
        "the printed formula alone has " + time_text(*row.formula, shown_unit(model.spec)) + ": " +
        (is_averaged(model) ? averaging_in_words(model) : "a process of the runs corrects it"));
  if (const std::string note = failing_note(row); !note.empty())
    console.warning("a run of this configuration " + note);
  return to_text(row.time) + "\n";
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
    return write_rows(arguments, ModelSet(model), bytes, set.table, output, console);
  }
  predicted_times(model, design, [&](std::size_t row) { return place_of(set, row); });
  const PredictedRows predicted = predicted_rows(model, set.table, arguments);
  report_doubts(arguments, model, set.table, predicted, console);
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

int predict_file(const PredictArguments& arguments, const ModelSet& set, OutputFile& output,
                 Console& console) {
  const RunsFile file = read_noted({arguments.configurations}, text_columns_of(set),
                                   {arguments.input}, reading_of(set), console);
  if (!set.has_keys())
    if (const auto notice = notice_of_plain_numbers(file.table, model_of(set).spec))
      console.notice(*notice);
  return write_rows(arguments, set, file.bytes, file.table, output, console);
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
p_fails, the probability that a run fails; determined, which is false, if the fit had no more
runs than constants; and formula, the time of the printed formula, if predictions are not its
alone. If a prediction is not a time > 0, its cells are left empty; with --strict-range the file
is refused.

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
  const ModelSet set = picked_models(arguments.model, arguments.pick);
  if (!arguments.configurations.empty())
    return predict_file(arguments, set, output, console);
  if (set.has_keys() && set.size() != 1)
    return predict_settings_by_set(arguments, set, output, console);
  return predict_settings(arguments, model_at_common_run(set), output, console);
}

}  // namespace

Command predict_command() {
  return make_command<PredictArguments>("predict", "Predicts the times of configurations.",
                                        setup_predict, run_predict);
}

}  // namespace perfmodel::cli
