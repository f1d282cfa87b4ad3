#include "model/columns/facts/well_known_names.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace perfmodel {
namespace {

struct UnitSuffix {
  std::string_view suffix;
  std::string_view unit;
};

constexpr std::array kUnitSuffixes{
    UnitSuffix{"_s", "s"},
    UnitSuffix{"_sec", "s"},
    UnitSuffix{"_secs", "s"},
    UnitSuffix{"_seconds", "s"},
    UnitSuffix{"_ms", "ms"},
    UnitSuffix{"_msec", "ms"},
    UnitSuffix{"_milliseconds", "ms"},
    UnitSuffix{"_us", "us"},
    UnitSuffix{"_usec", "us"},
    UnitSuffix{"_microseconds", "us"},
    UnitSuffix{"_ns", "ns"},
    UnitSuffix{"_nsec", "ns"},
    UnitSuffix{"_nanoseconds", "ns"},
};

// All names without underscores, so that "batch_size" and "batchsize" are one.
constexpr std::array<std::string_view, 24> kTimes{
    "time",          "t",         "iterationtime", "itertime",  "timeperiteration", "steptime",
    "timeperstep",   "batchtime", "timeperbatch",  "epochtime", "timeperepoch",     "trainingtime",
    "traintime",     "runtime",   "walltime",      "elapsed",   "elapsedtime",      "duration",
    "executiontime", "exectime",  "totaltime",     "meantime",  "averagetime",      "measuredtime",
};

constexpr std::array<std::string_view, 15> kCountedThings{
    "gpus",    "workers", "nodes",    "processes", "procs",        "ranks",     "cores",     "cpus",
    "threads", "devices", "machines", "replicas",  "accelerators", "instances", "executors",
};

// Words beside a counted thing that leave it a scale: "mpi_procs", "spark_executors". Others can
// make it a property of the problem or the machine: "hidden_nodes", "tensor_cores".
constexpr std::array<std::string_view, 13> kWordsOfScales{
    "num",    "n",        "number", "of",      "total",   "mpi",    "omp",
    "openmp", "parallel", "spark",  "cluster", "compute", "worker",
};

// What is shared out where "parallel" stands beside it: "num_tensor_parallel_workers".
constexpr std::array<std::string_view, 6> kSharedOut{
    "tensor", "data", "pipeline", "model", "expert", "sequence",
};

// Words beside a batch that make it something else than the size of one: "max_batch_size".
constexpr std::array<std::string_view, 8> kNotOfBatchSizes{
    "num", "n", "number", "max", "min", "use", "is", "no",
};

constexpr std::array<std::string_view, 12> kBatches{
    "batch",       "batchsize",       "localbatch",     "localbatchsize",
    "globalbatch", "globalbatchsize", "microbatch",     "microbatchsize",
    "minibatch",   "minibatchsize",   "totalbatchsize", "effectivebatchsize",
};

template <std::size_t n>
bool contains(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string without_underscores(std::string_view name) {
  std::string result = folded(name);
  std::erase(result, '_');
  return result;
}

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : folded(name) + "_")
    if (c != '_')
      word += c;
    else if (!word.empty())
      words.push_back(std::exchange(word, {}));
  return words;
}

/// "workers" of "worker", "processes" of "process".
std::string plural(const std::string& word) {
  return word + (word.ends_with("s") ? "es" : "s");
}

/// "mpi_procs", "num_tensor_parallel_workers", "mpi_rank_count", "num_gpu".
bool counts_things(std::vector<std::string> words) {
  const bool has_count = !words.empty() && words.back() == "count";
  if (has_count)
    words.pop_back();
  if (words.empty())
    return false;
  const bool is_counted = has_count || words[0] == "num" || words[0] == "n";
  std::string thing = words.back();
  words.pop_back();
  if (is_counted && !contains(kCountedThings, thing))
    thing = plural(thing);
  const bool parallel = std::find(words.begin(), words.end(), "parallel") != words.end();
  const auto leaves_a_scale = [&](const std::string& word) {
    return contains(kWordsOfScales, word) || (parallel && contains(kSharedOut, word));
  };
  return contains(kCountedThings, thing) && std::all_of(words.begin(), words.end(), leaves_a_scale);
}

/// "train_batch_size", "batch_size_per_gpu", "per_device_batch".
bool is_batch_size(std::vector<std::string> words) {
  if (words.size() > 2 && words[words.size() - 2] == "per")
    words.resize(words.size() - 2);
  if (words.size() > 1 && words.back() == "size")
    words.pop_back();
  return !words.empty() && (words.back() == "batch" || words.back() == "batchsize") &&
         std::none_of(words.begin(), words.end(),
                      [](const std::string& word) { return contains(kNotOfBatchSizes, word); });
}

const UnitSuffix* suffix_of(std::string_view folded_name) {
  const auto suffix = std::find_if(
      kUnitSuffixes.begin(), kUnitSuffixes.end(),
      [&](const UnitSuffix& candidate) { return folded_name.ends_with(candidate.suffix); });
  return suffix == kUnitSuffixes.end() ? nullptr : &*suffix;
}

}  // namespace

bool is_time_name(std::string_view name) {
  std::string base = folded(name);
  if (const UnitSuffix* suffix = suffix_of(base))
    base.resize(base.size() - suffix->suffix.size());
  return contains(kTimes, without_underscores(base));
}

bool has_time_unit(std::string_view name) {
  return suffix_of(folded(name)) != nullptr;
}

bool is_scale_name(std::string_view name) {
  const std::string whole = without_underscores(name);
  if (contains(kBatches, whole))
    return true;
  std::string_view base = whole;
  if (base.ends_with("count") &&  // "gpucount"
      contains(kCountedThings, plural(std::string(base.substr(0, base.size() - 5)))))
    return true;
  for (const std::string_view prefix : {"numberof", "num", "n"})
    if (base.starts_with(prefix) && contains(kCountedThings, base.substr(prefix.size())))
      return true;
  const std::vector<std::string> words = words_of(name);
  return contains(kCountedThings, base) || counts_things(words) || is_batch_size(words);
}

std::string unit_of(std::string_view name) {
  const UnitSuffix* suffix = suffix_of(folded(name));
  return suffix == nullptr ? std::string() : std::string(suffix->unit);
}

}  // namespace perfmodel
