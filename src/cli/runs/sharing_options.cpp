#include "cli/runs/sharing_options.hpp"

#include <charconv>
#include <cstdlib>

#include "cli/options/option_set.hpp"
#include "io/file/digest.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel::cli {
namespace {

constexpr auto kShardOption = "--shard";
constexpr std::string_view kShardPlace = "{shard}";
constexpr auto kSharingGroup = "Many models, many machines";

std::optional<std::size_t> count_of(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value)
                                                                  : std::nullopt;
}

class Engine {
 public:
  explicit Engine(const EnvironmentVariable& environment) : environment_(environment) {}

  /// Of the engine that this process runs under.
  Shard shard() const {
    for (const auto& [rank, size] :
         {std::pair{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, {"PMI_RANK", "PMI_SIZE"}})
      if (const auto place = number(rank))
        return checked(*place, number(size).value_or(0), rank);
    Shard out = array();
    // Of the tasks of a job step; the script of a job is one task, however many are allotted.
    if (number("SLURM_STEP_ID") && number("SLURM_PROCID")) {
      const Shard step = checked(*number("SLURM_PROCID"),
                                 number("SLURM_STEP_NUM_TASKS").value_or(0), "SLURM_PROCID");
      out = {out.index * step.of + step.index, out.of * step.of};
    }
    return out;
  }

 private:
  const EnvironmentVariable& environment_;

  std::optional<std::size_t> number(const char* name) const {
    const char* const text = environment_(name);
    return text == nullptr ? std::nullopt : count_of(text);
  }

  static Shard checked(std::size_t index, std::size_t of, const std::string& name) {
    if (index >= of)
      throw OptionError(
          kShardOption,
          "auto: " + name + " and its number of tasks contradict each other; pass i/n");
    return {index, of};
  }

  Shard array() const {
    const auto id = number("SLURM_ARRAY_TASK_ID");
    if (!id)
      return {};
    const std::size_t first = number("SLURM_ARRAY_TASK_MIN").value_or(0);
    const std::size_t last = number("SLURM_ARRAY_TASK_MAX").value_or(0);
    const std::size_t count = number("SLURM_ARRAY_TASK_COUNT").value_or(0);
    const std::size_t step = count > 1 && last > first ? (last - first) / (count - 1) : 1;
    if (*id < first || first + step * (count - 1) != last || (*id - first) % step != 0)
      throw OptionError(kShardOption,
                        "auto: the tasks of the array are not at equal distances; pass i/n");
    return checked((*id - first) / step, count, "SLURM_ARRAY_TASK_ID");
  }
};

}  // namespace

Shard parse_shard(const std::string& text, const EnvironmentVariable& environment) {
  if (text == "auto")
    return Engine(environment).shard();
  const auto slash = text.find('/');
  if (slash != std::string::npos) {
    const auto index = count_of(std::string_view(text).substr(0, slash));
    const auto of = count_of(std::string_view(text).substr(slash + 1));
    if (index && of && *index >= 1 && *index <= *of)
      return {*index - 1, *of};
  }
  throw OptionError(kShardOption, "'" + text + "' is neither i/n with 1 <= i <= n nor auto");
}

void add_shard(OptionSet& app, std::optional<Shard>& shard, const std::string& tasks) {
  app.add_option_function(
         kShardOption,
         [&](const std::string& text) {
           // No thread changes the environment.
           shard = parse_shard(
               text,
               [](const char* name) {
                 return std::getenv(name);
               });  // NOLINT(concurrency-mt-unsafe)
         },
         "of " + tasks +
             " the i-th of n parts alone,\n"
             "or auto: as Open MPI, PMI or Slurm says; merge makes\nthe whole of them")
      .type_name("I/N|auto")
      .group(kSharingGroup);
}

void add_resume(OptionSet& app, bool& resume) {
  app.add_flag("--resume", resume, "go on with what an interrupted run left in\nFILE.partial")
      .group(kSharingGroup);
}

std::string path_of_shard(std::string path, const std::optional<Shard>& shard) {
  const auto place = path.find(kShardPlace);
  if (place != std::string::npos)
    path.replace(place, kShardPlace.size(), std::to_string(shard.value_or(Shard{}).index + 1));
  return path;
}

void check_sharing(const SharingArguments& arguments, const std::string& output, bool has_gates) {
  if (arguments.resume && output == "-")
    throw UsageError("--resume goes on in a file; name it with -o");
  if (!arguments.shard)
    return;
  const std::string path = path_of_shard(output, arguments.shard);
  if (arguments.shard->of > 1 && path != "-" &&
      path.find(std::to_string(arguments.shard->index + 1)) == std::string::npos)
    throw UsageError("every shard needs a file of its own: -o part-{shard}.jsonl");
  if (has_gates)
    throw UsageError("--fail-if judges all of it; pass it to merge");
}

std::string job_digest(const SharingArguments& arguments, const std::string& tool,
                       const std::vector<std::string>& inputs) {
  std::string text = tool + "\n";
  for (const std::string& input : inputs)
    text += input + "\n";
  return sha256(text + arguments.settings);
}

}  // namespace perfmodel::cli
