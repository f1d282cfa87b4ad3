#pragma once

#include <cstdlib>

#include "base/text.hpp"

namespace perfmodel {

/// True if a build for measuring leaves this rule of the choice out: if PERFMODEL_ABLATE names it.
inline bool ablated([[maybe_unused]] std::string_view rule) {
#ifdef PERFMODEL_ABLATION
  if (const char* const rules = std::getenv("PERFMODEL_ABLATE"))
    return contains(split_list(rules), rule);
#endif
  return false;
}

}  // namespace perfmodel
