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
    UnitSuffix{"_minutes", "min"},
    UnitSuffix{"_hours", "h"},
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

struct BracketedUnit {
  std::string_view text;
  std::string_view word;  // that stands behind names
};

// In brackets these can be nothing else; "time_min" may be a minimum.
constexpr std::array kBracketedUnits{
    BracketedUnit{"\u00b5s", "us"},  BracketedUnit{"\u03bcs", "us"},
    BracketedUnit{"min", "minutes"}, BracketedUnit{"mins", "minutes"},
    BracketedUnit{"h", "hours"},     BracketedUnit{"hr", "hours"},
    BracketedUnit{"second", "s"},    BracketedUnit{"msecs", "ms"},
    BracketedUnit{"usecs", "us"},
};

/// Folded, with what stands in brackets at the end as a further word: "step_time_ms" of
/// "Step Time (ms)".
std::string plain_name(std::string_view name) {
  std::string text = folded(name);
  const auto open = text.find_last_of("([");
  if (open == std::string::npos || open == 0 || !(text.ends_with(')') || text.ends_with(']')))
    return text;
  std::string word = text.substr(open + 1, text.size() - open - 2);
  for (const BracketedUnit& unit : kBracketedUnits)
    if (word == unit.text)
      word = unit.word;
  text.resize(open);
  while (text.ends_with('_'))
    text.pop_back();
  return text + "_" + word;
}

std::string without_underscores(std::string_view name) {
  std::string result = plain_name(name);
  std::erase(result, '_');
  return result;
}

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : plain_name(name) + "_")
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

/// Of a plain name; a rate such as "samples_per_s" has none.
const UnitSuffix* suffix_of(std::string_view name) {
  const auto suffix =
      std::find_if(kUnitSuffixes.begin(), kUnitSuffixes.end(),
                   [&](const UnitSuffix& candidate) { return name.ends_with(candidate.suffix); });
  if (suffix != kUnitSuffixes.end() &&
      name.substr(0, name.size() - suffix->suffix.size()).ends_with("_per"))
    return nullptr;
  return suffix == kUnitSuffixes.end() ? nullptr : &*suffix;
}

}  // namespace

bool is_time_name(std::string_view name) {
  std::string base = plain_name(name);
  if (const UnitSuffix* suffix = suffix_of(base))
    base.resize(base.size() - suffix->suffix.size());
  return contains(kTimes, without_underscores(base));
}

bool has_time_unit(std::string_view name) {
  return suffix_of(plain_name(name)) != nullptr;
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
  const UnitSuffix* suffix = suffix_of(plain_name(name));
  return suffix == nullptr ? std::string() : std::string(suffix->unit);
}

bool has_bracketed_unit(std::string_view name) {
  return has_time_unit(name) && folded(name) != plain_name(name);
}

}  // namespace perfmodel
