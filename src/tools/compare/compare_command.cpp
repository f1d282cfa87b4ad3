#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/fit_options.hpp"
#include "cli/gates.hpp"
#include "compare/comparison.hpp"
#include "forms/fit_options.hpp"
#include "jobs/large_runs.hpp"
#include "registry/registry.hpp"
#include "report/document.hpp"
#include "report/documents.hpp"
#include "report/model_json.hpp"
#include "storage/files.hpp"
#include "sums/sum_terms.hpp"

namespace perfmodel {
namespace {

/// Models and black boxes side by side.
struct ComparisonDocument {
  const std::vector<Provenance>& data = kSample<std::vector<Provenance>>;
  const std::vector<ModelScore>& scores = kSample<std::vector<ModelScore>>;
  bool has_black_boxes = false;
};

void describe(Fields& f, const ComparisonDocument& x) {
  f.document("perfmodel/comparison", "Models and black boxes: compare");
  f("data", x.data, "the runs");
  f("black_boxes", x.has_black_boxes, "whether the program was built with them");
  f.list("models", x.scores, "what was compared", [](Fields& item, auto& score, std::size_t) {
    ByName<Finite> powers;
    for (std::size_t j = 0; j < score.columns.size(); ++j)
      powers.emplace_back(score.columns[j], Finite{score.scaling_powers[j]});
    item("name", score.name, "of the model or black box");
    item("file", score.file, "its runs");
    item("metrics", score.metrics, "[metrics](#metrics) by part");
    item("fit_seconds", Finite{score.fit_seconds}, "how long its fit took");
    item("scaling_powers", powers.empty() ? std::nullopt : std::optional(powers), "by column");
  });
}

}  // namespace
}  // namespace perfmodel

namespace perfmodel::cli {
namespace {

/// A column to extrapolate along, and the largest value used for training.
struct ExtrapolateArgument {
  std::string column;
  std::optional<double> limit;
};

struct CompareArguments {
  std::vector<std::string> runs;
  std::string output = "-";
  RoleRequest roles;
  InputOptions input;
  SearchArguments search;
  SplitArguments split;
  std::optional<std::string> test;
  std::optional<ExtrapolateArgument> extrapolate;
  OutputFormat format = OutputFormat::text;
  std::vector<Gate> gates;
};

/// The metrics on the test rows if there are any, else on the training rows.
const Metrics& judged(const PartMetrics& metrics) {
  return metrics.test ? *metrics.test : metrics.train;
}

/// Adds a section behind those that are there.
void add_section(const std::string& title, doc::Table table, doc::Document& out) {
  out.add((out.blocks.empty() ? "" : "\n") + title + "\n\n");
  out.add(std::move(table), 2);
}

void add_errors(const ComparisonDocument& report, std::size_t source, const std::string& unit,
                doc::Document& out) {
  constexpr std::array<std::string_view, 4> shown = {"mape_percent", "mae", "rmse", "r2"};
  double largest = 0;
  for (const ModelScore& score : report.scores)
    if (score.source == source)
      largest = std::max(largest, judged(score.metrics).mae);
  doc::Table table{doc::metric_columns(shown, ShownTime(unit, largest))};
  table.columns.insert(table.columns.begin(), doc::words("model"));
  table.columns.push_back(doc::numbers("train MAPE", {}, percent));
  table.columns.push_back(doc::numbers("fit [s]"));
  std::string part;
  for (const ModelScore& score : report.scores) {
    if (score.source != source)
      continue;
    const Metrics& metrics = judged(score.metrics);
    part = (score.metrics.test ? "test part, " : "training part, ") + std::to_string(metrics.rows) +
           " rows";
    std::vector<doc::Cell> cells = {score.name};
    doc::add_metrics(cells, shown, metrics);
    cells.insert(cells.end(), {score.metrics.train.mape_percent, score.fit_seconds});
    table.add(std::move(cells));
  }
  add_section(report.data[source].file + " (" + part + ")", std::move(table), out);
}

/// Scaling powers: a row per column and model, a column per file.
void add_powers(const ComparisonDocument& report, doc::Document& out) {
  doc::Table table{{doc::words("column"), doc::words("model")}};
  for (const Provenance& source : report.data)
    table.columns.push_back(doc::numbers(clipped(source.file, 24)));
  // Rows of one column are adjacent, and columns are in order of first appearance.
  std::vector<std::string> columns;
  for (const ModelScore& score : report.scores)
    for (const std::string& column : score.columns)
      if (!contains(columns, column))
        columns.push_back(column);
  for (const std::string& column : columns) {
    std::map<std::string, std::size_t> row_of;  // by model name
    for (const ModelScore& score : report.scores) {
      const auto found = std::ranges::find(score.columns, column);
      if (found == score.columns.end())
        continue;
      const auto [row, is_new] = row_of.try_emplace(score.name, table.rows.size());
      if (is_new) {
        table.add({column, score.name});
        table.rows.back().resize(table.columns.size(), doc::Cell(std::nan("")));
      }
      table.rows[row->second][2 + score.source] =
          score.scaling_powers[static_cast<std::size_t>(found - score.columns.begin())];
    }
  }
  add_section(
      "scaling powers q (of Eq. (4): of the part that scales, without C; of the others: of the "
      "whole time, at the central run)",
      std::move(table), out);
}

/// A row per model and part, with exact numbers.
doc::Table exact_comparison(const ComparisonDocument& report) {
  constexpr std::array<std::string_view, 7> all = {
      "rows", "mae", "mape_percent", "smape_percent", "mse", "rmse", "r2"};
  doc::Table table{{doc::words("", "file"), doc::words("", "model"), doc::words("", "part")}};
  for (doc::Column& column : doc::metric_columns(all, ShownTime(TimeUnit{})))
    table.columns.push_back(std::move(column));
  table.columns.push_back(doc::numbers("", "fit_seconds"));
  for (const ModelScore& score : report.scores) {
    const auto add = [&](const char* part, const std::optional<Metrics>& metrics) {
      if (!metrics)
        return;
      std::vector<doc::Cell> row = {score.file, score.name, part};
      doc::add_metrics(row, all, *metrics);
      row.emplace_back(score.fit_seconds);
      table.add(std::move(row));
    };
    add("train", score.metrics.train);
    add("validation", score.metrics.validation);
    add("test", score.metrics.test);
  }
  return table;
}

/// `unit`: of the times; empty if the files differ. `width`: of the terminal that shows it. Text
/// and Markdown contain the errors per file on the judging rows, and the scaling powers side by
/// side; JSON and CSV contain all parts.
std::string formatted_comparison(const ComparisonDocument& report, const std::string& unit,
                                 OutputFormat format, std::optional<std::size_t> width) {
  doc::Document out{.data = exact_comparison(report), .json = [&] { return to_json(report); }};
  for (std::size_t source = 0; source < report.data.size(); ++source)
    add_errors(report, source, unit, out);
  add_powers(report, out);
  return out.in(format, width);
}

ExtrapolateArgument parse_extrapolate(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos)
    return {text, std::nullopt};
  const auto limit = parse_number(text.substr(colon + 1));
  if (!limit) {
    throw OptionError("--extrapolate", "'" + text +
                                           "': write COL, or COL:X where rows up to the "
                                           "value X train, for example batch_size:32");
  }
  return {text.substr(0, colon), limit};
}

/// Short names of models in conditions, and prefixes of their full names.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kGateModels = {
    {{"generic_l1", "Eq. (4), L1"},
     {"generic_l2", "Eq. (4), L2"},
     {"generic", "Eq. (4)"},
     {"multi", "sum of products"},
     {"process", "product and process"},
     {"auto", "auto"},
     {"forest", "random forest"},
     {"boosting", "gradient boosting"},
     {"svr_log", "SVR of log time"},
     {"svr", "SVR"}}};

const FurtherFigures& compare_figures() {
  static const FurtherFigures further = [] {
    FurtherFigures out;
    for (const auto& [name, begin] : kGateModels)
      for (const auto& metric : gate_metrics())
        out.names.push_back(std::string(name) + "." + metric);
    out.words =
        "; of one model: generic., generic_l1., generic_l2., multi., process., auto., forest., "
        "boosting., "
        "svr. or svr_log. before it";
    return out;
  }();
  return further;
}

/// Of one file: the metrics of every model on the judging rows and, under their plain names, the
/// best over all models: the highest r2, and the lowest of every other metric.
std::vector<Figure> compared_figures(const std::vector<ModelScore>& scores) {
  std::vector<Figure> best;
  std::vector<Figure> all;
  for (const ModelScore& score : scores) {
    const std::string part = score.name + ", " + score.file;
    const auto model = std::ranges::find_if(
        kGateModels, [&](const auto& known) { return score.name.starts_with(known.second); });
    const Metrics& metrics = judged(score.metrics);
    if (model != kGateModels.end()) {
      const auto named = figures_of(metrics, part, std::string(model->first) + ".");
      all.insert(all.end(), named.begin(), named.end());
    }
    const auto plain = figures_of(metrics, part);
    if (best.empty())
      best = plain;
    for (std::size_t k = 0; k < plain.size(); ++k) {
      const bool higher = plain[k].name == "r2";
      if (higher ? plain[k].value > best[k].value : plain[k].value < best[k].value)
        best[k] = plain[k];
    }
  }
  all.insert(all.end(), best.begin(), best.end());
  return all;
}

void refuse_doubled(const std::vector<std::string>& paths) {
  std::set<std::string> names;
  for (const auto& path : paths)
    if (!names.insert(path).second)
      throw UsageError("'" + path + "' is given twice");
}

/// The runs of a split, of which no more train than a fit that chooses terms takes.
PreparedRuns drawn(const LabelledRuns& runs, Split split, const CompareArguments& arguments,
                   Console& console) {
  const std::size_t rows = split.train.size();
  if (draw_training_rows(runs, kRowsOfChoice, arguments.search.options.seed, split))
    console.notice(runs.file.table.source + ": all models are fitted to " +
                   std::to_string(kRowsOfChoice) + " rows, drawn at random from " +
                   std::to_string(rows));
  return prepare_runs(runs, split);
}

PreparedRuns prepared(const CompareArguments& arguments, const std::string& path,
                      Console& console) {
  const LabelledRuns runs = read_labelled_runs({path}, arguments.roles, arguments.input, console);
  const Table& table = runs.file.table;
  if (arguments.extrapolate) {
    const auto [split, limit] = split_by_value(table, runs.rows, arguments.extrapolate->column,
                                               arguments.extrapolate->limit);
    console.notice(table.source + ": rows with " + arguments.extrapolate->column + " up to " +
                   to_text(limit) + " train, the others test");
    return drawn(runs, split, arguments, console);
  }
  if (arguments.test) {
    PreparedRuns out = drawn(runs, split_rows(runs.rows, {}, 1), arguments, console);
    TestRuns test = select_test_runs(
        read_runs(*arguments.test, categorical_columns(out.spec), arguments.input).table, out.spec,
        runs.file.reading, !arguments.gates.empty());
    for (const std::string& warning : test.warnings)
      console.warning(warning);
    out.test = std::move(test.design);
    require_fitted_range(*out.test);
    return out;
  }
  return drawn(runs, arguments.split.of(runs), arguments, console);
}

void setup_compare(OptionSet& command, CompareArguments& arguments) {
  command
      .add("RUNS.csv", arguments.runs,
           "measured runs, one per line; several files, such as one per framework, are compared "
           "side by side")
      .file(FileUse::input)
      .required();
  add_output(command, arguments.output, "FILE");
  add_format(command, arguments.format, "format of the comparison");
  add_role_options(command, arguments.roles, arguments.input);
  arguments.search.options.penalty = {.l1 = CompareRequest().l1, .l2 = CompareRequest().l2};
  add_search_options(command, arguments.search);
  for (const char* name : {"--expression", "--residual"})
    command.remove(name);  // all forms are compared
  command.group("Judging the models");
  add_split_options(command, arguments.split);
  command.add("--test FILE", arguments.test, "train on all of RUNS.csv and test on this file")
      .file(FileUse::input)
      .excludes({"several files of runs", [&] { return arguments.runs.size() > 1; }});
  command.add(
      "--extrapolate COL[:X]",
      [&](const std::string& text) { arguments.extrapolate = parse_extrapolate(text); },
      "train on the lower values of a column, test on the others; up to X, or to the "
      "value below which 60 % of the distinct values lie");
  command.one_of({"--split", "--test", "--extrapolate"});
  command.one_of({"--split-seed", "--test", "--extrapolate"});
  add_gates(
      command, arguments.gates,
      "end with exit code 4 if this holds: 'mape>10'; on the test rows of any file, of the best "
      "model there, or 'multi.mape>12' of one: generic, generic_l1, generic_l2, multi, "
      "process, auto, forest, boosting, svr, svr_log (repeatable)",
      compare_figures());
  command.common({"--test", "--extrapolate"});
  command.footer(
      R"(Fits Eq. (4) without a penalty and with --l1 and --l2, a sum of product terms, one product with a
residual correction, the form that fit --expression auto chooses, a random forest, support vector
regression (SVR) and gradient boosting to the same training rows and judges them on the same test
rows. Forest and SVR have scikit-learn's
default settings; SVR's epsilon of 0.1 is in the unit of the time, so there is also an SVR of the
standardised ln(time). Forest and boosting are of ln(time); boosting has 500 trees of depth 5 and a
learning rate of 0.1.

Examples:
  perfmodel compare runs.csv
  perfmodel compare mxnet.csv pytorch.csv tensorflow.csv --format md
  perfmodel compare runs.csv --extrapolate batch_size:32 --format json -o comparison.json)");
}

int run_compare(const CompareArguments& arguments, Console& console) {
  refuse_doubled(arguments.runs);
  OutputFile output(arguments.output);
  SearchProgress progress(console);
  progress.begin("reading " + joined(arguments.runs, ", "));
  const std::vector<PreparedRuns> files =
      mapped(arguments.runs, [&](const auto& path) { return prepared(arguments, path, console); });
  if (!has_black_boxes()) {
    console.warning(
        "this perfmodel was built without dlib, so random forest and support vector regression are "
        "left out; install libdlib-dev and build it again");
  }
  if (!has_gradient_boosting()) {
    console.warning(
        "this perfmodel was built without XGBoost, so gradient boosting is left out; install "
        "libxgboost-dev and build it again");
  }

  const SignalWatch signals;
  const Penalty& penalty = arguments.search.options.penalty;
  CompareRequest request{fit_options(arguments.search), arguments.search.sum, arguments.search.loss,
                         penalty.l1, penalty.l2};
  request.options.form = arguments.search.eq4;
  request.options.stop = signals.token();
  std::vector<ModelScore> scores;
  std::vector<Figure> figures;
  std::vector<Provenance> data;
  std::string unit = files.front().spec.unit;
  progress.begin("comparing");
  for (const auto& runs : files) {
    data.push_back(runs.provenance);
    unit = runs.spec.unit == unit ? unit : "";
    if (!terms_can_be_chosen(runs.spec)) {
      console.notice(runs.provenance.file +
                     ": too many levels for a sum of products, which is left out");
    }
    const std::size_t before = scores.size();
    std::vector<ModelScore> own =
        compare_models(runs, request, [&](std::size_t done, std::size_t all) {
          progress.show("comparing", before + done, all * files.size(), false);
        });
    const std::vector<Figure> more = compared_figures(own);
    figures.insert(figures.end(), more.begin(), more.end());
    for (ModelScore& score : own) {
      score.source = data.size() - 1;
      scores.push_back(std::move(score));
    }
  }
  finish(output, formatted_comparison({data, scores, has_black_boxes()}, unit, arguments.format,
                                      output_width(arguments.output)));
  check_gates(arguments.gates, figures);
  return 0;
}

std::string line_of_black_boxes() {
  return std::string("black boxes of compare: ") +
         (has_black_boxes() ? "dlib" : "none, built without dlib") +
         (has_gradient_boosting() ? ", XGBoost" : ", built without XGBoost") + "\n";
}

std::vector<std::string> black_boxes() {
  std::vector<std::string> out;
  if (has_black_boxes())
    out.emplace_back("dlib");
  if (has_gradient_boosting())
    out.emplace_back("XGBoost");
  return out;
}

}  // namespace

Command sweep_command();
Command simulate_command();
Command compare_command() {
  return make_command<CompareArguments>("compare", "Compares the model with black-box regressions.",
                                        setup_compare, run_compare);
}

}  // namespace perfmodel::cli

namespace perfmodel {

Json schema_of_sweep();

void add_compare() {
  add<cli::CommandEntry>({{"sweep", cli::sweep_command, "evaluate"},
                          {"compare", cli::compare_command, "evaluate"},
                          {"simulate", cli::simulate_command, "evaluate"}});
  add<cli::UsedLibraries>({{cli::line_of_black_boxes, cli::black_boxes}});
  add<DocumentKind>({{"comparison", schema_of<ComparisonDocument>}, {"sweep", schema_of_sweep}});
}

}  // namespace perfmodel
