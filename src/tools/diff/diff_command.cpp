#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/fit_options.hpp"
#include "cli/gates.hpp"
#include "diff/diff.hpp"
#include "registry/registry.hpp"
#include "roles/quantities.hpp"

namespace perfmodel {

void describe(Fields& f, const Interval& x);
void describe(Fields& f, const GateDocument& x);

namespace {

/// Two sets of runs and what changed between them.
struct DiffDocument {
  std::string old_file;
  std::string new_file;
  std::string target;
  std::string unit;
  difference::Inputs inputs;
  difference::Comparison comparison;
  std::vector<std::string> only_old;  ///< configurations, in words
  std::vector<std::string> only_new;
  std::vector<GateDocument> gates;

  std::size_t count(difference::Verdict verdict) const {
    return static_cast<std::size_t>(
        std::ranges::count(comparison.changes, verdict, &difference::Change::verdict));
  }
};

void describe(Fields& f, const DiffDocument& x) {
  using difference::Verdict;
  f.document("perfmodel/diff", "Two sets of runs, what changed beyond the noise: diff");
  f("old_file", x.old_file, "its name");
  f("new_file", x.new_file, "its name");
  describe_unit(f, x.target, x.unit);
  f("slower", x.count(Verdict::slower), "configurations that are slower beyond the noise");
  f("faster", x.count(Verdict::faster), "that are faster");
  f("same", x.count(Verdict::same), "all others, if any run is repeated");
  f("geometric_mean", x.comparison.geometric_mean, "of the ratios new / old");
  f("interval", x.comparison.interval, "95 % interval of it; `null`: no run is repeated");
  f.list("changes", x.comparison.changes, "in the order of the loss",
         [&](Fields& item, const difference::Change& change, std::size_t) {
           item("key", Named<const std::string>{x.inputs.columns, change.key.data()}, "the inputs");
           item("old", change.before, "geometric mean of the runs");
           item("new", change.after, "the same of the new runs");
           item("ratio", change.ratio, "new / old");
           item("interval", change.interval, "95 % interval of the ratio");
           item("p_value", change.p_value, "by Holm's correction for all configurations");
           item("verdict", change.verdict,
                "beyond the noise or not; `unknown`: no run is repeated");
         });
  f.list("growths", x.comparison.growths, "along inputs of at least four values",
         [](Fields& item, const difference::Growth& growth, std::size_t) {
           item("column", growth.column, "the input");
           item("at", growth.at, "the other inputs");
           item("old_law", growth.before, "the nearest of 1, log n, sqrt(n), n, ... n^3");
           item("new_law", growth.after, "the same of the new runs");
           item("exponent", growth.exponent, "of the ratio along the input");
           item("interval", growth.interval, "95 % interval of it");
           item("changed", growth.changed, "whether the law changed beyond the noise");
           item("from", growth.from, "the value from which on all differ in one direction");
           item("ratio_from", growth.ratio_from, "the mean ratio there");
         });
  f("only_old", x.only_old, "configurations of the old runs alone");
  f("only_new", x.only_new, "of the new runs alone");
  f("gates", x.gates, "conditions of `--fail-if`", kSparse);
}

}  // namespace
}  // namespace perfmodel

namespace perfmodel::cli {
namespace {

using difference::Change;
using difference::Growth;
using difference::Verdict;

struct DiffArguments {
  std::string before;
  std::string after;
  RoleRequest roles;
  InputOptions input;
  std::vector<Gate> gates;
  OutputFormat format = OutputFormat::text;
  std::string output = "-";
};

/// The columns with one value in each set, another in the other one, such as a commit.
std::vector<std::string> names_of_sets(const Table& table, const RoleRequest& request,
                                       const std::string& measured) {
  std::vector<std::string> asked = request.intrinsic.value_or(std::vector<std::string>());
  asked.insert(asked.end(), request.categorical.begin(), request.categorical.end());
  asked.push_back(measured);
  std::vector<std::string> out;
  for (const Column& column : table.columns) {
    std::array<std::set<std::string>, 2> texts;
    for (std::size_t row = 0; row < table.rows(); ++row)
      texts[table.file[row]].insert(column.text(row));
    if (texts[0].size() == 1 && texts[1].size() == 1 && texts[0] != texts[1] &&
        !contains(asked, column.name))
      out.push_back(column.name);
  }
  return out;
}

/// Both files as one table, so that columns have one role and one unit. Rates become times of a
/// unit of work, so that more is always a loss.
LabelledRuns both_sets(const DiffArguments& arguments, Console& console) {
  RoleRequest request = arguments.roles;
  request.needs_input = false;
  RunsFile file =
      read_runs({arguments.before, arguments.after},
                {request.categorical.begin(), request.categorical.end()}, arguments.input);
  const auto measured = measured_column(file.table, request).value_or(MeasuredColumn{});
  if (const auto names = names_of_sets(file.table, request, measured.name); !names.empty()) {
    console.notice(joined(names, ", ") +
                   ": one value in each set, which names it and is no input.");
    request.ignore.insert(request.ignore.end(), names.begin(), names.end());
  }
  if (!request.extrinsic)
    request.extrinsic.emplace();  // no input of a comparison is a scale
  if (request.target && measure_of(*request.target, "") == Measure::rate)
    request.throughput = Throughput{*std::exchange(request.target, {}), ""};
  return told(label_runs(std::move(file), request), console);
}

std::string words_of_key(const std::vector<std::string>& columns,
                         const std::vector<std::string>& key) {
  const std::vector<std::string> words =
      mapped(indices(key.size()), [&](std::size_t i) { return columns[i] + "=" + key[i]; });
  return words.empty() ? "all runs" : joined(words, " ");
}

/// The runs by configuration; those of one set alone go to the document.
std::vector<difference::Pair> pairs_of(const LabelledRuns& runs, DiffDocument& document) {
  const Table& table = runs.file.table;
  const std::vector<std::string>& columns = document.inputs.columns;
  std::map<std::vector<std::string>, difference::Pair> found;
  const std::vector<double>& times = table.at(document.target).numbers;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto key =
        mapped(columns, [&](const std::string& column) { return table.at(column).text(row); });
    difference::Pair& pair = found[key];
    pair.key = key;
    (table.file[row] == 0 ? pair.before : pair.after).push_back(std::log(times[row]));
  }
  std::vector<difference::Pair> out;
  for (auto& [key, pair] : found) {
    std::ranges::sort(pair.before);  // sums do not depend on the order of rows
    std::ranges::sort(pair.after);
    if (pair.before.empty())
      document.only_new.push_back(words_of_key(columns, key));
    else if (pair.after.empty())
      document.only_old.push_back(words_of_key(columns, key));
    else
      out.push_back(std::move(pair));
  }
  if (out.empty())
    throw InputError(fmt::format(
        "no configuration is in both {} and {}: the old runs have '{}', the new ones '{}'; "
        "leave out a column that differs by --ignore COL",
        document.old_file, document.new_file, document.only_old.front(),
        document.only_new.front()));
  return out;
}

double loss_percent(double ratio) {
  return 100 * (ratio - 1);
}

/// Of what differs beyond the noise, and 0 if nothing does. By how much programs became faster is
/// a share of the old time.
std::vector<Figure> figures_of_diff(const DiffDocument& document) {
  const difference::Comparison& found = document.comparison;
  const std::string all = std::to_string(found.changes.size()) + " configurations";
  std::vector<Figure> out;
  for (const Verdict verdict : {Verdict::slower, Verdict::faster}) {
    const std::string name(to_text(verdict));
    const double sign = verdict == Verdict::slower ? 100 : -100;
    out.push_back({name, static_cast<double>(document.count(verdict)), all, {}});
    if (out.back().value == 0)
      out.push_back({"any." + name, 0, all, {}});
    for (const Change& change : found.changes)
      if (change.verdict == verdict) {
        const auto [a, b] =
            std::minmax({sign * (change.interval->low - 1), sign * (change.interval->high - 1)});
        out.push_back({"any." + name, sign * (change.ratio - 1),
                       words_of_key(document.inputs.columns, change.key), Interval{a, b}});
      }
  }
  out.push_back({"missing", static_cast<double>(document.only_old.size()), all, {}});
  out.push_back({"geomean", loss_percent(found.geometric_mean), all, {}});
  if (found.interval)
    out.back().interval = {loss_percent(found.interval->low), loss_percent(found.interval->high)};
  return out;
}

const FurtherFigures& diff_figures() {
  static const FurtherFigures further{
      {"any.slower", "any.faster", "slower", "faster", "geomean", "missing"},
      "; of diff any.slower and any.faster (of each change beyond the noise, in percent), slower "
      "and faster (their number), geomean (in percent), missing (configurations of OLD alone)",
      {}};
  return further;
}

doc::Table table_of(const DiffDocument& document) {
  doc::Table table;
  table.keys = std::max<std::size_t>(document.inputs.columns.size(), 1);
  for (const std::string& column : document.inputs.columns)
    table.columns.push_back(doc::words(column, column));
  const std::string unit = document.unit.empty() ? "" : " [" + document.unit + "]";
  for (doc::Column& column : std::vector{
           doc::numbers("old" + unit, "old"), doc::numbers("new" + unit, "new"),
           doc::numbers("new / old", "ratio"), doc::numbers("95 % interval"),
           doc::words("", "verdict"), doc::for_programs("lower"), doc::for_programs("upper")})
    table.columns.push_back(std::move(column));
  for (const Change& change : document.comparison.changes) {
    std::vector<doc::Cell> cells(change.key.begin(), change.key.end());
    cells.insert(cells.end(), {change.before, change.after, change.ratio, change.interval,
                               to_text(change.verdict)});
    for (const auto end : {&Interval::low, &Interval::high})
      cells.push_back(change.interval ? doc::Cell((*change.interval).*end) : doc::Cell());
    table.add(std::move(cells));
  }
  return table;
}

/// Where along an input it differs, and whether the law changed; empty if neither.
std::string words_of(const Growth& growth) {
  const std::string at =
      growth.at.empty()
          ? ""
          : joined(mapped(growth.at,
                          [](const auto& input) { return input.first + "=" + input.second; }),
                   " ") +
                ": ";
  std::string out;
  if (growth.from)
    out += fmt::format("{}from {}={} on {} by {} % on average\n", at, growth.column,
                       to_text(*growth.from), growth.ratio_from > 1 ? "slower" : "faster",
                       rounded(std::abs(loss_percent(growth.ratio_from))));
  if (growth.changed)
    out += fmt::format("{}the law along {} changed: {} -> {} (new / old ~ {}^{}, {} .. {})\n", at,
                       growth.column, growth.before, growth.after, growth.column,
                       rounded(growth.exponent), rounded(growth.interval.low),
                       rounded(growth.interval.high));
  return out;
}

std::string formatted(const DiffDocument& document, const DiffArguments& arguments) {
  doc::Document out;
  out.json = [&] { return to_json(document); };
  out.add(table_of(document), 0);
  const difference::Comparison& found = document.comparison;
  const auto percent_of = [](double ratio) { return fmt::format("{:+.2f}", loss_percent(ratio)); };
  std::string words = "\ngeometric mean: " + percent_of(found.geometric_mean) + " %";
  if (found.interval)
    words += fmt::format(" ({} .. {}); {} slower, {} faster, {} the same within the noise\n",
                         percent_of(found.interval->low), percent_of(found.interval->high),
                         document.count(Verdict::slower), document.count(Verdict::faster),
                         document.count(Verdict::same));
  else
    words += "; one run each, so no interval: repeat the runs to tell changes from noise\n";
  for (const Growth& growth : found.growths)
    words += words_of(growth);
  for (const auto& [set, keys] :
       {std::pair{"old", &document.only_old}, {"new", &document.only_new}})
    if (!keys->empty())
      words += fmt::format("only in the {} runs: {}\n", set, enumerated(*keys, 5));
  out.add(words);
  out.escapes_markup = true;
  return out.in(arguments.format, output_width(arguments.output));
}

void setup_diff(OptionSet& command, DiffArguments& arguments) {
  add_input(command, "OLD", arguments.before, "the runs before the change, in any format of fit")
      .required();
  add_input(command, "NEW", arguments.after, "the runs after it").required();
  command.group("Options");
  add_format(command, arguments.format, "format of the result");
  add_output(command, arguments.output, "FILE");
  add_gates(command, arguments.gates, "exit code 4 if this holds, in percent: 'any.slower>5'",
            diff_figures());
  add_role_options(command, arguments.roles, arguments.input);
  command.footer(
      R"(Runs are matched by all their inputs; repeated runs tell the noise.

Examples:
  perfmodel diff old.csv new.csv
  perfmodel diff main.json branch.json --fail-if 'any.slower>5')");
}

/// Throws UsageError for conditions that cannot be judged.
void require_figures(const std::vector<Gate>& gates, bool has_noise) {
  for (const Gate& gate : gates) {
    const bool is_known = contains(diff_figures().names, gate.figure);
    if (!is_known || (!has_noise && gate.figure != "geomean" && gate.figure != "missing"))
      throw UsageError(fmt::format(
          "--fail-if '{}': {}", gate.text,
          is_known ? "one run of each configuration does not tell the noise; repeat the runs, or "
                     "judge geomean"
                   : "diff judges " + joined(diff_figures().names, ", ")));
  }
}

int run_diff(const DiffArguments& arguments, Console& console) {
  OutputFile output(arguments.output);
  const LabelledRuns runs = both_sets(arguments, console);
  DiffDocument document;
  document.old_file = base_name(arguments.before);
  document.new_file = base_name(arguments.after);
  document.target = runs.roles.target;
  document.unit = runs.roles.unit;
  document.inputs.texts = runs.roles.categorical.size();
  for (const auto& part : {runs.roles.categorical, runs.roles.intrinsic, runs.roles.extrinsic})
    document.inputs.columns.insert(document.inputs.columns.end(), part.begin(), part.end());
  document.comparison = difference::compare(pairs_of(runs, document), document.inputs);
  require_figures(arguments.gates, document.comparison.interval.has_value());
  const std::vector<JudgedGate> gates = judged_gates(arguments.gates, figures_of_diff(document));
  document.gates = {gates.begin(), gates.end()};
  finish(output, formatted(document, arguments));
  for (const std::string& why : open_gates(gates))
    console.notice(why);
  check_gates(gates);
  return 0;
}

Command diff_command() {
  return make_command<DiffArguments>(
      "diff", "Compares two sets of runs: what changed beyond the noise.", setup_diff, run_diff);
}

}  // namespace
}  // namespace perfmodel::cli

namespace perfmodel {

void add_diff() {
  add<cli::CommandEntry>({{"diff", cli::diff_command, "evaluate"}});
  add<DocumentKind>({{"diff", schema_of<DiffDocument>}});
}

}  // namespace perfmodel
