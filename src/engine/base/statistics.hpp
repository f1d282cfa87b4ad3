#pragma once

#include <vector>

#include "base/eigen.hpp"

namespace perfmodel {

/// The median; the upper of the two middle values if their number is even. Requires at least one
/// value.
double median(VectorXd values);
double median(std::vector<double> values);

/// The median; the mean of the two middle values if their number is even. Requires at least one
/// value.
double sample_median(std::vector<double> values);
double sample_median(const VectorXd& values);

/// The rank, from 1, of the p-quantile of n values (types 6 and 7 of Hyndman and Fan 1996).
enum class QuantileRank {
  of_population,  ///< p (n + 1): does not shorten the tails of small samples
  of_sample,      ///< 1 + p (n - 1): from the least value to the largest
};

/// The p-quantile of values in any order, between two of them by a straight line. Linear in their
/// number. Requires at least one value and 0 <= p <= 1.
double quantile(std::vector<double> values, double p,
                QuantileRank rank = QuantileRank::of_population);

// The normal distribution with mean 0 and standard deviation 1.

double normal_density(double z);
/// The probability of a value below z.
double normal_cdf(double z);
/// Its logarithm, also far below, where the probability is 0 in a double.
double log_normal_cdf(double z);
/// The value of which values are below with this probability, in (0, 1).
double normal_quantile(double p);

/// Half of the values are nearer to 0; the median of their sizes over this estimates a standard
/// deviation that outliers do not move.
inline constexpr double kHalfAreSmaller = 0.6745;
inline constexpr double kDeviationPerMedian = 1.4826;  ///< its inverse

}  // namespace perfmodel
