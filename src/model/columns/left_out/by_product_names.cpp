#include "model/columns/left_out/by_product_names.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "model/columns/facts/name_words.hpp"
#include "model/columns/facts/well_known_names.hpp"

namespace perfmodel {
namespace {

using Words = std::vector<std::string>;

// Only the last word says what a column holds: "loss_scale" and "accuracy_goal" are settings.
constexpr std::array<std::string_view, 46> kResults{
    "throughput", "goodput", "util",       "utilization", "utilisation", "mfu",         "hfu",
    "occupancy",  "loss",    "accuracy",   "acc",         "perplexity",  "ppl",         "bleu",
    "f1",         "speedup", "efficiency", "tflops",      "tflop",       "ips",         "fps",
    "qps",        "rps",     "tps",        "iops",        "bandwidth",   "busbw",       "algbw",
    "bw",         "gbps",    "energy",     "joules",      "watts",       "temperature", "latency",
    "elapsed",    "wall",    "wallclock",  "duration",    "seconds",     "secs",        "overhead",
    "slowdown",   "runtime", "walltime",   "imbalance",
};

// Beside one of these a time or a rate is one that people ask for: "time_limit", "target_latency".
constexpr std::array<std::string_view, 16> kAskedFor{
    "limit",  "target",   "timeout",   "budget",  "requested", "offered",   "goal", "interval",
    "period", "deadline", "threshold", "allowed", "cap",       "scheduled", "peak", "rated",
};

constexpr std::array<std::string_view, 11> kUnitsOfTime{
    "s", "sec", "secs", "second", "seconds", "ms", "us", "min", "minute", "h", "hour",
};

constexpr std::array<std::string_view, 6> kUsed{"peak",  "max",       "used",
                                                "usage", "allocated", "reserved"};
constexpr std::array<std::string_view, 6> kMemory{"mem", "memory", "vram", "rss", "ram", "hbm"};

template <std::size_t n>
bool is_one_of(const std::array<std::string_view, n>& names, const std::string& word) {
  return std::find(names.begin(), names.end(), word) != names.end();
}

template <std::size_t n>
bool has_one_of(const std::array<std::string_view, n>& names, const Words& words) {
  return std::any_of(
      words.begin(), words.end(), [&](const std::string& word) { return is_one_of(names, word); });
}

/// "samples per s", "tokens per sec per gpu", "imgpersec".
bool is_rate(const Words& words) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == "per" && is_one_of(kUnitsOfTime, words[i + 1]))
      return true;
  return words.back().ends_with("persec") || words.back().ends_with("persecond");
}

// What follows on "time" where it is a setting: "time_steps".
constexpr std::array<std::string_view, 8> kCountedTimes{
    "step", "steps", "window", "windows", "series", "dim", "embedding", "bucket",
};

/// "forward_ms", "ctime", "time_in_place".
bool is_time(std::string_view name, const Words& words) {
  if (is_time_name(name) || has_time_unit(name) || words.back().ends_with("time"))
    return true;
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == "time")
      return !is_one_of(kCountedTimes, words[i + 1]);
  return false;
}

}  // namespace

bool is_by_product_name(std::string_view name) {
  const Words words = words_of_quantity(name);
  if (words.empty())
    return false;
  const Words all = name_words(name);
  if (has_one_of(kUsed, all) && has_one_of(kMemory, all))
    return true;
  // "peak" is of what was used in the line above, of what a machine can do otherwise.
  if (has_one_of(kAskedFor, words))
    return false;
  Words quantity = words;  // without a unit behind it: "throughput_gbs", "energy_j", "loss_1"
  if (quantity.size() > 1 && quantity.back().size() <= 3 && !is_one_of(kResults, quantity.back()))
    quantity.pop_back();
  return is_one_of(kResults, words.back()) || is_one_of(kResults, quantity.back()) ||
         is_rate(all) || is_time(name, words);
}

}  // namespace perfmodel
