#include <optional>
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
#include "cli/texts.hpp"
#include "jobs/group_fits.hpp"
#include "jobs/tasks.hpp"
#include "perfmodel/error.hpp"
#include "report/model_set.hpp"

namespace perfmodel::cli {
namespace {

struct MergeArguments {
  std::vector<std::string> parts = {};
  std::vector<std::string> gates = {};
  std::vector<std::string> ranked_at = {};  ///< COL=VALUE: configuration of the ranking
  std::string output = "-";
};

GroupRequest groups_of_arguments(const FitArguments& arguments) {
  GroupRequest out;
  out.by = arguments.by;
  if (arguments.request.roles.target)
    out.targets = split_list(*arguments.request.roles.target);
  return out;
}

ModelSetLine line_of(std::size_t number, const GroupTask& task, GroupOutcome outcome) {
  ModelSetLine line{number, task.key, task.target, task.rows, std::move(outcome.model), {}};
  if (!line.model)
    line.refused = outcome.refused;
  return line;
}

/// Shows the ranking of the models, and those that are missing if some are.
void show_set(const SetLines& set, const std::vector<std::string>& ranked_at, bool some_are_missing,
              Console& console) {
  if (!console.quiet())
    console.summary(set_summary(set, console, ranked_at));
  if (const std::string refused = some_are_missing ? refused_text(set) : ""; !refused.empty())
    console.warning(refused);
}

}  // namespace

void add_many_options(OptionSet& command, FitArguments& arguments) {
  const Condition many = {"many models: --by, or several targets",
                          [&] { return asks_for_many(arguments); }};
  command.group("Many models, many machines");
  command
      .add(
          "--by A,B", [&](const std::string& text) { arguments.by = split_list(text); },
          "one model per group of rows that agree in these columns; with several targets, also per "
          "target (--target time_s,mem_mb); the result is JSON lines")
      .of_program();
  command
      .add("--set COL=VALUE", arguments.ranked_at, "values of inputs for the ranking, as in show")
      .of_no_result()
      .of_program()
      .needs(many);
  add_sharing(command, arguments.sharing, many);
  command.common({"--by"});
}

bool asks_for_many(const FitArguments& arguments) {
  return !arguments.by.empty() || (arguments.request.roles.target &&
                                   arguments.request.roles.target->find(',') != std::string::npos);
}

int run_fit_many(const FitArguments& arguments, const std::string& path, FitRequest request,
                 Console& console) {
  TaskRun tasks(arguments.sharing, path, arguments.runs);
  LinesFile& output = tasks.results();

  std::optional<SearchProgress> progress(console);
  progress->begin("reading " + joined(arguments.runs, ", "));
  GroupRequest groups = groups_of_arguments(arguments);
  const GroupJob job =
      read_groups(arguments.runs, groups, arguments.request.roles, arguments.input);

  ModelSetHeader header;
  static_cast<TasksHeader&>(header) = tasks.header(job.tasks, {job.file, job.digest});
  header.file = job.file;
  header.by = groups.by;
  const SignalWatch signals;
  request.options.stop = signals.token();
  std::size_t done = 0;
  std::size_t models = 0;
  const std::vector<std::size_t> open =
      tasks.resume(header, to_line(header), [&](std::string_view line) {
        ++done;
        models += parse_set_line(output.partial(), line, header)->model ? 1U : 0U;
      });
  const std::size_t all = done + open.size();
  // Models that are in a file are not kept in memory.
  const bool is_in_memory = output.partial().empty();
  ModelSet set{header, {}};
  fit_groups(job, open, request, [&](std::size_t number, GroupOutcome outcome) {
    ModelSetLine line = line_of(number, job.task(number), std::move(outcome));
    output.write(to_line(line, header));
    models += line.model ? 1U : 0U;
    if (is_in_memory)
      set.lines.push_back(std::move(line));
    progress->show("fitting", ++done, all);
  });
  progress.reset();
  if (const auto signal = received_signal(); signal && done < all) {
    console.warning("interrupted: " + std::to_string(done) + " of " + std::to_string(all) +
                    " models are there" +
                    (is_in_memory ? "" : ", in " + output.partial() + "; go on with --resume"));
    return exit_code_of_signal(*signal);
  }
  output.commit();
  const SetLines lines = is_in_memory ? SetLines(set) : SetLines(TextLines(tasks.path()), header);
  show_set(lines, arguments.ranked_at, models < all, console);
  std::size_t badly_fitted = 0;
  lines.for_each([&](const ModelSetLine& line) {
    badly_fitted += line.model && lacks_fit(*line.model) ? 1U : 0U;
  });
  if (badly_fitted > 0 && chose_no_form(arguments))
    console.notice("Eq. (4) fits " + std::to_string(badly_fitted) + " of " +
                   std::to_string(models) + " models badly; another form may fit far better:\n  " +
                   arguments.command_line + " --expression auto");
  if (path == kNowhere)
    console.notice("the models are not written anywhere; save them: -o models.jsonl");
  if (models == 0 && all > 0 && !header.shard)
    throw InputError("no model could be fitted");
  check_set_gates(arguments.gates, lines);
  return 0;
}

namespace {

/// Merges the lines of shards into a set of models.
int merge_models(const MergeArguments& arguments, const MergedParts& parts,
                 std::optional<SearchProgress>& progress, Console& console) {
  std::vector<Gate> gates;
  for (const std::string& gate : arguments.gates)
    gates.push_back(parse_gate(gate, {{}, kSetFigureWords, is_set_figure}));
  require_set_figures(gates);
  OutputFile output(arguments.output);
  output.write(parts.header());
  std::size_t done = 0;
  parts.for_each_line([&](std::string_view line) {
    output.write(line);
    progress->show("joining", ++done, parts.tasks());
  });
  output.commit();
  const std::string source = display_name(arguments.output);
  const SetLines set(source, parse_set_header(source, parts.header()), [&](const auto& visit) {
    parts.for_each_line([&](std::string_view line) { visit(line.substr(0, line.size() - 1)); });
  });
  progress->begin("ranking the models");
  show_set(set, arguments.ranked_at, true, console);
  progress.reset();
  check_set_gates(gates, set);
  return 0;
}

void setup_merge(OptionSet& command, MergeArguments& arguments) {
  command.add("PART.jsonl", arguments.parts, "the files that --shard wrote, one per shard")
      .file(FileUse::input)
      .required();
  add_output(command, arguments.output, "FILE");
  command
      .add("--fail-if CONDITION", arguments.gates,
           "end with exit code 4 if this holds, such as 'any.mape>20' (repeatable); the result is "
           "written "
           "all the same")
      .repeatable();
  command
      .add("--set COL=VALUE", arguments.ranked_at,
           "configuration at which the models are ranked, as in show (repeatable)")
      .repeatable();
  command.common({"--fail-if", "--set"});
  command.footer(
      R"(If a part is missing, doubled, cut short, or of other runs or options, merge fails with exit code 3
and names the shards to run again. The result is byte for byte that of the command without --shard.

Examples:
  perfmodel merge part-*.jsonl -o all.jsonl
  perfmodel merge part-*.jsonl --fail-if 'any.mape>20' -o all.jsonl)");
}

int run_merge(const MergeArguments& arguments, Console& console) {
  std::optional<SearchProgress> progress(console);
  progress->begin("reading " + joined(arguments.parts, ", "));
  const std::vector<TextLines> files(arguments.parts.begin(), arguments.parts.end());
  std::string first;
  files.front().for_each([&](const TextLine& line) {
    first = line.text;
    return false;
  });
  require_header(files.front().source(), first);
  if (!is_model_set(first))
    throw InputError(files.front().source() + ": this is not a file that --shard wrote");
  return merge_models(arguments, MergedParts(files), progress, console);
}

}  // namespace

Command merge_command() {
  return make_command<MergeArguments>("merge", "Joins the models of shards.", setup_merge,
                                      run_merge);
}

}  // namespace perfmodel::cli
