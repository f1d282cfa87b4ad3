#pragma once

#include <vector>

namespace perfmodel {

/// Quantile of sorted values, with the rank p (n + 1) that keeps tails of small samples long. At
/// least one value, 0 <= p <= 1.
double quantile(const std::vector<double>& sorted, double p);

}  // namespace perfmodel
