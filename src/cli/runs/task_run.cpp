#include "cli/runs/task_run.hpp"

#include <utility>

#include "base/text.hpp"
#include "cli/options/replaced_input.hpp"
#include "io/file/digest.hpp"
#include "io/file/input_file.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/pipeline/runs_file.hpp"

namespace perfmodel::cli {

std::size_t kept_tasks(LinesFile& output, const std::string& header,
                       const std::vector<std::size_t>& tasks,
                       const std::function<void(std::string_view)>& visit) {
  const std::string& source = output.partial();
  std::size_t lines = 0;
  output.keep_lines([&](std::string_view line) {
    if (++lines == 1) {
      if (line != header)
        throw InputError(source + ": these are the results of other runs, options or shards; " +
                         "remove the file, or run without --resume");
      return true;
    }
    const std::size_t kept = lines - 2;
    const std::optional<std::size_t> task = task_of_line(place_of_line(source, lines), line);
    if (task && (kept >= tasks.size() || *task != tasks[kept]))
      throw InputError(source + ": task " + std::to_string(*task) + " is out of order");
    if (task)
      visit(line);
    else
      --lines;
    return task.has_value();
  });
  return lines == 0 ? 0 : lines - 1;
}

std::string tool_name() {
  return "perfmodel " PERFMODEL_VERSION;
}

std::vector<std::size_t> tasks_of_shard(std::size_t tasks, const std::optional<Shard>& shard) {
  std::vector<std::size_t> out;
  for (std::size_t task = 0; task < tasks; ++task)
    if (shard.value_or(Shard{}).has(task))
      out.push_back(task);
  return out;
}

TaskRun::TaskRun(const SharingArguments& arguments, const std::string& output,
                 std::vector<std::string> inputs, bool has_gates)
    : arguments_(arguments), inputs_(std::move(inputs)) {
  check_sharing(arguments, output, has_gates);
  if (arguments.resume && !is_shard())
    throw UsageError("--resume goes with --shard, and with many models (--by)");
  if (!is_shard())
    return;
  const std::string path = path_of_shard(output, arguments.shard);
  for (const std::string& input : inputs_) {
    if (input == "-")
      throw UsageError("--shard needs runs from a file: merge reads them again");
    refuse_to_replace(input, path);
  }
  output_ = std::make_unique<LinesFile>(path, arguments.resume);
}

const TaskShare* TaskRun::begin(std::size_t tasks) {
  if (!is_shard() && arguments_.merged == nullptr)
    return nullptr;
  std::vector<std::string> digests;
  for (const std::string& input : inputs_)
    digests.push_back(base_name(input) + " " + sha256(read_file(input)));
  TaskResultsHeader header;
  header.tasks.tool = tool_name();
  header.tasks.job = job_digest(arguments_, header.tasks.tool, digests);
  header.tasks.tasks = tasks;
  header.tasks.shard = arguments_.shard;
  header.command = arguments_.command;
  if (!is_shard()) {
    if (to_line(header) != arguments_.merged->common) {
      throw InputError("the parts are of other runs than what stands in " + joined(inputs_, ", ") +
                       " now, or of another version; give merge the same files, or run the " +
                       "shards again");
    }
    return &arguments_.merged->share;
  }
  if (tasks == 0)
    throw UsageError("--shard: there is nothing to share");
  std::vector<std::string> kept;
  kept_tasks(*output_, to_line(header), tasks_of_shard(tasks, arguments_.shard),
             [&](std::string_view line) { kept.emplace_back(line); });
  if (!output_->has_kept())
    output_->write(to_line(header));
  share_.emplace(*arguments_.shard, kept,
                 [this](const std::string& line) { output_->write(line); });
  return &*share_;
}

}  // namespace perfmodel::cli
