#include "analysis/page/column_order.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace perfmodel::page {
namespace {

std::vector<const NumericFactor*> numeric_factors(const Design& runs) {
  std::vector<const NumericFactor*> out;
  for (const auto* factors : {&runs.intrinsic, &runs.extrinsic})
    for (const NumericFactor& factor : *factors)
      out.push_back(&factor);
  return out;
}

bool is_whole(const NumericFactor& factor) {
  return std::all_of(
      factor.values.begin(), factor.values.end(),
      [](double value) { return value == std::round(value); });
}

bool is_limit(const NumericFactor& lower, const NumericFactor& higher, std::size_t rows) {
  std::optional<double> first_equal;
  bool two_equal = false;
  bool differ = false;
  for (std::size_t row = 0; row < rows; ++row) {
    const double low = lower.value(row);
    const double high = higher.value(row);
    if (low > high)
      return false;
    differ = differ || low != high;
    if (low == high) {
      two_equal = two_equal || (first_equal && *first_equal != low);
      first_equal = low;
    }
  }
  return two_equal && differ;
}

}  // namespace

std::vector<NotAbove> orders_of(const Design& runs) {
  const std::vector<const NumericFactor*> factors = numeric_factors(runs);
  std::vector<NotAbove> out;
  for (std::size_t lower = 0; lower < factors.size(); ++lower)
    for (std::size_t higher = 0; higher < factors.size(); ++higher)
      if (lower != higher && is_whole(*factors[lower]) && is_whole(*factors[higher]) &&
          is_limit(*factors[lower], *factors[higher], runs.rows))
        out.push_back({lower, higher});
  return out;
}

bool keeps_to(const std::vector<NotAbove>& orders, const Configuration& configuration) {
  const auto value = [&](std::size_t input) {
    const std::size_t intrinsic = configuration.intrinsic.size();
    return input < intrinsic ? configuration.intrinsic[input]
                             : configuration.extrinsic[input - intrinsic];
  };
  return std::all_of(orders.begin(), orders.end(), [&](const NotAbove& order) {
    return value(order.lower) <= value(order.higher);
  });
}

}  // namespace perfmodel::page
