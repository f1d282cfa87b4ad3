#include "analysis/page/range.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace perfmodel::page {
namespace {

constexpr double kRoom = 0.04;  // at each end, as a share of what the values span

}  // namespace

double Range::position(double value) const {
  // Differences of logarithms: ratios of very large and very small numbers are no numbers.
  if (spacing == Spacing::logarithmic)
    return (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
  return (value - low) / (high - low);
}

double Range::value(double position) const {
  if (spacing == Spacing::logarithmic)
    return std::exp(std::log(low) + position * (std::log(high) - std::log(low)));
  return low + (high - low) * position;
}

Range range_of(const std::vector<double>& values, Spacing spacing) {
  using Limits = std::numeric_limits<double>;
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  if (spacing == Spacing::logarithmic) {
    const double widening =
        std::exp(std::max(kRoom * (std::log(*highest) - std::log(*lowest)), kRoom));
    const double low = std::max(*lowest / widening, Limits::denorm_min());
    const double high = std::min(*highest * widening, Limits::max());
    // Of the smallest numbers there are, a little more is the same.
    return {low, std::max(high, std::nextafter(low, Limits::max())), spacing};
  }
  const double size = std::max(std::abs(*lowest), std::abs(*highest));
  double widening = kRoom * (*highest - *lowest);
  if (*highest == *lowest)
    widening = size > 0 ? kRoom * size : 1;
  return {*lowest - widening, *highest + widening, spacing};
}

double round_step(double span, std::size_t most) {
  const double least = span / static_cast<double>(most);
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    // A step may be a rounding error short of the least one.
    if (factor * power >= least * (1 - 1e-12))
      return factor * power;
  }
  return 10 * power;
}

}  // namespace perfmodel::page
