#include "model/columns/left_out/identity_choice.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

#include "model/columns/facts/name_words.hpp"
#include "model/columns/facts/well_known_names.hpp"
#include "model/columns/facts/work_names.hpp"

namespace perfmodel {
namespace {

constexpr std::array<std::string_view, 8> kCoarseCounts{
    "node", "nodes", "machine", "machines", "host", "hosts", "server", "servers",
};

bool is_coarse_count_name(const std::string& name) {
  const std::vector<std::string> words = name_words(name);
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return std::find(kCoarseCounts.begin(), kCoarseCounts.end(), word) != kCoarseCounts.end();
  });
}

enum class Rank { scale, per_something, coarse_count, plain, total };

Rank rank_of(const std::string& name, bool beside_batch_per_worker) {
  if (is_total_name(name))
    return Rank::total;
  if (is_per_something_name(name))
    return Rank::per_something;
  if (!is_scale_name(name))
    return Rank::plain;
  if (is_batch_name(name) && beside_batch_per_worker)
    return Rank::total;
  return is_coarse_count_name(name) ? Rank::coarse_count : Rank::scale;
}

}  // namespace

std::size_t choose_dependent(const std::vector<IdentityMember>& members) {
  const bool batch_per_worker = std::any_of(
      members.begin(), members.end(),
      [](const IdentityMember& member) {
        return is_batch_name(member.name) && is_per_something_name(member.name);
      });
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
