#include "model/columns/left_out/identity_choice.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

#include "model/columns/facts/name_words.hpp"
#include "model/columns/facts/well_known_names.hpp"

namespace perfmodel {
namespace {

constexpr std::array<std::string_view, 6> kTotals{
    "global", "total", "effective", "overall", "aggregate", "world",
};
constexpr std::array<std::string_view, 4> kOfOneWorker{"per", "local", "micro", "device"};
constexpr std::array<std::string_view, 8> kCoarseCounts{
    "node", "nodes", "machine", "machines", "host", "hosts", "server", "servers",
};

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

enum class Rank { scale, per_something, coarse_count, plain, total };

Rank rank_of(const std::string& name, bool beside_batch_per_worker) {
  if (speaks_of(name, kTotals))
    return Rank::total;
  if (speaks_of(name, kOfOneWorker))
    return Rank::per_something;
  if (!is_scale_name(name))
    return Rank::plain;
  if (is_batch_name(name) && beside_batch_per_worker)
    return Rank::total;
  return speaks_of(name, kCoarseCounts) ? Rank::coarse_count : Rank::scale;
}

}  // namespace

bool is_batch_name(const std::string& name) {
  const std::vector<std::string> words = name_words(name);
  return is_scale_name(name) &&
         std::any_of(words.begin(), words.end(), [](const std::string& word) {
           return word.find("batch") != std::string::npos;
         });
}

bool is_batch_per_worker(const std::string& name) {
  return is_batch_name(name) && speaks_of(name, kOfOneWorker);
}

bool is_global_batch(const std::string& name) {
  return is_batch_name(name) && speaks_of(name, kTotals);
}

std::size_t choose_dependent(const std::vector<IdentityMember>& members) {
  const bool batch_per_worker = std::any_of(
      members.begin(), members.end(),
      [](const IdentityMember& member) { return is_batch_per_worker(member.name); });
  const auto precedence = [&](const IdentityMember& member) {
    return std::tuple(rank_of(member.name, batch_per_worker), member.is_product, member.values);
  };
  std::size_t chosen = members.size();
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!members[i].may_follow)
      continue;
    if (chosen == members.size() || precedence(members[i]) > precedence(members[chosen]) ||
        (precedence(members[i]) == precedence(members[chosen]) &&
         members[i].name < members[chosen].name))
      chosen = i;
  }
  return chosen;
}

}  // namespace perfmodel
