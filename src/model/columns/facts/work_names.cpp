#include "model/columns/facts/work_names.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "model/columns/facts/name_words.hpp"
#include "model/columns/facts/well_known_names.hpp"

namespace perfmodel {
namespace {

constexpr std::array<std::string_view, 6> kOfAllWorkers{
    "global", "total", "effective", "overall", "aggregate", "world",
};
constexpr std::array<std::string_view, 4> kOfOneWorker{"per", "local", "micro", "device"};
constexpr std::array<std::string_view, 4> kOfMachines{"mem", "memory", "ram", "vram"};

/// Whether one of the words of a name is among these, also where it is glued to its neighbour:
/// "globalbatch".
template <std::size_t n>
bool speaks_of(const std::string& name, const std::array<std::string_view, n>& wanted) {
  const std::vector<std::string> words = name_words(name);
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::any_of(wanted.begin(), wanted.end(), [&](std::string_view candidate) {
      return word == candidate || (candidate.size() > 4 && word.starts_with(candidate));
    });
  });
}

}  // namespace

bool is_total_name(const std::string& name) {
  return speaks_of(name, kOfAllWorkers);
}

bool is_per_something_name(const std::string& name) {
  return speaks_of(name, kOfOneWorker);
}

bool is_batch_name(const std::string& name) {
  const std::vector<std::string> words = name_words(name);
  return is_scale_name(name) &&
         std::any_of(words.begin(), words.end(), [](const std::string& word) {
           return word.find("batch") != std::string::npos;
         });
}

bool is_worker_count_name(const std::string& name) {
  return is_scale_name(name) && !is_batch_name(name) && !is_per_something_name(name);
}

bool is_rate_of_one_worker_name(const std::string& name) {
  const std::vector<std::string> words = name_words(name);
  const auto thing = std::find(words.rbegin(), words.rend(), "per").base();
  return thing != words.begin() && thing != words.end() && is_scale_name("num_" + *thing);
}

bool is_work_per_worker_name(const std::string& name) {
  if (is_batch_name(name))
    return is_per_something_name(name);
  const std::vector<std::string> words = name_words(name);
  const auto per = std::find(words.begin(), words.end(), "per");
  if (per == words.begin() || per == words.end() || per + 1 == words.end())
    return false;
  // "procs" is a scale and so is "num_proc", so "proc" is what is counted.
  return is_scale_name("num_" + *(per + 1)) &&
         std::none_of(words.begin(), per, [](const std::string& word) {
           return is_scale_name(word) ||
                  std::find(kOfMachines.begin(), kOfMachines.end(), word) != kOfMachines.end();
         });
}

}  // namespace perfmodel
