#include "base/time_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/readable.hpp"

namespace perfmodel {
namespace {

struct KnownUnit {
  std::string_view name;
  double per_second;
};

constexpr std::array<KnownUnit, 4> kUnits = {{{"s", 1}, {"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}}};

std::string with_name(const std::string& number, const std::string& unit) {
  return unit.empty() ? number : number + " " + unit;
}

}  // namespace

TimeUnit readable_unit(double time, const std::string& unit) {
  const auto* const given = std::find_if(
      kUnits.begin(), kUnits.end(), [&](const KnownUnit& known) { return known.name == unit; });
  if (given == kUnits.end() || !std::isfinite(time) || time == 0)
    return {unit};
  TimeUnit out;
  for (const KnownUnit& known : kUnits) {
    out = {std::string(known.name), known.per_second / given->per_second};
    // What four digits show as 1 is 1.
    if (std::abs(time) * out.factor >= 0.99995)
      break;
  }
  return out;
}

std::string time_text(double time, const std::string& unit) {
  const TimeUnit shown = readable_unit(time, unit);
  return with_name(short_number(time * shown.factor), shown.name);
}

std::string time_range_text(double low, double high, const std::string& unit) {
  if (!std::isfinite(high))
    return time_text(low, unit) + " or more";
  const TimeUnit shown = readable_unit(high, unit);
  return with_name(short_number(low * shown.factor) + " .. " + short_number(high * shown.factor),
                   shown.name);
}

}  // namespace perfmodel
