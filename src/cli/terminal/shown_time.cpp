#include "cli/terminal/shown_time.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/readable.hpp"

namespace perfmodel::cli {
namespace {

constexpr double kLeast = 0.1;
constexpr double kMost = 1e4;

struct TimeUnit {
  std::string_view name;
  double seconds;
};

// The largest one first.
constexpr std::array kUnits = {TimeUnit{"s", 1}, TimeUnit{"ms", 1e-3}, TimeUnit{"us", 1e-6},
                               TimeUnit{"ns", 1e-9}};

}  // namespace

ShownTime::ShownTime(const std::string& unit, double typical) : unit_(unit) {
  const auto* const own = std::find_if(kUnits.begin(), kUnits.end(),
                                       [&](const TimeUnit& known) { return known.name == unit; });
  if (own == kUnits.end() || !(typical > 0) || (typical >= kLeast && typical < kMost))
    return;
  const auto* const fitting =
      std::find_if(kUnits.begin(), kUnits.end(), [&](const TimeUnit& candidate) {
        return typical * own->seconds >= kLeast * candidate.seconds;
      });
  const TimeUnit& shown = fitting == kUnits.end() ? kUnits.back() : *fitting;
  unit_ = shown.name;
  factor_ = own->seconds / shown.seconds;
}

std::string ShownTime::heading(const std::string& name, int power) const {
  return with_unit(name, unit_.empty() || power == 1 ? unit_ : unit_ + "^" + std::to_string(power));
}

std::string ShownTime::number(double time, int power) const {
  return short_number(time * std::pow(factor_, power));
}

}  // namespace perfmodel::cli
