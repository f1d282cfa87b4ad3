#include "fit/multi/regimes.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace perfmodel {

std::vector<Regime> possible_regimes(const ModelSpec& spec, const Design& training) {
  std::vector<Regime> out;
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j) {
    std::set<double> values;
    for (std::size_t row = 0; row < training.rows; ++row)
      values.insert(training.extrinsic[j].value(row));
    const bool counts = std::all_of(values.begin(), values.end(),
                                    [](double value) { return value == std::floor(value); });
    if (counts && values.size() >= 3 && *values.begin() == 1)
      out.push_back({j, 1});
  }
  return out;
}

}  // namespace perfmodel
