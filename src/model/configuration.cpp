#include "perfmodel/model/configuration.hpp"

#include <algorithm>

namespace perfmodel {
namespace {

double lower_median(const NumericFactor& factor, std::size_t rows) {
  std::vector<double> values(rows);
  for (std::size_t row = 0; row < rows; ++row)
    values[row] = factor.value(row);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((rows - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::uint32_t most_frequent(const LevelFactor& factor) {
  std::vector<std::size_t> counts(factor.levels, 0);
  for (const std::uint32_t code : factor.codes)
    ++counts[code];
  return static_cast<std::uint32_t>(std::max_element(counts.begin(), counts.end()) -
                                    counts.begin());
}

std::vector<NumericFactor> factors_of(const std::vector<double>& values) {
  std::vector<NumericFactor> factors;
  for (const double value : values)
    factors.push_back({.values = {value}, .codes = {0}});
  return factors;
}

}  // namespace

Configuration median_configuration(const Design& design) {
  Configuration out;
  for (const NumericFactor& factor : design.intrinsic)
    out.intrinsic.push_back(lower_median(factor, design.rows));
  for (const LevelFactor& factor : design.categorical)
    out.levels.push_back(most_frequent(factor));
  for (const NumericFactor& factor : design.extrinsic)
    out.extrinsic.push_back(lower_median(factor, design.rows));
  return out;
}

Design design_of(const Configuration& configuration, const ModelSpec& spec) {
  Design design;
  design.rows = 1;
  design.intrinsic = factors_of(configuration.intrinsic);
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    design.categorical.push_back(
        {.levels = spec.categorical[c].levels.size(), .codes = {configuration.levels[c]}});
  }
  design.extrinsic = factors_of(configuration.extrinsic);
  return design;
}

}  // namespace perfmodel
