#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/fit_options.hpp"
#include "compare/sweep.hpp"
#include "perfmodel/error.hpp"
#include "report/document.hpp"
#include "report/documents.hpp"
#include "report/model_json.hpp"
#include "storage/files.hpp"

namespace perfmodel {
namespace {

/// Regularisation path and the point chosen from it.
struct SweepDocument {
  const Provenance& provenance = kSample<Provenance>;
  const std::vector<SweepPoint>& points = kSample<std::vector<SweepPoint>>;
  std::size_t chosen = 0;  ///< index of a point
  LambdaRule rule = LambdaRule::lowest;
};

void describe_point(Fields& f, const SweepPoint& x, std::size_t) {
  ByName<Finite> constants;
  const auto names = f.writes() ? constant_names(x.model) : std::vector<std::string>{};
  for (std::size_t k = 0; k < names.size(); ++k)
    constants.emplace_back(names[k], Finite{x.model.constants[static_cast<Eigen::Index>(k)]});
  f("penalty", x.penalty, "which one");
  f("lambda", Finite{x.lambda}, "its weight");
  f("cost", Finite{x.model.search.cost}, "that was minimised");
  f("validation_loss", Finite{x.validation_loss}, "mean over the validation rows");
  f("validation_loss_standard_error", Finite{x.standard_error}, "of the mean over the rows");
  f("termination", x.model.search.termination, "of the search");
  f("metrics", x.model.known.metrics, "[metrics](#metrics) by part");
  f("constants", constants, "by name");
}

void describe(Fields& f, const SweepDocument& x) {
  const SweepPoint& chosen = x.points.empty() ? kSample<SweepPoint> : x.points[x.chosen];
  const SearchSummary& search = chosen.model.search;
  f.document("perfmodel/sweep", "The regularisation path: sweep");
  describe_unit(f, chosen.model.spec.target, chosen.model.spec.unit);
  f("data", x.provenance, "the runs");
  f.object("search", "what all points have in common", [&](Fields& inner) {
    inner("method", search.method, "in normalised columns, or as in the paper");
    inner("loss", search.objective.loss, "that is minimised");
    inner("penalised_constants", search.objective.penalty.constants, "which form of them");
    inner("seed", search.seed, "of the search");
  });
  f.list("points", x.points, "the path", describe_point);
  f.object("chosen", "the point that was chosen", [&](Fields& inner) {
    inner("index", x.chosen, "into the points");
    inner("penalty", chosen.penalty, "of this point");
    inner("lambda", Finite{chosen.lambda}, "of this point");
    inner("rule", x.rule, "by which it was chosen");
  });
}

}  // namespace

Json schema_of_sweep() {
  return schema_of<SweepDocument>();
}

}  // namespace perfmodel

namespace perfmodel::cli {
namespace {

struct SweepArguments {
  std::string runs;
  std::string output = "-";
  RoleRequest roles;
  InputOptions input;
  SearchArguments search;
  SplitArguments split;
  std::vector<PenaltyKind> penalties = {PenaltyKind::l1, PenaltyKind::l2};
  std::vector<double> lambdas = log_grid(1e-6, 1e2, 9);
  LambdaRule rule = LambdaRule::lowest;
  OutputFormat format = OutputFormat::text;
  Call call = {};
};

constexpr std::array<std::string_view, 6> kAll = {"mae", "mape_percent", "smape_percent",
                                                  "mse", "rmse",         "r2"};

/// Adds some metrics of a part in text and Markdown, all in CSV. `name`: of the part in headings.
void add_part(doc::Table& table, const std::string& part, const std::string& name,
              const std::vector<std::string_view>& shown, const std::string& unit) {
  for (doc::Column& column : doc::metric_columns(kAll, ShownTime(TimeUnit{unit, 1}))) {
    column.hidden = !contains(shown, column.name);
    column.heading = name + " " + column.heading;
    column.name = part + "_" + column.name;
    table.columns.push_back(column);
  }
}

/// In text and Markdown the errors and scaling powers, in CSV also all constants.
doc::Table table_of(const SweepDocument& report) {
  const FittedModel& first = report.points.front().model;
  const std::string& unit = first.spec.unit;
  doc::Table table{
      {doc::words("penalty", "penalty"), doc::numbers("lambda", "lambda"),
       doc::for_programs("chosen"), doc::for_programs("cost"), doc::for_programs("validation_loss"),
       doc::for_programs("validation_loss_standard_error")},
      2};
  add_part(table, "train", "train", {"mae"}, unit);
  add_part(table, "validation", "valid.", {"mae", "mape_percent", "r2"}, unit);
  if (first.known.metrics.test)
    add_part(table, "test", "test", {"mape_percent", "r2"}, unit);
  for (const auto& name : constant_names(first))
    table.columns.push_back(doc::for_programs(name));
  for (const auto& input : first.spec.extrinsic)
    table.columns.push_back(doc::numbers("q " + clipped(input.column, 12)));
  table.columns.push_back(doc::words(""));
  for (std::size_t k = 0; k < report.points.size(); ++k) {
    const SweepPoint& point = report.points[k];
    const PartMetrics& metrics = point.model.known.metrics;
    std::vector<doc::Cell> row = {to_text(point.penalty),         point.lambda,
                                  doc::truth(k == report.chosen), point.model.search.cost,
                                  point.validation_loss,          point.standard_error};
    doc::add_metrics(row, kAll, metrics.train);
    doc::add_metrics(row, kAll, *metrics.validation);
    if (metrics.test)
      doc::add_metrics(row, kAll, *metrics.test);
    row.insert(row.end(), point.model.constants.begin(), point.model.constants.end());
    for (const double power : scaling_powers(point.model))
      row.emplace_back(power);
    row.emplace_back(k == report.chosen ? "<- chosen" : "");
    table.add(std::move(row));
  }
  return table;
}

/// Parses "1e-6:1e2", or "1e-6:1e2:17" with the number of values.
std::vector<double> parse_lambdas(const std::string& text) {
  const std::vector<std::string> parts = split_list(text, ':');
  const auto low = parse_number(parts.front());
  const auto high = parts.size() > 1 ? parse_number(parts[1]) : std::nullopt;
  if (parts.size() <= 3 && low && high && *low > 0 && *high > *low) {
    constexpr double most = 1000;
    const double decades = std::round(std::log10(*high / *low));
    const auto count = parts.size() == 3 ? parse_number(parts[2]) : std::max(2.0, decades + 1);
    if (count && *count >= 2 && *count <= most && *count == std::floor(*count))
      return log_grid(*low, *high, static_cast<std::size_t>(*count));
  }
  throw OptionError("--lambdas", "'" + text +
                                     "': write LOW:HIGH or LOW:HIGH:COUNT with 0 < LOW < HIGH and "
                                     "COUNT >= 2, for example 1e-6:1e2:17");
}

std::vector<PenaltyKind> parse_penalties(const std::string& text) {
  std::vector<PenaltyKind> penalties;
  for (const auto& item : split_list(text)) {
    if (item != "l1" && item != "l2")
      throw OptionError("--penalty", "'" + text + "' is not l1, l2 or l1,l2");
    penalties.push_back(item == "l1" ? PenaltyKind::l1 : PenaltyKind::l2);
  }
  return penalties;
}

/// The `fit` command with the same runs, search and penalty as this sweep.
std::string fit_command(const SweepArguments& arguments) {
  static const std::vector<std::string> of_sweep = {"--lambdas=", "--penalty=", "--one-standard-",
                                                    "--format=",  "--split=",   "--split-seed="};
  std::string text = "perfmodel fit";
  for (const std::string& file : arguments.call.files)
    text += " " + shell_word(file);
  for (const std::string& word : arguments.call.options)
    if (std::none_of(of_sweep.begin(), of_sweep.end(),
                     [&](const std::string& option) { return word.starts_with(option); }))
      text += " " + shell_word(word);
  return text;
}

std::string advice(const SweepArguments& arguments, const SweepPoint& chosen) {
  const std::string text = "chosen on the validation rows: ";
  if (chosen.penalty == PenaltyKind::none)
    return text + "no penalty";
  const std::string penalty(to_text(chosen.penalty));
  return text + penalty + " " + short_number(chosen.lambda) +
         "; fit with it: " + fit_command(arguments) + " --" + penalty + " " +
         to_text(chosen.lambda);
}

void setup_sweep(OptionSet& command, SweepArguments& arguments) {
  add_input(command, "RUNS.csv", arguments.runs, "measured runs, one per line").required();
  add_output(command, arguments.output, "FILE");
  add_format(command, arguments.format, "format of the path");
  command.group("Path");
  command.add(
      "--lambdas LO:HI[:COUNT]", arguments.lambdas, parse_lambdas,
      "values of lambda, equally spaced in the logarithm; one per decade, or COUNT (default: "
      "1e-6:1e2)");
  command.add("--penalty l1,l2", arguments.penalties, parse_penalties,
              "l1, l2 or both (default: l1,l2)");
  command.flag("--one-standard-error", arguments.rule,
               "the largest lambda within a standard error of the best; that is, of the lowest "
               "validation loss (default: the lambda of the lowest validation loss)",
               LambdaRule::one_standard_error);
  add_role_options(command, arguments.roles, arguments.input);
  add_search_options(command, arguments.search, Forms::given);
  command.rule({"--expression multi",
                {"--terms K", [&] { return arguments.search.sum.terms.has_value(); }},
                false,
                "each fit of the path would choose its own, and constants could not be compared"});
  // The path sets the penalties itself.
  for (const char* name : {"--l1", "--l2"})
    command.remove(name);
  command.group("Judging the model");
  add_split_options(command, arguments.split);
  command.common({"--lambdas", "--penalty", "--one-standard-error"});
  command.footer(
      R"(One fit without penalty and one per penalty and lambda, all with the same seed. Each is judged on
the validation rows, which also choose lambda; the test rows do not affect the choice. The formats
json and csv contain all constants.

Examples:
  perfmodel sweep runs.csv
  perfmodel sweep runs.csv --lambdas 1e-6:1e2:33 --format csv -o path.csv
  perfmodel sweep runs.csv --penalty l2 --penalise scaled --one-standard-error)");
}

int run_sweep(const SweepArguments& arguments, Console& console) {
  OutputFile output(arguments.output);
  SearchProgress progress(console);
  const LabelledRuns runs =
      read_labelled_runs({arguments.runs}, arguments.roles, arguments.input, console,
                         progress.watch("reading " + arguments.runs));
  const PreparedRuns parts = prepare_runs(runs, arguments.split.of(runs));
  if (!parts.validation) {
    throw UsageError(
        "lambda is chosen on validation rows; set their share: --split 60:20:20 or 80:20:0");
  }

  const SignalWatch signals;
  FitOptions options = fit_options(arguments.search);
  options.stop = signals.token();
  const std::size_t fits = 1 + arguments.penalties.size() * arguments.lambdas.size();
  progress.begin("fitting");
  const std::vector<SweepPoint> points =
      sweep({parts.spec, parts.training, *parts.validation, parts.test ? &*parts.test : nullptr},
            options, arguments.penalties, arguments.lambdas,
            [&](std::size_t done) { progress.show("fitting", done, fits); });
  const std::size_t chosen = choose(points, arguments.rule);
  const SweepDocument report{parts.provenance, points, chosen, arguments.rule};
  const doc::Document out{.blocks = {table_of(report)}, .json = [&] { return to_json(report); }};
  finish(output, out.in(arguments.format, output_width(arguments.output)));
  console.notice(advice(arguments, points[chosen]));
  return 0;
}

}  // namespace

Command sweep_command() {
  return make_command<SweepArguments>("sweep", "Fits over a range of regularisation strengths.",
                                      setup_sweep, run_sweep);
}

}  // namespace perfmodel::cli
