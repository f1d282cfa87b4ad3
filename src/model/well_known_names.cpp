#include "model/well_known_names.hpp"

#include <algorithm>
#include <array>

#include "perfmodel/base/text.hpp"

namespace perfmodel {
namespace {

struct UnitSuffix {
  std::string_view suffix;
  std::string_view unit;
};

constexpr std::array unit_suffixes{
    UnitSuffix{"_s", "s"},
    UnitSuffix{"_sec", "s"},
    UnitSuffix{"_seconds", "s"},
    UnitSuffix{"_ms", "ms"},
    UnitSuffix{"_milliseconds", "ms"},
    UnitSuffix{"_us", "us"},
    UnitSuffix{"_microseconds", "us"},
    UnitSuffix{"_ns", "ns"},
};

// All names without underscores, so that "batch_size" and "batchsize" are one.
constexpr std::array<std::string_view, 24> times{
    "time",          "t",         "iterationtime", "itertime",  "timeperiteration", "steptime",
    "timeperstep",   "batchtime", "timeperbatch",  "epochtime", "timeperepoch",     "trainingtime",
    "traintime",     "runtime",   "walltime",      "elapsed",   "elapsedtime",      "duration",
    "executiontime", "exectime",  "totaltime",     "meantime",  "averagetime",      "measuredtime",
};

constexpr std::array<std::string_view, 13> counted_things{
    "gpus", "workers", "nodes",   "processes", "procs",    "ranks",        "cores",
    "cpus", "threads", "devices", "machines",  "replicas", "accelerators",
};

constexpr std::array<std::string_view, 12> batches{
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

const UnitSuffix* suffix_of(std::string_view folded_name) {
  const auto suffix = std::find_if(
      unit_suffixes.begin(), unit_suffixes.end(),
      [&](const UnitSuffix& candidate) { return folded_name.ends_with(candidate.suffix); });
  return suffix == unit_suffixes.end() ? nullptr : &*suffix;
}

}  // namespace

bool is_time_name(std::string_view name) {
  std::string base = folded(name);
  if (const UnitSuffix* suffix = suffix_of(base)) {
    base.resize(base.size() - suffix->suffix.size());
  }
  return contains(times, without_underscores(base));
}

bool is_scale_name(std::string_view name) {
  const std::string whole = without_underscores(name);
  if (contains(batches, whole)) {
    return true;
  }
  std::string_view base = whole;
  if (base.ends_with("count")) {  // "gpu_count"
    return contains(counted_things, std::string(base.substr(0, base.size() - 5)) + "s");
  }
  for (const std::string_view prefix : {"numberof", "num", "n"}) {
    if (base.starts_with(prefix) && contains(counted_things, base.substr(prefix.size()))) {
      return true;
    }
  }
  return contains(counted_things, base);
}

std::string unit_of(std::string_view name) {
  const UnitSuffix* suffix = suffix_of(folded(name));
  return suffix == nullptr ? std::string() : std::string(suffix->unit);
}

}  // namespace perfmodel
