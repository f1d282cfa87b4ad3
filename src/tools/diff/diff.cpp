#include "diff/diff.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <span>
#include <string_view>

#include "base/text.hpp"

namespace perfmodel::difference {
namespace {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double squares(const std::vector<double>& values) {
  const double middle = mean(values);
  double out = 0;
  for (const double value : values)
    out += (value - middle) * (value - middle);
  return out;
}

constexpr double kRisk = 0.05;  // of intervals without the truth, and of reporting what is not

/// A variance and how well it is known.
struct Variance {
  double value = 0;
  double degrees = 0;  ///< of freedom; 0: unknown
};

/// Of runs about the means of their sets.
Variance within(std::span<const Pair> pairs) {
  Variance out;
  for (const Pair& pair : pairs) {
    out.value += squares(pair.before) + squares(pair.after);
    out.degrees += static_cast<double>(pair.before.size() + pair.after.size() - 2);
  }
  out.value = out.degrees > 0 ? out.value / out.degrees : 0;
  return out;
}

/// Of the difference of both means. Without repeats, the runs have the noise of `all`.
Variance of_difference(const Pair& pair, const Variance& all) {
  Variance out = within({&pair, 1});
  if (out.degrees == 0)
    out = all;
  out.value *=
      1 / static_cast<double>(pair.before.size()) + 1 / static_cast<double>(pair.after.size());
  return out;
}

/// The probability that Student's t is farther from 0 than `t`, for whole degrees of freedom
/// (Abramowitz and Stegun 26.7.3 and 26.7.4); right to 1e-15, so that less is 0.
double t_tails(double t, double degrees) {
  degrees = std::min(degrees, 1000.0);  // beyond, intervals are at most 0.13 % too wide
  const double angle = std::atan(std::abs(t) / std::sqrt(degrees));
  const double cosine = std::cos(angle);
  const bool is_odd = std::fmod(degrees, 2) == 1;
  double term = is_odd ? cosine : 1;
  double sum = degrees > 1 ? term : 0;
  for (double i = is_odd ? 3 : 2; i < degrees; i += 2) {
    term *= (i - 1) / i * cosine * cosine;
    sum += term;
  }
  const double inside = std::sin(angle) * sum;
  return std::max(0.0, 1 - (is_odd ? 2 / std::numbers::pi * (angle + inside) : inside));
}

/// The value that is exceeded in size with this probability.
double t_of_tails(double probability, double degrees) {
  double low = 0;
  double high = 1;
  while (t_tails(high, degrees) > probability && high < 1e12)
    high *= 2;
  for (int step = 0; step < 200 && low < high; ++step) {
    const double middle = (low + high) / 2;
    (t_tails(middle, degrees) > probability ? low : high) = middle;
  }
  return high;
}

/// Holm's step-down correction (1979), however the tests depend on each other: with at most the
/// probability that is judged, it reports any of those that did not change.
std::vector<double> holm(const std::vector<double>& p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p_values[i]; });
  std::vector<double> out(p_values.size());
  double largest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    largest = std::max(largest, p_values[order[rank]] * static_cast<double>(order.size() - rank));
    out[order[rank]] = std::min(largest, 1.0);
  }
  return out;
}

double tails_of(double difference, const Variance& variance) {
  if (variance.value > 0)
    return t_tails(difference / std::sqrt(variance.value), variance.degrees);
  return difference == 0 ? 1 : 0;  // repeats that agree in every digit
}

Interval around(double middle, const Variance& variance) {
  const double half = std::sqrt(variance.value) * t_of_tails(kRisk, variance.degrees);
  return {middle - half, middle + half};
}

Interval ratios_around(double middle, const Variance& variance) {
  const Interval logs = around(middle, variance);
  return {std::exp(logs.low), std::exp(logs.high)};
}

/// Laws of few words by which programs grow, from the slowest to the steepest.
struct Law {
  std::string_view name;
  double power;
  double log_power;
};
constexpr std::array<Law, 8> kLaws = {{{"1", 0, 0},
                                       {"log n", 0, 1},
                                       {"sqrt(n)", 0.5, 0},
                                       {"n", 1, 0},
                                       {"n log n", 1, 1},
                                       {"n^2", 2, 0},
                                       {"n^2 log n", 2, 1},
                                       {"n^3", 3, 0}}};

/// The law from which the logarithms of times deviate least.
std::string best_law(const std::vector<double>& sizes, const std::vector<double>& logs) {
  std::string out;
  double least = std::numeric_limits<double>::infinity();
  for (const Law& law : kLaws) {
    if (law.log_power > 0 && sizes.front() <= 1)
      continue;  // log 1 is 0
    std::vector<double> rest;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const double log_size = std::log(sizes[i]);
      rest.push_back(logs[i] - law.power * log_size - (law.log_power > 0 ? std::log(log_size) : 0));
    }
    if (const double misfit = squares(rest); misfit < least) {
      least = misfit;
      out = law.name;
    }
  }
  return out;
}

/// One configuration along an input.
struct Point {
  double size = 0;
  const Change* change = nullptr;
};

/// The slope of ln(ratio) over ln(size), by least squares; its noise is that of the deviations
/// from the straight line, or that of the repeats if it is larger.
void add_exponent(const std::vector<Point>& points, double repeats, Growth& growth,
                  std::vector<double>& p_values) {
  const auto x = mapped(
      points, [](const Point& point) { return std::log(point.size); });
  const auto y = mapped(points, [](const Point& point) { return std::log(point.change->ratio); });
  const double middle = mean(x);
  const double spread = squares(x);
  for (std::size_t i = 0; i < x.size(); ++i)
    growth.exponent += (x[i] - middle) * y[i] / spread;
  double rest = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    rest += std::pow(y[i] - mean(y) - growth.exponent * (x[i] - middle), 2);
  const auto degrees = static_cast<double>(x.size() - 2);
  const Variance variance{std::max(rest / degrees, repeats) / spread, degrees};
  growth.interval = around(growth.exponent, variance);
  p_values.push_back(tails_of(growth.exponent, variance));
}

/// From where on all configurations differ in one direction, if some before it do not.
void add_start(const std::vector<Point>& points, Growth& growth) {
  const Verdict last = points.back().change->verdict;
  if (last == Verdict::same || last == Verdict::unknown)
    return;
  double logs = 0;
  double count = 0;
  for (auto point = points.rbegin(); point != points.rend(); ++point) {
    if (point->change->verdict != last)
      break;
    growth.from = point->size;
    logs += std::log(point->change->ratio);
    growth.ratio_from = std::exp(logs / ++count);
  }
  if (growth.from == points.front().size)
    growth.from.reset();  // along all of the input, as the table tells
}

/// Changes in the order of the pairs.
std::vector<Change> changes_of(const std::vector<Pair>& pairs, const Variance& all) {
  std::vector<Change> out;
  std::vector<double> p_values;
  for (const Pair& pair : pairs) {
    const double before = mean(pair.before);
    const double after = mean(pair.after);
    const Variance variance = of_difference(pair, all);
    Change change;
    change.key = pair.key;
    change.before = std::exp(before);
    change.after = std::exp(after);
    change.ratio = std::exp(after - before);
    if (variance.degrees > 0) {
      change.interval = ratios_around(after - before, variance);
      p_values.push_back(tails_of(after - before, variance));
    }
    out.push_back(change);
  }
  const std::vector<double> corrected = holm(p_values);
  auto next = corrected.begin();
  for (Change& change : out) {
    if (!change.interval)
      continue;
    change.p_value = *next++;
    change.verdict = *change.p_value >= kRisk ? Verdict::same
                     : change.ratio > 1       ? Verdict::slower
                                              : Verdict::faster;
  }
  return out;
}

/// The series along an input: of configurations that agree in all other inputs.
std::map<std::vector<std::string>, std::vector<Point>> series_along(
    const std::vector<Change>& changes, std::size_t which) {
  std::map<std::vector<std::string>, std::vector<Point>> out;
  for (const Change& change : changes) {
    std::vector<std::string> others = change.key;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(which));
    const double size = parse_number(change.key[which]).value_or(0);
    if (size > 0)
      out[others].push_back({size, &change});
  }
  return out;
}

std::vector<Growth> growths_of(const std::vector<Change>& changes, const Inputs& inputs,
                               double noise) {
  std::vector<Growth> out;
  std::vector<double> p_values;
  for (std::size_t which = inputs.texts; which < inputs.columns.size(); ++which) {
    for (auto& series : series_along(changes, which)) {
      std::vector<Point>& points = series.second;
      if (points.size() < 4)
        continue;  // two degrees of freedom for the noise
      std::ranges::sort(points, {}, &Point::size);
      const std::vector<double> sizes = mapped(points, &Point::size);
      Growth growth;
      growth.column = inputs.columns[which];
      std::size_t place = 0;
      for (const std::string& column : inputs.columns)
        if (column != growth.column)
          growth.at.emplace_back(column, series.first[place++]);
      const auto law = [&](double Change::*time) {
        return best_law(sizes, mapped(points, [&](const Point& point) {
                          return std::log(point.change->*time);
                        }));
      };
      growth.before = law(&Change::before);
      growth.after = law(&Change::after);
      add_exponent(points, noise, growth, p_values);
      add_start(points, growth);
      out.push_back(growth);
    }
  }
  const std::vector<double> corrected = holm(p_values);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i].changed = corrected[i] < kRisk && out[i].before != out[i].after;
  return out;
}

}  // namespace

Comparison compare(const std::vector<Pair>& pairs, const Inputs& inputs) {
  const Variance all = within(pairs);
  Comparison out;
  out.changes = changes_of(pairs, all);
  double noise = 0;  // variance of ln(ratio), the mean over the configurations
  const auto logs =
      mapped(out.changes, [](const Change& change) { return std::log(change.ratio); });
  const auto count = static_cast<double>(pairs.size());
  for (const Pair& pair : pairs)
    noise += of_difference(pair, all).value / count;
  out.geometric_mean = std::exp(mean(logs));
  if (all.degrees > 0)
    out.interval = ratios_around(mean(logs), {noise / count, all.degrees});
  out.growths = growths_of(out.changes, inputs, noise);
  std::ranges::stable_sort(out.changes, [](const Change& a, const Change& b) {
    return a.ratio != b.ratio ? a.ratio > b.ratio : a.key < b.key;
  });
  return out;
}

}  // namespace perfmodel::difference
