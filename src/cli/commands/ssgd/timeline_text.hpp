#pragma once

#include <cstddef>
#include <string>

#include "analysis/ssgd/timeline.hpp"

namespace perfmodel::cli {

/// The lanes of one iteration as lines of at most `width` characters, 100 where there is more room,
/// with a legend.
std::string timeline_text(const ssgd::Timeline& timeline, std::size_t width);

}  // namespace perfmodel::cli
