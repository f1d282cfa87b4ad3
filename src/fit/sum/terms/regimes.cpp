#include "fit/sum/terms/regimes.hpp"

#include <algorithm>
#include <cmath>

namespace perfmodel {

std::set<double> distinct_values(const NumericFactor& factor, std::size_t rows) {
  std::set<double> out;
  for (std::size_t row = 0; row < rows; ++row)
    out.insert(factor.value(row));
  return out;
}

bool are_counts(const std::set<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return value >= 1 && value == std::floor(value); });
}

std::vector<Regime> possible_regimes(const ModelSpec& spec, const Design& training) {
  std::vector<Regime> out;
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j) {
    const std::set<double> values = distinct_values(training.extrinsic[j], training.rows);
    if (are_counts(values) && values.size() >= 3 && *values.begin() == 1)
      out.push_back({j, 1});
  }
  return out;
}

}  // namespace perfmodel
