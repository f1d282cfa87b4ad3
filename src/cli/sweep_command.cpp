#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/options.hpp"
#include "cli/runs.hpp"
#include "cli/text_table.hpp"
#include "jobs/tasks.hpp"
#include "perfmodel/error.hpp"
#include "report/documents.hpp"

namespace perfmodel::cli {

/// The path as it is asked for; text and Markdown show the errors and scaling powers, JSON and CSV
/// hold all constants too. `width` is that of the terminal that shows it.
std::string formatted(const SweepDocument& report, OutputFormat format,
                      std::optional<std::size_t> width);

namespace {

std::string r2_text(double r2) {
  return std::isnan(r2) ? "-" : short_number(r2);
}

TextTable table_of(const SweepDocument& report) {
  using enum Align;
  const ModelSpec& spec = report.points.front().model.spec;
  const bool has_test = report.points.front().model.metrics.test.has_value();
  std::vector<Align> columns = {left, right, right, right, right, right};
  std::vector<std::string> header = {"penalty",
                                     "lambda",
                                     with_unit("train MAE", spec.unit),
                                     with_unit("valid. MAE", spec.unit),
                                     "valid. MAPE",
                                     "valid. R2"};
  if (has_test) {
    columns.insert(columns.end(), {right, right});
    header.insert(header.end(), {"test MAPE", "test R2"});
  }
  for (const auto& input : spec.extrinsic) {
    columns.push_back(right);
    header.push_back("q " + clipped(input.column, 12));
  }
  columns.push_back(left);
  header.emplace_back();
  TextTable table(columns, 2);
  table.add(header);
  for (std::size_t k = 0; k < report.points.size(); ++k) {
    const SweepPoint& point = report.points[k];
    const PartMetrics& metrics = point.model.metrics;
    std::vector<std::string> row = {
        std::string(to_text(point.penalty)),       short_number(point.lambda),
        short_number(metrics.train.mae),           short_number(metrics.validation->mae),
        percent(metrics.validation->mape_percent), r2_text(metrics.validation->r2)};
    if (has_test)
      row.insert(row.end(), {percent(metrics.test->mape_percent), r2_text(metrics.test->r2)});
    for (const double power : scaling_powers(point.model))
      row.push_back(short_number(power));
    row.emplace_back(k == report.chosen ? "<- chosen" : "");
    table.add(std::move(row));
  }
  return table;
}

/// All metrics and constants of every point, in full precision.
TextTable exact_path(const SweepDocument& report) {
  const FittedModel& first = report.points.front().model;
  std::vector<std::string> header = {
      "penalty", "lambda", "chosen", "cost", "validation_loss", "validation_loss_standard_error"};
  const auto add_names = [&](const std::string& part) {
    for (const auto& [name, member] : kNamedMetrics)
      header.push_back(part + "_" + std::string(name));
  };
  add_names("train");
  add_names("validation");
  if (first.metrics.test)
    add_names("test");
  for (const auto& name : constant_names(first))
    header.push_back(name);
  TextTable table(std::vector<Align>(header.size(), Align::right));
  table.add(std::move(header));
  for (std::size_t k = 0; k < report.points.size(); ++k) {
    const SweepPoint& point = report.points[k];
    std::vector<std::string> row = {
        std::string(to_text(point.penalty)),   to_text(point.lambda),
        k == report.chosen ? "true" : "false", to_text(point.model.search.cost),
        to_text(point.validation_loss),        to_text(point.standard_error)};
    const auto add = [&](const Metrics& metrics) {
      for (const auto& [name, member] : kNamedMetrics) {
        const double value = metrics.*member;
        row.push_back(std::isnan(value) ? "" : to_text(value));
      }
    };
    add(point.model.metrics.train);
    add(*point.model.metrics.validation);
    if (point.model.metrics.test)
      add(*point.model.metrics.test);
    for (const double constant : point.model.constants)
      row.push_back(to_text(constant));
    table.add(std::move(row));
  }
  return table;
}

}  // namespace

std::string formatted(const SweepDocument& report, OutputFormat format,
                      std::optional<std::size_t> width) {
  OutputTables out(exact_path(report), [&] { return to_json(report); });
  out.add(table_of(report));
  return out.in(format, width);
}

namespace {

constexpr auto kPathGroup = "Path";

/// "1e-6:1e2", or "1e-6:1e2:17" with the number of values.
std::vector<double> parse_lambdas(const std::string& text) {
  const auto fail = [&] {
    return OptionError("--lambdas",
                       "'" + text +
                           "': write LOW:HIGH or LOW:HIGH:COUNT with 0 < LOW < HIGH and "
                           "COUNT >= 2, for example 1e-6:1e2:17");
  };
  const auto first = text.find(':');
  const auto second = first == std::string::npos ? first : text.find(':', first + 1);
  if (first == std::string::npos)
    throw fail();
  const auto low = parse_number(text.substr(0, first));
  const auto high = parse_number(text.substr(first + 1, second - first - 1));
  if (!low || !high || *low <= 0 || *high <= *low)
    throw fail();
  constexpr double most = 1000;
  double count = std::max(2.0, std::round(std::log10(*high / *low)) + 1);  // one per decade
  if (second != std::string::npos) {
    const auto given = parse_number(text.substr(second + 1));
    if (!given || *given < 2 || *given > most || *given != std::floor(*given))
      throw fail();
    count = *given;
  }
  return log_grid(*low, *high, static_cast<std::size_t>(count));
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

void add_path_options(OptionSet& command, SweepArguments& arguments) {
  command
      .add_option_function(
          "--lambdas", [&](const std::string& text) { arguments.lambdas = parse_lambdas(text); },
          "values of lambda, equally spaced in the logarithm;\n"
          "one per decade, or COUNT (default: 1e-6:1e2)")
      .type_name("LO:HI[:COUNT]")
      .group(kPathGroup);
  command
      .add_option_function(
          "--penalty",
          [&](const std::string& text) { arguments.penalties = parse_penalties(text); },
          "l1, l2 or both (default: l1,l2)")
      .type_name("l1,l2")
      .group(kPathGroup);
  command
      .add_flag_callback(
          "--one-standard-error", [&] { arguments.rule = LambdaRule::one_standard_error; },
          "choose the largest lambda whose validation loss is\n"
          "within a standard error of the lowest (default: the\n"
          "lambda of the lowest validation loss)")
      .group(kPathGroup);
}

/// The call of `fit` that reads the runs, searches and penalises as this sweep does.
std::string fit_command(const SweepArguments& arguments) {
  static const std::vector<std::string> of_sweep = {"--lambdas=", "--penalty=", "--one-standard-",
                                                    "--format=",  "--split=",   "--split-seed="};
  std::string text = "perfmodel fit";
  const std::vector<std::string>& words = arguments.sharing.command;
  for (std::size_t k = 1; k < words.size(); ++k)
    if (std::none_of(of_sweep.begin(), of_sweep.end(),
                     [&](const std::string& option) { return words[k].starts_with(option); }))
      text += " " + shell_word(words[k]);
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

}  // namespace

void setup_sweep(OptionSet& command, SweepArguments& arguments) {
  add_input(command, "RUNS.csv", arguments.runs, "measured runs, one per line").required();
  add_output(command, arguments.output, "FILE");
  add_format(command, arguments.format, "of the path");
  add_path_options(command, arguments);
  add_role_options(command, arguments.roles, arguments.separator);
  add_search_options(command, arguments.search, Forms::given);
  // The path sets these itself.
  for (const char* name : {"--l1", "--l2"})
    command.remove_option(name);
  add_split_options(command, arguments.split);
  add_resume(command, arguments.sharing.resume);
  add_shard(command, arguments.sharing.shard, "the fits");
  command.footer(
      "One fit without penalty and one per penalty and lambda, all with the same seed. Each is "
      "judged on\n"
      "the validation rows, which also choose lambda; the test rows have no say. json and csv hold "
      "all\n"
      "constants.\n"
      "\n"
      "Examples:\n"
      "  perfmodel sweep runs.csv\n"
      "  perfmodel sweep runs.csv --lambdas 1e-6:1e2:33 --format csv -o path.csv\n"
      "  perfmodel sweep runs.csv --penalty l2 --penalise scaled --one-standard-error");
}

int run_sweep(const SweepArguments& arguments, Console& console) {
  refuse_options_of_others(arguments.search);
  const FitOptions& asked = arguments.search.options;
  if (asked.expression == Expression::multi && !asked.terms) {
    // Each fit of the path would choose its own terms, and their constants could not be compared.
    throw UsageError("sweep --expression multi needs a number of terms: --terms K");
  }
  refuse_to_replace(arguments.runs, arguments.output);
  TaskRun tasks(arguments.sharing, arguments.output, {arguments.runs});
  std::optional<OutputFile> output;
  if (!tasks.is_shard())
    output.emplace(arguments.output);
  SearchProgress progress(console);
  RoleRequest roles = arguments.roles;
  roles.needs_scale = asked.expression == Expression::generic;
  const LabelledRuns runs =
      read_labelled_runs({arguments.runs}, roles, arguments.separator, console,
                         progress.watch("reading " + arguments.runs));
  const PreparedRuns parts = prepare_runs(runs, split_of(runs, arguments.split));
  if (!parts.validation) {
    throw UsageError(
        "lambda is chosen on validation rows; give them a share: --split 60:20:20 or 80:20:0");
  }

  const SignalWatch signals;
  FitOptions options = fit_options(arguments.search);
  options.stop = signals.token();
  const std::size_t fits = 1 + arguments.penalties.size() * arguments.lambdas.size();
  progress.begin("fitting");
  const std::vector<SweepPoint> points = sweep(
      {parts.spec, parts.training, *parts.validation, parts.test ? &*parts.test : nullptr}, options,
      arguments.penalties, arguments.lambdas,
      [&](std::size_t done) { progress.show("fitting", done, fits); },
      hooks_of<SweepPoint>(tasks.begin(fits), 0));
  if (tasks.is_shard()) {
    tasks.commit();
    return 0;
  }
  const std::size_t chosen = choose(points, arguments.rule);
  output->write(formatted({parts.provenance, points, chosen, arguments.rule}, arguments.format,
                          output_width(arguments.output)));
  output->commit();
  console.notice(advice(arguments, points[chosen]));
  return 0;
}

}  // namespace perfmodel::cli
