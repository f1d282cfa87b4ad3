#include "io/html/time_axis.hpp"

#include "base/readable.hpp"
#include "base/time_text.hpp"

namespace perfmodel::page {

AxisText time_axis(const std::string& title, const Range& range, const std::string& unit,
                   std::size_t most_ticks) {
  const TimeUnit shown = readable_unit(range.value(0.5), unit);
  std::vector<Tick> ticks =
      ticks_of({range.low * shown.factor, range.high * shown.factor, range.spacing}, most_ticks);
  for (Tick& tick : ticks)
    tick.value /= shown.factor;
  return {with_unit(title, shown.name), ticks};
}

}  // namespace perfmodel::page
