#include "cli/judged_runs.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/model_words.hpp"
#include "base/text.hpp"
#include "cli/app.hpp"
#include "cli/fit_options.hpp"
#include "columns/design.hpp"
#include "columns/replicates.hpp"
#include "forms/form.hpp"
#include "forms/scaling_belief.hpp"
#include "roles/column_facts.hpp"
#include "roles/unit_columns.hpp"
#include "table/table.hpp"
#include "trust/cross_validation.hpp"

namespace perfmodel::cli {

namespace {

constexpr std::size_t kMostLines = 5;  // that a message lists

/// "line 4", "lines 4 and 9", "lines 4, 9, 12, 15, 20 and 7 more"
std::string places(const std::vector<std::size_t>& rows, const std::vector<std::uint32_t>& lines) {
  const std::vector<std::string> items =
      mapped(rows, [&](std::size_t row) { return std::to_string(lines[row]); });
  return (items.size() == 1 ? "line " : "lines ") + enumerated(items, kMostLines);
}

/// The spec of the model, with the measured time of `arguments` as its target.
ModelSpec judging_spec(const FittedModel& model, const JudgedRunsArguments& arguments) {
  ModelSpec spec = model.spec;
  if (arguments.target) {
    spec.target = *arguments.target;
    spec.throughput.reset();
  }
  return spec;
}

/// Reads the runs again, with these columns as text.
Table read_again(const FittedModel& model, const JudgedRunsArguments& arguments,
                 const std::set<std::string>& text_columns) {
  RunsFile file =
      read_further_runs(arguments.runs, text_columns, arguments.reading, model.provenance.reading);
  leave_out_uncounted(file, judging_spec(model, arguments));
  return std::move(file.table);
}

/// "runs.csv: in 3 of 20 rows (lines 4, 9 and 12) the model predicts no time > 0 that a number
/// holds"; nullopt if every row has a valid time.
std::optional<std::string> without_time_text(const Predictions& predictions, const Table& table) {
  const auto& rows = predictions.without_time;
  if (rows.empty())
    return std::nullopt;
  return table.source + ": in " + std::to_string(rows.size()) + " of " +
         std::to_string(table.rows()) + " rows (" + places(rows, table.lines) +
         ") the model predicts no time > 0 that a number holds";
}

/// The lines of a CSV file without line ends, for output that repeats its input byte for byte. The
/// file was parsed before, so it is well-formed.
std::vector<std::string_view> lines_of(std::string_view bytes) {
  bytes.remove_prefix(bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0);
  std::vector<std::string_view> out;
  while (!bytes.empty()) {
    const std::string_view line = take_line(bytes);
    out.push_back(line.substr(0, line.size() - (line.ends_with('\r') ? 1 : 0)));
  }
  return out;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

/// Warns of a column whose name implies another unit than the model's, or that has none although
/// the cells of the fit had one.
void warn_of_units(const FittedModel& model, const std::string& target, const Table& table,
                   Console& console) {
  const std::string unit = unit_of(target);
  const Column* const column = table.find(target);
  const bool had_cells_with_units =
      unit_of(model.spec.target).empty() && (model.spec.unit == "s" || model.spec.unit == "B");
  if (unit.empty() && had_cells_with_units && column != nullptr && column->unit.empty() &&
      unit_beside(*column).empty())
    console.warning("'" + target + "' has no units in " + table.source +
                    ": its numbers are taken as " + model.spec.unit);
  if (!unit.empty() && !model.spec.unit.empty() && unit != model.spec.unit)
    console.warning("'" + target + "' is in " + unit + ", by its name, and the model in " +
                    model.spec.unit + ": the errors compare the numbers without conversion");
}

/// The failed runs of one measured column, by file and cell.
struct FailedOfColumn {
  std::map<std::pair<std::string, std::string>, FailedRuns> by_cell;
  std::size_t rows = 0;  ///< including successful runs

  void add(const std::vector<FailedRuns>& failed) {
    for (const FailedRuns& runs : failed) {
      FailedRuns& all = by_cell[{runs.file, runs.cell}];
      all.file = runs.file;
      all.cell = runs.cell;
      all.rows += runs.rows;
      all.lines.insert(all.lines.end(), runs.lines.begin(), runs.lines.end());
    }
  }
};

constexpr double kNearlyNothing = 0.01;  // share of the constant below which the rest is negligible

}  // namespace

Eigen::VectorXd judge_baseline(const std::string& file, const JudgedRunsArguments& arguments,
                               const FittedModel& model, JudgedRuns& runs, bool strict_range,
                               Console& console) {
  const FittedModel older = read_model(file);
  const ModelSpec spec = judging_spec(older, arguments);
  const auto texts = categorical_columns(spec);
  const bool same_table = texts == categorical_columns(model.spec);
  if (!same_table && contains(arguments.runs, "-"))
    throw UsageError("the models read other columns as texts; pass RUNS.csv as a file");
  Table table = same_table ? runs.file.table : read_again(model, arguments, texts);
  if (!older.provenance.reading.input.facts.empty()) {
    RunsFile with_facts{.path = {}, .bytes = {}, .table = std::move(table)};
    with_facts.reading.input.of_fit =
        std::make_shared<const InputOptions>(older.provenance.reading.input);
    append_facts(texts, with_facts);
    table = std::move(with_facts.table);
  }
  if (!same_table && runs.sampled_from)
    table = take_rows(table, evenly_chosen(table.rows(), runs.file.table.rows()));
  const Predictions all =
      predictions_of(older, make_design(table, spec, Target::required, runs.rows));
  table.lines = runs.lines;  // messages refer to the remaining rows
  table.source = base_name(file) + ": " + table.source;
  report_without_time(all, table, "they are left out", strict_range, console);
  const std::vector<std::size_t> kept = other_rows(to_size(all.values.size()), all.without_time);
  runs.leave_out(all.without_time);
  runs.without_time += all.without_time.size();
  return all.values(kept);
}

void refuse_taken_names(const Table& table, const std::vector<std::string>& names) {
  for (const auto& name : names) {
    if (table.find(name) != nullptr) {
      throw InputError(table.source + ": the column '" + name +
                       "' is already there; rename or remove it");
    }
  }
}

int append_columns(std::string_view bytes, const Table& table,
                   const std::vector<std::string>& names,
                   const std::function<std::vector<std::string>(std::size_t row)>& cells,
                   OutputFile& output) {
  // If a file is replaced, a signal must not leave an unfinished one behind.
  std::optional<SignalWatch> signals;
  if (output.replaces_file())
    signals.emplace();
  const CellStyle& style = table.style;
  const std::vector<std::string_view> lines = lines_of(bytes);
  output.write(*std::ranges::find_if_not(lines, is_blank));
  for (const auto& name : names)
    output.write(style.separator + csv_field(name, style.separator));
  output.write("\n");
  for (std::size_t row = 0; row < table.rows(); ++row) {
    output.write(lines[table.lines[row] - 1]);
    for (std::string& cell : cells(row)) {
      if (!style.decimal_comma.empty())
        std::replace(cell.begin(), cell.end(), '.', ',');
      output.write(style.separator + csv_field(cell, style.separator));
    }
    output.write("\n");
  }
  if (const auto signal = received_signal())
    return exit_code_of_signal(*signal);
  output.commit();
  return 0;
}

RunsFile read_noted(const std::vector<std::string>& paths,
                    const std::set<std::string>& text_columns, const ReadingRules& asked,
                    const ReadingRules& of_fit, Console& console) {
  RunsFile out = read_further_runs(paths, text_columns, asked, of_fit);
  if (const auto notice = reading_notice(out.table))
    console.notice(*notice);
  for (const std::string& sentence : out.notices)
    console.notice(sentence);
  return out;
}

std::size_t leave_out_noted(RunsFile& runs, const ModelSpec& spec, Console& console) {
  const UncountedRuns uncounted = leave_out_uncounted(runs, spec);
  for (const std::string& sentence : uncounted.notices)
    console.notice(sentence);
  for (const std::string& sentence : uncounted.warnings)
    console.warning(sentence);
  return uncounted.gaps;
}

void add_judged_runs(OptionSet& command, JudgedRunsArguments& arguments, bool needs_runs) {
  add_input(command, "MODEL.json", arguments.model, "a model that fit wrote").required();
  add_pick(command, arguments.pick);
  Option runs =
      command
          .add("RUNS.csv", arguments.runs,
               "measured runs, one per line; several files are read as one; \"-\" is stdin")
          .file(FileUse::input);
  if (needs_runs)
    runs.required();
  command.add("--target COL", arguments.target,
              "the measured time, if its name differs from that in the model");
  add_reading(command, arguments.reading);
}

void JudgedRuns::leave_out(const std::vector<std::size_t>& some) {
  if (some.empty())
    return;
  const std::vector<std::size_t> kept = other_rows(rows.size(), some);
  if (kept.empty()) {
    throw InputError(file.table.source +
                     ": no row can be judged: the configurations are too far from the measured "
                     "ones");
  }
  design = take_rows(design, kept);
  predicted = Eigen::VectorXd(predicted(kept));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    rows[i] = rows[kept[i]];
    lines[i] = lines[kept[i]];
  }
  rows.resize(kept.size());
  lines.resize(kept.size());
}

JudgedRuns judge_runs(const ModelSet& set, const JudgedRunsArguments& arguments, bool strict_range,
                      Console& console) {
  const ModelSetLine line = line_of(set);
  const FittedModel& model = *line.model;
  const ModelSpec spec = judging_spec(model, arguments);
  SearchProgress progress(console);
  JudgedRuns out;
  out.file = read_further_runs(arguments.runs, text_columns_of(set), arguments.reading,
                               model.provenance.reading,
                               progress.watch("reading " + joined(arguments.runs, ", ")));
  warn_of_units(model, spec.target, out.file.table, console);
  if (set.has_keys()) {
    std::optional<Table> own;
    for_each_with_rows(set, out.file.table, [&](ModelRows part) { own = std::move(part.table); });
    if (!own)
      throw InputError(out.file.table.source + ": no row is of " + words_of(line, set.header()));
    out.file.table = std::move(*own);
  }
  const Table& table = out.file.table;
  for (const auto& notice : {reading_notice(table), notice_of_plain_numbers(table, spec)})
    if (notice)
      console.notice(*notice);
  for (const std::string& sentence : out.file.notices)
    console.notice(sentence);
  out.without_time = leave_out_noted(out.file, spec, console);
  out.design = make_design(table, spec, Target::required);
  if (arguments.most_of_gp && has_gp(*model.form) && table.rows() > *arguments.most_of_gp) {
    out.sampled_from = table.rows();
    const std::vector<std::size_t> chosen = evenly_chosen(table.rows(), *arguments.most_of_gp);
    out.design = take_rows(out.design, chosen);
    out.file.table = take_rows(table, chosen);
  }
  out.range = check_range(model, out.design, out.file.table);
  report_range(out.range, strict_range, console);
  progress.begin("predicting");
  const Predictions predictions = predictions_of(model, out.design);
  report_without_time(predictions, table, "they are left out", strict_range, console);
  out.judge(predictions);
  return out;
}

void for_each_with_counted_rows(const ModelSet& set, const RunsFile& runs, Console& console,
                                const std::function<void(ModelRows part)>& visit) {
  std::map<std::string, FailedOfColumn> columns;
  std::vector<std::string> others;
  for_each_with_rows(set, runs.table, [&](ModelRows part) {
    const ModelSpec& spec = part.model.spec;
    RunsFile own{.path = {},
                 .bytes = {},
                 .table = std::move(part.table),
                 .results = runs.results,
                 .reading = runs.reading};
    FailedOfColumn& known = columns[judged_column(own.table, spec)];
    known.rows += own.table.rows();
    const std::vector<std::string> warnings = leave_out_uncounted(own, spec, true).warnings;
    known.add(own.failed);
    others.insert(others.end(), warnings.begin() + (own.failed.empty() ? 0 : 1), warnings.end());
    part.table = std::move(own.table);
    if (part.table.rows() > 0)
      visit(std::move(part));
  });
  if (!others.empty())
    console.warning(enumerated(others, 3));
  for (auto& [column, known] : columns) {
    std::vector<FailedRuns> failed;
    for (auto& [cell, of_cell] : known.by_cell) {
      std::ranges::sort(of_cell.lines);
      failed.push_back(of_cell);
    }
    if (!failed.empty())
      console.warning(words_for(failed, column, known.rows));
  }
}

std::vector<std::size_t> set_rows_of_fit_aside(const FittedModel& model, JudgedRuns& runs,
                                               bool listed) {
  const std::vector<std::size_t> own =
      rows_with_marks(model.provenance.row_marks, model.spec, runs.design);
  runs.used = {own.size(), runs.rows.size(), listed};
  if (own.empty() || runs.used.all() || listed)
    return indices(runs.rows.size());
  std::vector<std::size_t> kept = other_rows(runs.rows.size(), own);
  runs.leave_out(own);
  return kept;
}

page::Source page_source(const FittedModel& model, const std::string& model_file,
                         const page::FileFacts& runs, const JudgedRuns& judged) {
  return {.model = model,
          .tool = tool_name(),
          .model_file = model_file,
          .runs = runs,
          .lines = judged.lines,
          .design = judged.design,
          .predicted = judged.predicted,
          .metrics = measure(judged.design, judged.predicted, judged.file.table.source),
          .range_findings = judged.range.findings,
          .left_out = judged.left_out_text,
          .used = judged.used};
}

void JudgedRuns::judge(const Predictions& predictions) {
  left_out_text = without_time_text(predictions, file.table);
  rows = indices(file.table.rows());
  lines = file.table.lines;
  predicted = predictions.values;
  leave_out(predictions.without_time);
  without_time += predictions.without_time.size();
}

Predictions predictions_of(const FittedModel& model, const Design& design) {
  Predictions out{predict(model, design), {}};
  for (std::size_t row = 0; row < design.rows; ++row)
    if (!is_time(out.values[index(row)]))
      out.without_time.push_back(row);
  return out;
}

void report_without_time(const Predictions& predictions, const Table& table,
                         const std::string& consequence, bool strict, Console& console) {
  if (const auto text = without_time_text(predictions, table))
    warn_or_refuse(*text, ": " + consequence, strict, console);
}

void warn_or_refuse(const std::string& text, const std::string& consequence, bool strict,
                    Console& console) {
  if (strict)
    throw InputError("--strict-range: " + text);
  console.warning(text + consequence);
}

void report_few_rows(const FittedModel& model, Console& console) {
  if (const Warning* few = few_rows_warning(model))
    console.warning(few->message + ": the predictions are not determined");
}

void report_constants(const FittedModel& model, const Design& design,
                      const std::vector<std::uint32_t>& lines, Console& console) {
  report_few_rows(model, console);
  const double constant = model.form->unscaled_time(model.constants);
  const Eigen::VectorXd formula = model.form->trend().predict(model.spec, model.constants, design);
  std::set<std::string> columns;
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < design.rows; ++row) {
    if (!(std::abs(formula[index(row)] - constant) <= kNearlyNothing * std::abs(constant)))
      continue;
    bool has_zero = false;
    for (std::size_t i = 0; i < design.intrinsic.size(); ++i) {
      if (design.intrinsic[i].value(row) == 0) {
        columns.insert(model.spec.intrinsic[i].column);
        has_zero = true;
      }
    }
    if (has_zero)
      rows.push_back(row);
  }
  if (rows.empty())
    return;
  console.warning((design.rows == 1 ? ""
                                    : "in " + std::to_string(rows.size()) + " of " +
                                          std::to_string(design.rows) + " rows (" +
                                          places(rows, lines) + "): ") +
                  joined(std::vector<std::string>(columns.begin(), columns.end()), " = ") +
                  " = 0 leaves only the constant C of Eq. (4), the same time for all other inputs; "
                  "another form may be better: --expression auto");
}

Eigen::VectorXd predicted_times(const FittedModel& model, const Design& design,
                                const std::function<std::string(std::size_t row)>& where) {
  const Predictions predictions = predictions_of(model, design);
  ProblemList problems;
  for (const std::size_t row : predictions.without_time) {
    const double value = predictions.values[index(row)];
    problems.add(row, 0, [&] {
      return where(row) + ": the model predicts " +
             (std::isfinite(value) ? to_text(value) : "a value too large for a number") +
             ", which is not a time > 0; the configuration is too far from the measured ones";
    });
  }
  if (!problems.empty())
    throw InputError(problems.text());
  return predictions.values;
}

Option add_strict_range(OptionSet& app, bool& strict) {
  return app.flag(
      "--strict-range", strict,
      "refuse configurations outside the measured range (exit code 3) instead of warning");
}

void report_range(const RangeCheck& check, bool strict, Console& console) {
  if (strict && !check.findings.empty())
    throw InputError("--strict-range: " + joined(check.findings, "; "));
  const std::string end = check.in_range.size() == 1 ? ": the prediction is extrapolated"
                                                     : ": the predictions there are extrapolated";
  for (const auto& finding : check.findings)
    console.warning(finding + end);
}

}  // namespace perfmodel::cli
