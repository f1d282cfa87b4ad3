#pragma once

#include <string>

#include "io/html/chart.hpp"

namespace perfmodel::page {

/// Ticks and title of an axis of times, in the unit that reads best there.
AxisText time_axis(const std::string& title, const Range& range, const std::string& unit,
                   std::size_t most_ticks);

}  // namespace perfmodel::page
