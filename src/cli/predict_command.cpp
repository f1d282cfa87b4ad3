#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/constants.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/options.hpp"
#include "cli/runs.hpp"
#include "forms/failure_model.hpp"
#include "forms/form.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/predict.hpp"
#include "report/document.hpp"
#include "report/documents.hpp"
#include "table/design.hpp"

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

}  // namespace

struct PredictedSettings {
  const FittedModel& model;
  const SetConfigurations& set;
  const Eigen::VectorXd& times;
  const Certainty& certainty;
  const RangeCheck& range;
  const std::optional<Eigen::VectorXd>& p_fails;
};

namespace {

/// Above this probability, a failing run is worth a word beside its time.
constexpr double kWorthTelling = 0.1;

/// Nullopt if the model does not say how likely runs fail.
std::optional<Eigen::VectorXd> p_fails_of(const FittedModel& model, const Table& table) {
  return model.failures ? std::optional(model.failures->probabilities(table)) : std::nullopt;
}

/// "fails with P = 0.62", or nothing.
std::string failing_note(const std::optional<Eigen::VectorXd>& p_fails, std::size_t row) {
  return p_fails && (*p_fails)[index(row)] > kWorthTelling
             ? "fails with P = " + short_number((*p_fails)[index(row)])
             : "";
}

/// What is told beside a predicted time.
std::string row_notes(const FittedModel& model, bool in_range,
                      const std::optional<Eigen::VectorXd>& p_fails, std::size_t row,
                      const std::string& unlike = {}) {
  std::vector<std::string> notes = {unlike, few_rows_warning(model) ? "not determined" : "",
                                    in_range ? "" : "extrapolated", failing_note(p_fails, row)};
  std::erase(notes, "");
  return joined(notes, ", ");
}

/// A row per configuration: the columns that differ, the time and its interval.
doc::Table prediction_table(const PredictedSettings& predicted) {
  const ModelSpec& spec = predicted.model.spec;
  const ShownTime time(readable_unit(predicted.times.mean(), spec.unit));
  std::vector<const Column*> columns;
  doc::Table table;
  for (const auto* names : {&predicted.set.varied, &predicted.set.moved}) {
    for (const std::string& name : *names) {
      columns.push_back(&predicted.set.table.at(name));
      table.columns.push_back(doc::numbers(name));
    }
  }
  table.columns.push_back(doc::numbers(time.heading(spec.target), {}, doc::format_of(time)));
  const auto& intervals = predicted.certainty.intervals;
  if (intervals)
    table.columns.push_back({short_number(100 * *predicted.certainty.level) + " % interval",
                             doc::Align::left, doc::format_of(time)});
  const auto& reach = predicted.certainty.reach;
  if (reach)
    table.columns.push_back(doc::words("support"));
  table.columns.push_back(doc::words(""));
  for (std::size_t row = 0; row < predicted.set.table.rows(); ++row) {
    const double predicted_time = predicted.times[index(row)];
    std::vector<doc::Cell> cells;
    for (const Column* column : columns)
      cells.emplace_back(column->text(row));
    cells.emplace_back(predicted_time);
    if (intervals)
      cells.emplace_back((*intervals)[row].around(predicted_time));
    if (reach)
      cells.emplace_back(support_text(reach->near[row]));
    cells.emplace_back(
        row_notes(predicted.model, predicted.range.in_range[row], predicted.p_fails, row));
    table.add(std::move(cells));
  }
  return table;
}

/// One prediction as an object, several as an array.
std::string predictions_json(const PredictedSettings& predicted, const Design& design) {
  PredictionsDocument out{predicted.model.spec.target, {}, predicted.range.findings};
  out.determined = few_rows_warning(predicted.model) == nullptr;
  if (predicted.model.bound)
    out.quantile = predicted.model.bound->quantile;
  const auto factors = predicted.model.form->process_factors(design);
  for (std::size_t row = 0; row < design.rows; ++row) {
    const double time = predicted.times[index(row)];
    PredictionDocument& document = out.predictions.emplace_back();
    document.time = time;
    document.in_range = predicted.range.in_range[row];
    if (predicted.certainty.intervals)
      document.interval = (*predicted.certainty.intervals)[row].around(time);
    if (predicted.p_fails && std::isfinite((*predicted.p_fails)[index(row)]))
      document.p_fails = (*predicted.p_fails)[index(row)];
    if (factors)
      document.process = ProcessPart{(*factors)[index(row)], predicted.certainty.reach->near[row]};
    for (const Column& column : predicted.set.table.columns)
      document.configuration.emplace_back(column.name, column.is_numeric()
                                                           ? InputValue(column.numbers[row])
                                                           : InputValue(column.text(row)));
  }
  return out.predictions.size() == 1 ? to_json(SinglePrediction{out}) : to_json(out);
}

/// The table as CSV; its rows begin on line 2.
std::string csv_of_table(const Table& table) {
  doc::Table out;
  for (const Column& column : table.columns)
    out.columns.push_back(doc::words("", column.name));
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::vector<doc::Cell> cells;
    for (const Column& column : table.columns)
      cells.emplace_back(column.text(row));
    out.add(std::move(cells));
  }
  return doc::csv(out);
}

/// The predictions of the rows of a table, and how far they can be trusted.
struct PredictedRows {
  Design design;
  Predictions times;
  RangeCheck range;
  Certainty certainty;
};

PredictedRows predicted_rows(const FittedModel& model, const Table& table,
                             const PredictArguments& arguments) {
  Design design = make_design(table, model.spec, Target::absent);
  Predictions times = predictions_of(model, design);
  RangeCheck range = check_range(model, design);
  Certainty certainty = certainty_of(model, arguments.coverage, arguments.model, design);
  return {std::move(design), std::move(times), std::move(range), std::move(certainty)};
}

/// Cells of a row: predicted time, both ends of the interval and whether it is in range; the time
/// and the interval are empty if there is no valid time.
std::vector<std::string> cells_of(const PredictedRows& rows, std::size_t row, bool with_interval) {
  const auto cell = [](double value) { return is_time(value) ? to_text(value) : ""; };
  const double time = rows.times.values[index(row)];
  std::vector<std::string> out = {cell(time)};
  if (with_interval) {
    const auto& intervals = rows.certainty.intervals;
    const auto ends = intervals ? std::optional((*intervals)[row].around(time)) : std::nullopt;
    out.insert(out.end(), {ends ? cell(ends->low) : "", ends ? cell(ends->high) : ""});
  }
  out.emplace_back(doc::truth(rows.range.in_range[row]));
  return out;
}

/// The new columns of one target.
struct TargetColumns {
  std::string target;
  std::size_t task = 0;  ///< the first of it: targets stand in the order of tasks, not of lines
  bool with_intervals = false;
  std::size_t first = 0;  ///< its place among the new columns
};

class SetPrediction {
 public:
  SetPrediction(const SetLines& set, std::size_t rows) {
    set.for_each([&](const ModelSetLine& line) {
      if (!line.model)
        return;
      TargetColumns& target = target_of(line.target, line.task);
      target.with_intervals |= line.model->intervals.has_value();
      target.task = std::min(target.task, line.task);
    });
    std::sort(targets_.begin(), targets_.end(),
              [](const auto& a, const auto& b) { return a.task < b.task; });
    for (TargetColumns& target : targets_) {
      const std::string suffix = targets_.size() > 1 ? "_" + target.target : "";
      target.first = names_.size();
      names_.push_back("predicted_" + target.target);
      if (target.with_intervals)
        names_.insert(names_.end(), {"lower" + suffix, "upper" + suffix});
      names_.push_back("in_range" + suffix);
    }
    cells_.assign(rows, std::vector<std::string>(names_.size()));
    known_.assign(rows, false);
  }

  void add(const LineRows& part, const PredictArguments& arguments) {
    const FittedModel& model = *part.line.model;
    const TargetColumns& columns = target_of(part.line.target, part.line.task);
    const PredictedRows predicted = predicted_rows(model, part.table, arguments);
    for (std::size_t i = 0; i < part.rows.size(); ++i) {
      known_[part.rows[i]] = true;
      out_of_range_ += predicted.range.in_range[i] ? 0U : 1U;
      undetermined_ += few_rows_warning(model) ? 1U : 0U;
      std::ranges::copy(cells_of(predicted, i, columns.with_intervals),
                        cells_[part.rows[i]].begin() + index(columns.first));
    }
    without_time_ += predicted.times.without_time.size();
  }

  void report(const PredictArguments& arguments, Console& console) const {
    const auto tell = [&](std::size_t count, const std::string& what) {
      if (count > 0)
        warn_or_refuse(arguments.configurations + ": " + std::to_string(count) + what, "",
                       arguments.strict_range, console);
    };
    tell(static_cast<std::size_t>(std::count(known_.begin(), known_.end(), false)),
         " of " + std::to_string(known_.size()) + " rows are of groups without a model");
    tell(out_of_range_, " predictions are outside of the range measured for their groups");
    tell(undetermined_, " predictions are not determined: their groups have too few rows");
    tell(without_time_, " predictions are not times > 0; their cells are left empty");
  }

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<std::string>& cells(std::size_t row) const { return cells_[row]; }

 private:
  std::vector<TargetColumns> targets_;
  std::vector<std::string> names_;
  std::vector<std::vector<std::string>> cells_;  ///< [row][new column]
  std::vector<bool> known_;                      ///< rows of which there is a model
  std::size_t out_of_range_ = 0;
  std::size_t undetermined_ = 0;
  std::size_t without_time_ = 0;

  TargetColumns& target_of(const std::string& target, std::size_t task) {
    const auto found = std::find_if(targets_.begin(), targets_.end(),
                                    [&](const auto& each) { return each.target == target; });
    return found != targets_.end() ? *found
                                   : targets_.emplace_back(TargetColumns{target, task, false, 0});
  }
};

/// Predicts the rows of a file, each with the model of its group. If a group has no model, its rows
/// get empty cells and a warning or, with --strict-range, an error.
int predict_by_set(const PredictArguments& arguments, const SetLines& set, OutputFile& output,
                   Console& console) {
  const RunsFile file =
      read_noted(arguments.configurations, text_columns_of(set), arguments.input, console);
  SetPrediction prediction(set, file.table.rows());
  refuse_taken_names(file.table, prediction.names());
  for_each_with_rows(set, file.table,
                     [&](const LineRows& part) { prediction.add(part, arguments); });
  prediction.report(arguments, console);
  return append_columns(
      file.bytes, file.table, prediction.names(),
      [&](std::size_t row) { return prediction.cells(row); }, output);
}

/// Without --format, one configuration is a number; several are a table on a terminal, else CSV.
std::optional<OutputFormat> format_of(const PredictArguments& arguments, std::size_t rows) {
  if (arguments.format || rows == 1)
    return arguments.format;
  return arguments.output == "-" && is_terminal_output() ? OutputFormat::text : OutputFormat::csv;
}

/// A row per model and configuration.
doc::Table table_of_sets(const PredictArguments& arguments, const SetLines& set,
                         const CommonRun& common, std::vector<std::string>& findings) {
  const ModelSetHeader& header = set.header();
  std::vector<std::string> columns;
  doc::Table table;
  table.keys = header.by.size() + 1;
  for (const std::string& name : header.by)
    table.columns.push_back(doc::words(name, name));
  table.columns.push_back(doc::words("target", "target"));
  for (const std::string& setting : arguments.settings) {
    columns.push_back(setting.substr(0, setting.find('=')));
    table.columns.push_back(doc::numbers(columns.back(), columns.back()));
  }
  table.columns.push_back(doc::numbers("predicted", "predicted"));
  table.columns.push_back(doc::words("interval"));
  for (const char* name : {"lower", "upper"})
    table.columns.push_back(doc::for_programs(name));
  table.columns.push_back(doc::for_programs("in_range"));
  table.columns.push_back(doc::words(""));
  SetPlaces places(arguments.settings, set.header().by);
  set.for_each([&](const ModelSetLine& line) {
    if (!line.model)
      return;
    const FittedModel model = common.moved(*line.model);
    const auto asked = places.of(model);
    if (!asked)
      return;
    const auto [design, times, range, certainty] = predicted_rows(model, asked->table, arguments);
    const std::optional<Eigen::VectorXd> p_fails = p_fails_of(model, asked->table);
    for (const std::string& finding : range.findings)
      findings.push_back(words_of(line, header) + ": " + finding);
    for (std::size_t row = 0; row < design.rows; ++row) {
      std::vector<doc::Cell> cells(line.key.begin(), line.key.end());
      cells.emplace_back(line.target);
      for (const std::string& name : columns) {
        const Column* const column = asked->table.find(name);
        cells.emplace_back(column != nullptr ? column->text(row) : "");
      }
      const double time = times.values[index(row)];
      const bool has_time = is_time(time);
      cells.push_back(has_time ? doc::shown_as(time, time_text(time, model.spec.unit))
                               : doc::Cell(std::nan("")));
      std::optional<Interval> interval;
      if (has_time && certainty.intervals)
        interval = (*certainty.intervals)[row].around(time);
      cells.emplace_back(interval ? time_range_text(interval->low, interval->high, model.spec.unit)
                                  : "");
      for (const auto end : {&Interval::low, &Interval::high})
        cells.emplace_back(interval ? std::optional((*interval).*end) : std::nullopt);
      cells.emplace_back(doc::truth(range.in_range[row]));
      cells.emplace_back(row_notes(model, range.in_range[row], p_fails, row, common.unlike(model)));
      table.add(std::move(cells));
    }
  });
  places.check();
  return table;
}

/// `--set` for many models: all with such inputs.
int predict_settings_by_set(const PredictArguments& arguments, const SetLines& set,
                            OutputFile& output, Console& console) {
  if (!arguments.like.empty() || arguments.format == OutputFormat::json)
    throw UsageError("--like and --format json go with one model; choose it: --pick");
  std::vector<std::string> findings;
  const CommonRun common(set, arguments.settings);
  const doc::Document out{.blocks = {table_of_sets(arguments, set, common, findings)}};
  if (arguments.strict_range && !findings.empty())
    throw InputError("--strict-range: " + joined(findings, "; "));
  if (!findings.empty())
    console.warning(enumerated(findings, 3) + ": the predictions there are extrapolated");
  console.notice("other inputs are held at " + common.words());
  return finish(output, out.in(*format_of(arguments, 2), output_width(arguments.output)));
}

void check_combination(const PredictArguments& arguments) {
  if (arguments.configurations.empty() && arguments.settings.empty() && arguments.like.empty())
    throw UsageError(
        "no configuration to predict; pass --set COL=VALUE ..., --like RUNS.csv:LINE or a file "
        "CONFIGS.csv");
}

/// The run at "runs.csv:41".
BaseConfiguration base_like(const std::string& like, const ModelSpec& spec,
                            const InputOptions& input) {
  const auto colon = like.rfind(':');
  const auto line =
      colon == std::string::npos ? std::nullopt : parse_number(like.substr(colon + 1));
  if (!line || colon == 0 || *line < 1 || *line > 4e9 || *line != std::floor(*line))
    throw UsageError("--like '" + like + "': expected RUNS.csv:LINE, such as runs.csv:41");
  const RunsFile file = read_runs(like.substr(0, colon), categorical_columns(spec), input);
  return base_of_line(file.table, static_cast<std::uint32_t>(*line), spec);
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
  const PredictedRows predicted = predicted_rows(model, table, arguments);
  const bool has_intervals = predicted.certainty.intervals.has_value();
  const auto& reach = predicted.certainty.reach;
  std::vector<std::string> names = {"predicted_" + model.spec.target, "in_range"};
  if (has_intervals)
    names.insert(names.begin() + 1, {"lower", "upper"});
  if (reach)
    names.emplace_back("support");
  const std::optional<Eigen::VectorXd> p_fails = p_fails_of(model, table);
  if (p_fails)
    names.emplace_back("p_fails");
  refuse_taken_names(table, names);
  report_range(predicted.range, arguments.strict_range, console);
  report_constants(model, predicted.design, predicted.times.values, table.lines, console);
  report_without_time(predicted.times, table, "their cells stay empty", arguments.strict_range,
                      console);
  return append_columns(
      bytes, table, names,
      [&](std::size_t row) {
        auto further = cells_of(predicted, row, has_intervals);
        if (reach)
          further.emplace_back(support_text(reach->near[row]));
        if (p_fails)
          further.push_back(std::isfinite((*p_fails)[index(row)]) ? to_text((*p_fails)[index(row)])
                                                                  : "");
        return further;
      },
      output);
}

/// Returns only the number; the interval is a notice.
std::string shown_alone(const PredictedSettings& predicted, Console& console) {
  const double time = predicted.times[0];
  if (predicted.model.bound)
    console.notice(bound_notice(*predicted.model.bound));
  else if (predicted.certainty.intervals) {
    const Interval interval = (*predicted.certainty.intervals)[0].around(time);
    console.notice(short_number(100 * *predicted.certainty.level) + " % interval: " +
                   time_range_text(interval.low, interval.high, predicted.model.spec.unit));
  }
  if (const std::string note = failing_note(predicted.p_fails, 0); !note.empty())
    console.warning("a run of this configuration " + note);
  return to_text(time) + "\n";
}

int predict_settings(const PredictArguments& arguments, const FittedModel& model,
                     OutputFile& output, Console& console) {
  const bool asked_for = !arguments.like.empty();
  const std::optional<BaseConfiguration> base =
      asked_for ? base_like(arguments.like, model.spec, arguments.input) : central_base(model);
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
  const Eigen::VectorXd times =
      predicted_times(model, design, [&](std::size_t row) { return place_of(set, row); });
  const RangeCheck range = check_range(model, design);
  report_range(range, arguments.strict_range, console);
  report_constants(model, design, times, set.table.lines, console);
  const Certainty certainty = certainty_of(model, arguments.coverage, arguments.model, design);
  const std::optional<Eigen::VectorXd> p_fails = p_fails_of(model, set.table);
  const PredictedSettings predicted{model, set, times, certainty, range, p_fails};
  if (!format)
    return finish(output, shown_alone(predicted, console));
  doc::Document out{.json = [&] { return predictions_json(predicted, design); }};
  out.add(prediction_table(predicted), 2);
  return finish(output, out.in(*format, output_width(arguments.output)));
}

int predict_file(const PredictArguments& arguments, const FittedModel& model, OutputFile& output,
                 Console& console) {
  const RunsFile file = read_noted(arguments.configurations, categorical_columns(model.spec),
                                   arguments.input, console);
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
near, trend if the prediction is mostly that of the formula; and, if enough runs of the fit failed,
p_fails, the probability that a run fails. If a prediction is not a time > 0,
its cells are left empty; with --strict-range the file is refused.

Examples:
  perfmodel predict model.json --set filters=32 workers=2 batch_size=64 activation=relu
  perfmodel predict model.json --like runs.csv:41 --set workers=1:64:x2
  perfmodel predict model.json configs.csv -o predicted.csv
  perfmodel predict model.json configs.csv --coverage 0.5 --strict-range)");
}

int run_predict(const PredictArguments& arguments, Console& console) {
  check_combination(arguments);
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
