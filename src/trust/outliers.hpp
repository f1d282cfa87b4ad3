#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

namespace perfmodel {

/// A run and how unusual its distance from the model is.
struct Outlier {
  std::size_t row = 0;
  /// (r - median r) / (1.4826 median |r - median r|) of r = ln(measured / predicted): standard
  /// deviations, where most runs scatter normally (Iglewicz and Hoaglin 1993).
  double robust_z = 0;
};

/// |z| from which on a run is called an outlier, after the same authors.
constexpr double kOutlierZ = 3.5;

/// All rows, the farthest first. Predictions that are not > 0 are the farthest. Empty where most
/// residuals are equal, so that there is no scale to measure by.
std::vector<Outlier> ranked_outliers(const Eigen::VectorXd& measured,
                                     const Eigen::VectorXd& predicted);

}  // namespace perfmodel
