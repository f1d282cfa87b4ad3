#pragma once

#include <string>
#include <vector>

#include "perfmodel/data/metrics.hpp"
#include "perfmodel/fit/result/certainty.hpp"

namespace perfmodel {

/// Of at least two values.
Spread spread_of(const std::string& name, const std::vector<double>& values);

/// One spread per metric, named as in model.json; without those that have no value somewhere (R2
/// where all measured times are equal). Empty for no parts.
std::vector<Spread> metrics_spread(const std::vector<Metrics>& parts);

/// The mean of each metric over at least one part; `rows` is their sum.
Metrics mean_metrics(const std::vector<Metrics>& parts);

}  // namespace perfmodel
