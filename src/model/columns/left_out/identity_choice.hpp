#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace perfmodel {

/// A column of an identity, for the choice of the one that follows from the others.
struct IdentityMember {
  std::string name;
  bool may_follow = true;   ///< no flag names it
  bool is_product = false;  ///< of all the others
  std::size_t values = 0;   ///< different ones
};

/// The index of the member that follows from the others, by the rules of find_identities(); the
/// number of members where none may.
std::size_t choose_dependent(const std::vector<IdentityMember>& members);

}  // namespace perfmodel
