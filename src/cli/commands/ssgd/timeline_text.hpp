#pragma once

#include <string>

#include "analysis/ssgd/timeline.hpp"

namespace perfmodel::cli {

/// The lanes of one iteration as lines of at most 100 characters, with a legend.
std::string timeline_text(const ssgd::Timeline& timeline);

}  // namespace perfmodel::cli
