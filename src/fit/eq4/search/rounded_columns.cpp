#include "fit/eq4/search/rounded_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace perfmodel {
namespace {

constexpr std::size_t kMostValues = 128;

NumericFactor rounded_factor(const NumericFactor& factor, std::size_t rows) {
  const auto [least, largest] = std::minmax_element(factor.values.begin(), factor.values.end());
  const double low = std::log(*least);
  const double width = (std::log(*largest) - low) / static_cast<double>(kMostValues);
  constexpr std::uint32_t unused = std::numeric_limits<std::uint32_t>::max();
  std::vector<double> log_sums(kMostValues, 0);
  std::vector<double> members(kMostValues, 0);
  NumericFactor out;
  out.codes.reserve(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    const double log_value = std::log(factor.value(r));
    const auto place = std::min(kMostValues - 1,
                                static_cast<std::size_t>(std::max(0.0, (log_value - low) / width)));
    log_sums[place] += log_value;
    members[place] += 1;
    out.codes.push_back(static_cast<std::uint32_t>(place));
  }
  std::vector<std::uint32_t> code_of(kMostValues, unused);
  for (std::size_t place = 0; place < kMostValues; ++place) {
    if (members[place] == 0)
      continue;
    code_of[place] = static_cast<std::uint32_t>(out.values.size());
    out.values.push_back(std::exp(log_sums[place] / members[place]));
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
