#include <cstdlib>
#include <utility>

#include "analysis/model_words.hpp"
#include "base/text.hpp"
#include "cli/app.hpp"
#include "cli/fit_summary.hpp"
#include "many/group_fits.hpp"
#include "many/set_summary.hpp"
#include "perfmodel/error.hpp"
#include "registry/registry.hpp"

namespace perfmodel::cli {

Command merge_command();

namespace {

constexpr auto kShardOption = "--shard";
constexpr std::string_view kShardPlace = "{shard}";

/// The number that an environment variable holds.
std::optional<std::size_t> number_of(const char* variable) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no thread changes the environment
  const char* const text = std::getenv(variable);
  return text == nullptr ? std::nullopt : parse_whole(text);
}

Shard checked_shard(std::size_t index, std::size_t of, const std::string& name) {
  if (index >= of)
    throw OptionError(kShardOption,
                      "auto: " + name + " and its number of tasks contradict each other; pass i/n");
  return {index, of};
}

Shard shard_of_array() {
  const auto id = number_of("SLURM_ARRAY_TASK_ID");
  if (!id)
    return {};
  const std::size_t first = number_of("SLURM_ARRAY_TASK_MIN").value_or(0);
  const std::size_t last = number_of("SLURM_ARRAY_TASK_MAX").value_or(0);
  const std::size_t count = number_of("SLURM_ARRAY_TASK_COUNT").value_or(0);
  const std::size_t step = count > 1 && last > first ? (last - first) / (count - 1) : 1;
  if (*id < first || first + step * (count - 1) != last || (*id - first) % step != 0)
    throw OptionError(kShardOption,
                      "auto: the tasks of the array are not at equal distances; pass i/n");
  return checked_shard((*id - first) / step, count, "SLURM_ARRAY_TASK_ID");
}

/// The rank and size that Open MPI, an MPI with PMI (MPICH, Intel), a Slurm array or srun sets, or
/// a single shard if none of them does.
Shard shard_of_launcher() {
  for (const auto& [rank, size] :
       {std::pair{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, {"PMI_RANK", "PMI_SIZE"}})
    if (const auto place = number_of(rank))
      return checked_shard(*place, number_of(size).value_or(0), rank);
  const Shard array = shard_of_array();
  // Only job steps have tasks; a batch script is one task, however many are allocated.
  const auto place = number_of("SLURM_STEP_ID") ? number_of("SLURM_PROCID") : std::nullopt;
  if (!place)
    return array;
  const Shard step =
      checked_shard(*place, number_of("SLURM_STEP_NUM_TASKS").value_or(0), "SLURM_PROCID");
  return {array.index * step.of + step.index, array.of * step.of};
}

/// Parses "2/8" or "auto". Throws OptionError.
Shard parse_shard(const std::string& text) {
  if (text == "auto")
    return shard_of_launcher();
  const std::vector<std::string> parts = split_list(text, '/');
  const auto index = parse_whole(parts.front());
  const auto of = parts.size() == 2 ? parse_whole(parts[1]) : std::nullopt;
  if (!index || !of || *index < 1 || *index > *of)
    throw OptionError(kShardOption, "'" + text + "' is neither i/n with 1 <= i <= n nor auto");
  return {*index - 1, *of};
}

/// The path of the results: "part-{shard}.jsonl" is "part-3.jsonl" for the third shard. Throws
/// UsageError if shards would write to one file, or if results would replace one of the runs.
std::string path_of_results(const FitArguments& arguments, std::string path) {
  const Shard shard = arguments.many.shard.value_or(Shard{});
  const std::string number = std::to_string(shard.index + 1);
  if (const auto place = path.find(kShardPlace); place != std::string::npos)
    path.replace(place, kShardPlace.size(), number);
  if (shard.of > 1 && path != "-" && path.find(number) == std::string::npos)
    throw UsageError("every shard needs a file of its own: -o part-{shard}.jsonl");
  for (const std::string& input : arguments.runs)
    refuse_to_replace(input, path);
  return path;
}

ModelSetHeader header_of(const FitArguments& arguments, const GroupJob& job) {
  ModelSetHeader out;
  out.tool = tool_name();
  out.job = sha256(out.tool + "\n" + job.file + "\n" + job.digest + "\n" +
                   joined(arguments.call.options, "\n"));
  out.tasks = job.tasks();
  out.shard = arguments.many.shard;
  out.file = job.file;
  out.by = arguments.many.by;
  return out;
}

/// Writes the header or, with --resume, compares it with that of an earlier run, whose lines are
/// passed to `visit`. Returns the numbers of the tasks that are left. Throws InputError if the
/// lines are of other runs or options.
std::vector<std::size_t> resumed(LinesFile& results, const std::string& path,
                                 const ModelSetHeader& header,
                                 const std::function<void(std::string_view line)>& visit) {
  const Shard shard = header.shard.value_or(Shard{});
  const std::string& source = results.partial();
  std::size_t lines = 0;
  std::size_t next = shard.index;  // task
  results.keep_lines([&](std::string_view line) {
    if (++lines == 1) {
      if (line != to_line(header))
        // A complete file was copied to the partial one: both must go.
        throw InputError(source + ": these are the results of other runs, options or shards; " +
                         "remove it and " + path + ", or run without --resume");
      return true;
    }
    const std::optional<std::size_t> task = task_of_line(place_of_line(source, lines), line);
    if (!task)
      return false;
    if (*task != next || next >= header.tasks)
      throw InputError(source + ": task " + std::to_string(*task) + " is out of order");
    next += shard.of;
    visit(line);
    return true;
  });
  if (!results.has_kept())
    results.write(to_line(header));
  std::vector<std::size_t> open;
  for (; next < header.tasks; next += shard.of)
    open.push_back(next);
  return open;
}

void add_many_options(OptionSet& command, FitArguments& arguments) {
  const Condition many = {"many models: --by, or several targets",
                          [&] { return asks_for_many(arguments); }};
  command.group("Many models, many machines", /*of_program=*/true);
  command.add(
      "--by A,B", [&](const std::string& text) { arguments.many.by = split_list(text); },
      "one model per group of rows that agree in these columns; with several targets, also per "
      "target (--target time_s,mem_mb); the result is JSON lines");
  command
      .add("--set COL=VALUE", arguments.many.ranked_at,
           "values of inputs for the ranking, as in show")
      .of_no_result()
      .needs(many);
  command.flag("--resume", arguments.many.resume, "continue an interrupted run from FILE.partial")
      .of_no_result()
      .needs(many)
      .needs("--output !-", "it goes on in a file");
  command
      .add("--shard I/N|auto", arguments.many.shard, parse_shard,
           "compute only shard I of N of the models; auto: I/N from Open MPI, PMI or Slurm; merge "
           "joins the shards")
      .of_no_result()
      .needs(many)
      .excludes("--fail-if", "it judges all of them; pass it to merge");
  command.common({"--by"});
}

int run_fit_many(const FitArguments& arguments, const std::string& output_path, Console& console) {
  FitRequest request = request_of(arguments);
  const std::string path = path_of_results(arguments, output_path);
  LinesFile output(path, arguments.many.resume);
  std::optional<SearchProgress> progress(console);
  progress->begin("reading " + joined(arguments.runs, ", "));
  const GroupJob job =
      read_groups(arguments.runs, arguments.many.by, arguments.roles, arguments.input);

  const ModelSetHeader header = header_of(arguments, job);
  const SignalWatch signals;
  request.options.stop = signals.token();
  std::size_t done = 0;
  std::size_t models = 0;
  const std::vector<std::size_t> open = resumed(output, path, header, [&](std::string_view line) {
    ++done;
    models += parse_set_line(output.partial(), line, header)->model ? 1U : 0U;
  });
  const std::size_t all = done + open.size();
  // Models that are in a file are not kept in memory.
  const bool is_in_memory = output.partial().empty();
  std::vector<ModelSetLine> kept;
  fit_groups(job, open, request, [&](ModelSetLine line) {
    output.write(to_line(line, header));
    models += line.model ? 1U : 0U;
    if (is_in_memory)
      kept.push_back(std::move(line));
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
  const ModelSet set =
      is_in_memory ? ModelSet(std::move(kept), header) : ModelSet(TextLines(path), header);
  show_set(set, arguments.many.ranked_at, models < all, console);
  std::size_t badly_fitted = 0;
  set.for_each_model([&](const ModelSetLine& /*line*/, const FittedModel& model) {
    badly_fitted += lacks_fit(model) ? 1U : 0U;
  });
  if (badly_fitted > 0 && chose_no_form(arguments))
    console.notice("Eq. (4) fits " + std::to_string(badly_fitted) + " of " +
                   std::to_string(models) + " models badly; another form may fit far better:\n  " +
                   arguments.call.line + " --expression auto");
  if (path == kNowhere)
    console.notice("the models are not written anywhere; save them: -o models.jsonl");
  if (models == 0 && all > 0 && !header.shard)
    throw InputError("no model could be fitted");
  check_gates(judged_set_gates(arguments.gates, set));
  return 0;
}

}  // namespace
}  // namespace perfmodel::cli

namespace perfmodel {

void add_many() {
  add<cli::CommandEntry>({{"merge", cli::merge_command, "fit"}});
  add<cli::ManyModels>(
      {{cli::add_many_options, cli::run_fit_many, cli::set_summary, cli::set_page}});
}

}  // namespace perfmodel
