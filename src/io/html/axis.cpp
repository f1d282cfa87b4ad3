#include "io/html/axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>

#include "base/readable.hpp"
#include "base/text.hpp"

namespace perfmodel::page {
namespace {

constexpr std::size_t kFewest = 3;  // so that the spacing of an axis can be seen
constexpr double kBareEnd = 0.15;   // share of an axis beyond its last label that is too much
constexpr double kAtEnd = 0.05;
constexpr int kMostEndDigits = 2;  // a round value

/// Enough digits to tell neighbours apart, and no more than six where they are.
std::string linear_label(double value, double step) {
  const double size = std::max(std::abs(value), step);
  const int needed = 1 + static_cast<int>(std::floor(std::log10(size) + 1e-9) -
                                          std::floor(std::log10(step) + 1e-9));
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*g", std::clamp(needed, 6, 17), value);
  return text.data();
}

std::vector<Tick> linear_ticks(const Range& range, std::size_t most) {
  // n steps may have n + 1 ends inside of the range.
  const double step = round_step(range.high - range.low, most - 1);
  std::vector<Tick> ticks;
  for (double i = std::ceil(range.low / step); i * step <= range.high && ticks.size() < most; ++i) {
    const double value = i == 0 ? 0 : i * step;
    ticks.push_back({value, linear_label(value, step)});
  }
  return ticks;
}

/// digit times a power of ten, as exactly as it is written.
double written(int digit, int exponent) {
  return parse_number(std::to_string(digit) + "e" + std::to_string(exponent)).value_or(0);
}

/// The digits times every `stride`-th power of ten.
std::vector<Tick> decade_ticks(const Range& range, const std::vector<int>& digits, int stride) {
  const int first = static_cast<int>(std::floor(std::log10(range.low)));
  const int last = static_cast<int>(std::ceil(std::log10(range.high)));
  std::vector<Tick> ticks;
  for (int exponent = first; exponent <= last; ++exponent) {
    if (exponent % stride != 0)
      continue;
    for (const int digit : digits) {
      const double value = written(digit, exponent);
      if (range.contains(value))
        ticks.push_back({value, short_number(value)});
    }
  }
  return ticks;
}

std::vector<Tick> logarithmic_ticks(const Range& range, std::size_t most) {
  for (const auto& digits :
       std::vector<std::vector<int>>{{1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 5}, {1, 3}, {1}}) {
    const std::vector<Tick> ticks = decade_ticks(range, digits, 1);
    if (ticks.size() < kFewest)
      break;
    if (ticks.size() <= most)
      return ticks;
  }
  for (const int stride : {2, 5, 10, 20, 50, 100, 200}) {
    const std::vector<Tick> ticks = decade_ticks(range, {1}, stride);
    if (ticks.size() < kFewest)
      break;
    if (ticks.size() <= most)
      return ticks;
  }
  return linear_ticks(range, most);
}

/// A value at an end, with as few digits as take it there.
std::optional<Tick> end_tick(const Range& range, double end) {
  for (int digits = 1; digits <= kMostEndDigits; ++digits) {
    std::array<char, 64> text{};
    const double unit = std::pow(10, std::floor(std::log10(std::abs(end))) - digits + 1);
    const double whole = end == range.low ? std::ceil(end / unit) : std::floor(end / unit);
    std::snprintf(text.data(), text.size(), "%.*g", digits, whole * unit);
    const double value = parse_number(text.data()).value_or(end);
    if (range.contains(value) && std::abs(range.position(value) - range.position(end)) < kAtEnd)
      return Tick{value, short_number(value)};
  }
  return std::nullopt;
}

/// Both ends have a label, or one nearby.
std::vector<Tick> with_ends(const Range& range, std::vector<Tick> ticks) {
  const auto is_bare = [&](double end, const Tick& nearest) {
    return std::abs(range.position(nearest.value) - range.position(end)) > kBareEnd;
  };
  if (ticks.empty() || (range.spacing == Spacing::linear && ticks.size() >= kFewest))
    return ticks;
  if (is_bare(range.low, ticks.front()))
    if (const auto tick = end_tick(range, range.low))
      ticks.insert(ticks.begin(), *tick);
  if (is_bare(range.high, ticks.back()))
    if (const auto tick = end_tick(range, range.high))
      ticks.push_back(*tick);
  return ticks;
}

}  // namespace

std::vector<Tick> ticks_of(const Range& range, std::size_t most) {
  return with_ends(range, range.spacing == Spacing::logarithmic ? logarithmic_ticks(range, most)
                                                                : linear_ticks(range, most));
}

double Axis::at(double value) const {
  const double position = range_.position(std::clamp(value, range_.low, range_.high));
  return at_low_ + (at_high_ - at_low_) * position;
}

}  // namespace perfmodel::page
