#include "cli/runs/task_run.hpp"

#include <utility>

#include "base/text.hpp"
#include "cli/options/replaced_input.hpp"
#include "io/file/digest.hpp"
#include "io/file/input_file.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/pipeline/runs_file.hpp"

namespace perfmodel::cli {

std::vector<std::string> kept_lines(LinesFile& output, const std::string& header,
                                    const std::vector<std::size_t>& tasks) {
  const std::string& source = output.partial();
  if (output.kept().find('\n') == std::string::npos) {  // nothing, or cut within the header
    output.keep(0);
    return {};
  }
  const PartText text = parse_part(source, output.kept());
  const std::size_t first = output.kept().find('\n') + 1;
  if (output.kept().substr(0, first) != header) {
    throw InputError(source + ": these are the results of other runs, options or shards; remove " +
                     "the file, or run without --resume");
  }
  std::vector<std::string> out;
  std::size_t whole = first;
  for (std::size_t i = 0; i < text.tasks.size(); ++i) {
    if (i >= tasks.size() || text.tasks[i] != tasks[i])
      throw InputError(source + ": task " + std::to_string(text.tasks[i]) + " is out of order");
    whole += text.lines[i].size();
    out.emplace_back(text.lines[i]);
  }
  output.keep(whole);
  return out;
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
  const std::vector<std::string> kept =
      kept_lines(*output_, to_line(header), tasks_of_shard(tasks, arguments_.shard));
  if (output_->kept().empty())
    output_->write(to_line(header));
  share_.emplace(*arguments_.shard, kept,
                 [this](const std::string& line) { output_->write(line); });
  return &*share_;
}

}  // namespace perfmodel::cli
