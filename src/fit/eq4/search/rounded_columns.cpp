#include "fit/eq4/search/rounded_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace perfmodel {
namespace {

constexpr std::size_t kMostValues = 128;

std::pair<double, double> positive_range(const std::vector<double>& values) {
  std::pair<double, double> out = {std::numeric_limits<double>::infinity(), 0};
  for (const double value : values) {
    if (value > 0)
      out.first = std::min(out.first, value);
    out.second = std::max(out.second, value);
  }
  return out;
}

NumericFactor rounded_factor(const NumericFactor& factor, std::size_t rows) {
  const auto [least, largest] = positive_range(factor.values);
  const double low = std::log(least);
  const double width = (std::log(largest) - low) / static_cast<double>(kMostValues);
  constexpr std::uint32_t unused = std::numeric_limits<std::uint32_t>::max();
  constexpr std::size_t zero = kMostValues;  // behind the others
  std::vector<double> log_sums(kMostValues, 0);
  std::vector<double> members(kMostValues, 0);
  NumericFactor out;
  out.codes.reserve(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    if (factor.value(r) == 0) {
      out.codes.push_back(zero);
      continue;
    }
    const double log_value = std::log(factor.value(r));
    const auto place = std::min(kMostValues - 1,
                                static_cast<std::size_t>(std::max(0.0, (log_value - low) / width)));
    log_sums[place] += log_value;
    members[place] += 1;
    out.codes.push_back(static_cast<std::uint32_t>(place));
  }
  std::vector<std::uint32_t> code_of(kMostValues + 1, unused);
  for (std::size_t place = 0; place < kMostValues; ++place) {
    if (members[place] == 0)
      continue;
    code_of[place] = static_cast<std::uint32_t>(out.values.size());
    out.values.push_back(std::exp(log_sums[place] / members[place]));
  }
  if (std::find(out.codes.begin(), out.codes.end(), zero) != out.codes.end()) {
    code_of[zero] = static_cast<std::uint32_t>(out.values.size());
    out.values.push_back(0);
  }
  for (std::uint32_t& code : out.codes)
    code = code_of[code];
  return out;
}

}  // namespace

Design round_columns(const Design& design) {
  Design out = design;
  for (std::vector<NumericFactor>* factors : {&out.intrinsic, &out.extrinsic}) {
    for (NumericFactor& factor : *factors)
      if (factor.values.size() > kMostValues)
        factor = rounded_factor(factor, design.rows);
  }
  return out;
}

}  // namespace perfmodel
