#include "cli/commands/fit/fit_many.hpp"

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "cli/options/flag_names.hpp"
#include "cli/options/numbers.hpp"
#include "cli/options/option_set.hpp"
#include "cli/options/replaced_input.hpp"
#include "cli/runs/set_gates.hpp"
#include "cli/runs/set_summary.hpp"
#include "cli/runs/task_run.hpp"
#include "cli/terminal/search_progress.hpp"
#include "cli/terminal/signals.hpp"
#include "io/file/digest.hpp"
#include "io/file/lines_file.hpp"
#include "io/model/model_set.hpp"
#include "perfmodel/base/error.hpp"
#include "pipeline/group_fits.hpp"

namespace perfmodel::cli {
namespace {

void check_many(const FitArguments& arguments) {
  const auto refuse = [](bool given, const std::string& option) {
    if (given)
      throw UsageError(option + " does not go with many models at once");
  };
  refuse(arguments.test.has_value(), "--test");
  check_sharing(arguments.sharing, arguments.output.value_or("-"), !arguments.gates.empty());
  if (arguments.target_name && !arguments.roles.target)
    throw UsageError("--target-name needs --target: the column of the values");
  if (arguments.target_name && arguments.roles.throughput)
    throw UsageError("--target-name does not go with --throughput-target");
}

GroupRequest groups_of_arguments(const FitArguments& arguments) {
  GroupRequest out;
  out.by = arguments.by;
  out.target_name = arguments.target_name;
  out.total = arguments.total;
  if (arguments.roles.target) {
    out.targets = arguments.target_name ? std::vector<std::string>{*arguments.roles.target}
                                        : split_list(*arguments.roles.target);
  }
  return out;
}

/// What an earlier run of the same job left.
ModelSet kept_set(const std::vector<std::string>& lines, const ModelSetHeader& header,
                  const std::string& source) {
  return parse_model_set(source, to_line(header) + joined(lines, ""));
}

ModelSetLine line_of(std::size_t number, const GroupTask& task, GroupOutcome outcome) {
  ModelSetLine line{number, task.key, task.target, task.rows.size(), std::move(outcome.model), {}};
  if (line.model)
    name_flags(*line.model);
  else
    line.refused = with_flags(outcome.refused);
  return line;
}

void require_a_model(const ModelSet& set) {
  for (const ModelSetLine& line : set.lines)
    if (line.model)
      return;
  if (!set.lines.empty() && !set.header.shard)
    throw InputError("no model could be fitted");
}

}  // namespace

void add_many_options(OptionSet& command, FitArguments& arguments) {
  constexpr auto group = "Many models, many machines";
  command
      .add_option_function(
          "--by", [&](const std::string& text) { arguments.by = split_list(text); },
          "a model for each group of rows with the same texts in\n"
          "these columns, and for each of several targets\n"
          "(--target time_s,mem_mb); the result is JSON lines")
      .type_name("A,B")
      .group(group);
  command
      .add_option("--target-name", arguments.target_name,
                  "of a long table: the column of the targets' names;\n"
                  "--target is then the column of their values")
      .type_name("COL")
      .group(group);
  command
      .add_option("--total", arguments.total,
                  "a target, a text of a key column or a further column\n"
                  "that the others add up to; the ranking says whether\n"
                  "they do")
      .type_name("NAME")
      .group(group);
  command.add_option("--set", arguments.ranked_at, "of the ranking: values of inputs, as in show")
      .type_name("COL=VALUE")
      .group(group);
}

bool asks_for_many(const FitArguments& arguments) {
  return !arguments.by.empty() || arguments.target_name.has_value() ||
         (arguments.roles.target && arguments.roles.target->find(',') != std::string::npos);
}

int run_fit_many(const FitArguments& arguments, FitRequest request, Console& console) {
  check_many(arguments);
  const std::string path = path_of_shard(arguments.output.value_or("-"), arguments.sharing.shard);
  for (const auto& runs : arguments.runs)
    refuse_to_replace(runs, path);
  LinesFile output(path, arguments.sharing.resume);

  std::optional<SearchProgress> progress(console);
  progress->begin("reading " + joined(arguments.runs, ", "));
  GroupRequest groups = groups_of_arguments(arguments);
  std::set<std::string> texts(arguments.roles.categorical.begin(),
                              arguments.roles.categorical.end());
  for (const std::string& column : groups.key_columns())
    texts.insert(column);
  RunsFile runs = read_runs(arguments.runs, texts, arguments.separator);
  if (arguments.roles.target && runs.table.find(*arguments.roles.target) != nullptr)
    groups.targets = {*arguments.roles.target};  // a name with a comma
  const std::vector<GroupTask> tasks = group_tasks(runs.table, groups, arguments.roles);
  const std::string digest = sha256(runs.bytes);

  ModelSetHeader header;
  header.tool = tool_name();
  header.file = runs.files.empty() ? base_name(runs.path) : runs.path;
  header.by = groups.by;
  if (groups.target_name) {
    header.target_name = groups.target_name;
    header.target_value = groups.targets.front();
  }
  header.total = total_of(groups, tasks);
  header.tasks = tasks.size();
  header.shard = arguments.sharing.shard;
  header.job = job_digest(arguments.sharing, header.tool, {header.file, digest});
  const std::vector<std::size_t> numbers = tasks_of_shard(tasks.size(), header.shard);
  ModelSet set = kept_set(kept_lines(output, to_line(header), numbers), header, output.partial());
  const bool is_only_shown = !arguments.output && !console.quiet() && is_terminal_output();
  const auto write = [&](const std::string& line) {
    if (!is_only_shown)
      output.write(line);
  };
  if (output.kept().empty())
    write(to_line(header));

  const SignalWatch signals;
  request.options.stop = signals.token();
  const std::vector<std::size_t> open(
      numbers.begin() + static_cast<std::ptrdiff_t>(set.lines.size()), numbers.end());
  fit_groups(runs, digest, groups, tasks, open, request,
             [&](std::size_t number, GroupOutcome outcome) {
               set.lines.push_back(line_of(number, tasks[number], std::move(outcome)));
               write(to_line(set.lines.back(), header));
               progress->show("fitting", set.lines.size(), numbers.size());
             });
  progress.reset();
  if (const auto signal = received_signal(); signal && set.lines.size() < numbers.size()) {
    console.warning(
        "interrupted: " + std::to_string(set.lines.size()) + " of " +
        std::to_string(numbers.size()) + " models are there" +
        (output.partial().empty() ? "" : ", in " + output.partial() + "; go on with --resume"));
    return exit_code_of_signal(*signal);
  }
  if (!is_only_shown)
    output.commit();
  console.summary(set_summary(set, console, arguments.ranked_at));
  if (const std::string refused = refused_text(set); !refused.empty())
    console.warning(refused);
  if (is_only_shown)
    console.notice("the models are not written anywhere; save them: -o models.jsonl");
  require_a_model(set);
  check_set_gates(arguments.gates, set);
  return 0;
}

}  // namespace perfmodel::cli
