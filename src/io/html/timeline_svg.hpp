#pragma once

#include <string>

#include "analysis/ssgd/timeline.hpp"

namespace perfmodel {

/// The lanes of one iteration as a picture that browsers and text processors show; each span says
/// what it is when pointed at.
std::string timeline_svg(const ssgd::Timeline& timeline, const std::string& title);

}  // namespace perfmodel
