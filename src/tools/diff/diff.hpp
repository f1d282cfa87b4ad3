#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "perfmodel/knowledge.hpp"

// Two sets of runs of the same programs: which changed beyond the noise.
namespace perfmodel::difference {

/// The repeated runs of one configuration in both sets, as logarithms in ascending order.
struct Pair {
  std::vector<std::string> key;  ///< a text per input
  std::vector<double> before;
  std::vector<double> after;
};

enum class Verdict { unknown, same, slower, faster };

constexpr auto texts_of(Verdict) {
  using enum Verdict;
  return std::to_array<EnumText<Verdict>>(
      {{unknown, "unknown"}, {same, "same"}, {slower, "slower"}, {faster, "faster"}});
}

/// What became of one configuration.
struct Change {
  std::vector<std::string> key;
  double before = 0;  ///< geometric mean
  double after = 0;
  double ratio = 1;                    ///< after / before
  std::optional<Interval> interval;    ///< nullopt: nothing is known of the noise
  std::optional<double> p_value;       ///< corrected for the number of configurations
  Verdict verdict = Verdict::unknown;  ///< without an interval
};

/// How the change depends on a numeric input, all others held.
struct Growth {
  std::string column;
  std::vector<std::pair<std::string, std::string>> at;  ///< the other inputs that vary
  std::string before;  ///< "n log n": the law that meets the geometric means best
  std::string after;
  double exponent = 0;         ///< of the ratio along the input
  Interval interval;           ///< of that exponent
  bool changed = false;        ///< beyond the noise
  std::optional<double> from;  ///< from this value on, all differ in one direction
  double ratio_from = 1;       ///< the geometric mean of their ratios
};

struct Comparison {
  std::vector<Change> changes;  ///< in the order of the loss, the largest ratio first
  double geometric_mean = 1;    ///< of the ratios
  std::optional<Interval> interval;
  std::vector<Growth> growths;
};

/// The columns of the keys; those behind the first `texts` are numeric.
struct Inputs {
  std::vector<std::string> columns;
  std::size_t texts = 0;
};

/// Compares geometric means of repeated runs by Student's t of the difference of logarithms. A
/// configuration without repeats has the noise of all repeats together; if nothing is repeated,
/// there are no intervals.
Comparison compare(const std::vector<Pair>& pairs, const Inputs& inputs);

}  // namespace perfmodel::difference
