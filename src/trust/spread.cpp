#include "trust/spread.hpp"

#include <algorithm>
#include <cmath>

namespace perfmodel {

Spread spread_of(const std::string& name, const std::vector<double>& values) {
  const double n = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values)
    sum += value;
  const double mean = sum / n;
  double squares = 0;
  for (const double value : values)
    squares += (value - mean) * (value - mean);
  return {name, mean, std::sqrt(squares / (n - 1))};
}

std::vector<Spread> metrics_spread(const std::vector<Metrics>& parts) {
  std::vector<Spread> out;
  if (parts.empty())
    return out;
  for (const auto& [name, member] : kNamedMetrics) {
    std::vector<double> values;
    for (const Metrics& metrics : parts)
      values.push_back(metrics.*member);
    if (std::none_of(values.begin(), values.end(), [](double value) { return std::isnan(value); }))
      out.push_back(spread_of(std::string(name), values));
  }
  return out;
}

Metrics mean_metrics(const std::vector<Metrics>& parts) {
  Metrics out;
  for (const Metrics& metrics : parts) {
    out.rows += metrics.rows;
    for (const auto& [name, member] : kNamedMetrics)
      out.*member += metrics.*member / static_cast<double>(parts.size());
  }
  return out;
}

}  // namespace perfmodel
