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
#include "cli/runs/task_run.hpp"
#include "cli/sets/set_gates.hpp"
#include "cli/sets/set_summary.hpp"
#include "cli/terminal/search_progress.hpp"
#include "cli/terminal/signals.hpp"
#include "io/file/digest.hpp"
#include "io/file/lines_file.hpp"
#include "io/model/model_set.hpp"
#include "perfmodel/base/error.hpp"
#include "pipeline/group_fits.hpp"
#include "pipeline/shared_forms.hpp"

namespace perfmodel::cli {
namespace {

void check_share_form(const FitArguments& arguments) {
  const FitOptions& options = arguments.search.options;
  if (arguments.by.empty())
    throw UsageError("--share-form is of many groups: --by");
  if (options.expression == Expression::generic)
    throw UsageError("--share-form needs --expression multi or auto");
  std::vector<std::string> idle;
  const auto refuse = [&](const char* name, bool given) {
    if (given)
      idle.emplace_back(name);
  };
  refuse("--terms", options.terms.has_value());
  refuse("--signed", options.signed_terms);
  refuse("--l1", arguments.search.l1.has_value());
  refuse("--l2", arguments.search.l2.has_value());
  refuse("--residual process", options.residual == Residual::process);
  if (!idle.empty()) {
    throw UsageError(quoted_list(idle) + (idle.size() == 1 ? " does" : " do") +
                     " not go with --share-form, which chooses a sum of terms, and how near its "
                     "constants lie to common ones");
  }
}

void check_many(const FitArguments& arguments) {
  const auto refuse = [](bool given, const std::string& option) {
    if (given)
      throw UsageError(option + " does not go with many models at once");
  };
  refuse(arguments.test.has_value(), "--test");
  check_sharing(arguments.sharing, arguments.output.value_or("-"), !arguments.gates.empty());
  if (arguments.share_form)
    check_share_form(arguments);
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

ModelSetLine line_of(std::size_t number, const GroupTask& task, GroupOutcome outcome) {
  ModelSetLine line{number, task.key, task.target, task.rows, std::move(outcome.model), {}};
  if (line.model)
    name_flags(*line.model);
  else
    line.refused = with_flags(outcome.refused);
  return line;
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
      .add_flag("--share-form", arguments.share_form,
                "one form for all groups but those that one of their\n"
                "own predicts better; the fewer rows a group has, the\n"
                "nearer its constants are to common ones (--expression\n"
                "multi or auto)")
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
  const GroupJob job = read_groups(arguments.runs, groups, arguments.roles, arguments.separator);

  ModelSetHeader header;
  header.tool = tool_name();
  header.file = job.file;
  header.by = groups.by;
  if (groups.target_name) {
    header.target_name = groups.target_name;
    header.target_value = groups.targets.front();
  }
  header.total = total_of(groups, job);
  header.tasks = job.tasks;
  header.shard = arguments.sharing.shard;
  header.job = job_digest(arguments.sharing, header.tool, {header.file, job.digest});
  const std::vector<std::size_t> numbers = tasks_of_shard(job.tasks, header.shard);
  const SignalWatch signals;
  request.options.stop = signals.token();
  if (arguments.share_form) {
    progress->begin("choosing the form");
    header.shared_forms = share_forms(job, request);
    if (const auto signal = received_signal())
      return exit_code_of_signal(*signal);
  }
  std::size_t done = 0;
  std::size_t models = 0;
  done = kept_tasks(output, to_line(header), numbers, [&](std::string_view line) {
    models += parse_set_line(output.partial(), line, header)->model ? 1U : 0U;
  });
  const bool is_only_shown = !arguments.output && !console.quiet() && is_terminal_output();
  const auto write = [&](const std::string& line) {
    if (!is_only_shown)
      output.write(line);
  };
  if (!output.has_kept())
    write(to_line(header));

  const std::vector<std::size_t> open(numbers.begin() + static_cast<std::ptrdiff_t>(done),
                                      numbers.end());
  // What is in a file is not kept in memory, too.
  const bool is_in_memory = output.partial().empty();
  ModelSet set{header, {}};
  fit_groups(job, open, request, header.shared_forms,
             [&](std::size_t number, GroupOutcome outcome) {
               ModelSetLine line = line_of(number, job.task(number), std::move(outcome));
               write(to_line(line, header));
               models += line.model ? 1U : 0U;
               if (is_in_memory)
                 set.lines.push_back(std::move(line));
               progress->show("fitting", ++done, numbers.size());
             });
  progress.reset();
  if (const auto signal = received_signal(); signal && done < numbers.size()) {
    console.warning("interrupted: " + std::to_string(done) + " of " +
                    std::to_string(numbers.size()) + " models are there" +
                    (is_in_memory ? "" : ", in " + output.partial() + "; go on with --resume"));
    return exit_code_of_signal(*signal);
  }
  if (!is_only_shown)
    output.commit();
  const SetLines lines = is_in_memory ? SetLines(set) : SetLines(TextLines(path), header);
  if (!console.quiet())
    console.summary(set_summary(lines, console, arguments.ranked_at));
  if (const std::string refused = models < numbers.size() ? refused_text(lines) : "";
      !refused.empty())
    console.warning(refused);
  if (is_only_shown)
    console.notice("the models are not written anywhere; save them: -o models.jsonl");
  if (models == 0 && !numbers.empty() && !header.shard)
    throw InputError("no model could be fitted");
  check_set_gates(arguments.gates, lines);
  return 0;
}

}  // namespace perfmodel::cli
