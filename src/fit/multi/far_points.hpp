#pragma once

#include <vector>

#include "fit/multi/folds.hpp"

namespace perfmodel {

/// Configurations far beyond the measured range, to see whether a sum is determined there: for each
/// scale whose far end is held out, some of those rows with a multiple of their value. The other
/// numeric columns move along as they do in the runs, by the line through the logarithms: what
/// always goes together, as workers and the global batch, also does here.
class FarPoints {
 public:
  FarPoints(const TermCoordinates& coordinates, const std::vector<Fold>& folds);

  /// ln of the time at each point, in units of the typical time.
  Eigen::VectorXd log_predictions(const SumShape& shape, const Eigen::VectorXd& theta) const;

  /// How far fits to several parts of the rows disagree at the points of a scale: the mean
  /// distance from their median, in logarithms and at most kLargestError at a point. 0 for a single
  /// fit and for a scale without points.
  double disagreement(const std::vector<Eigen::VectorXd>& log_predictions, std::size_t scale) const;

 private:
  const TermCoordinates& coordinates_;
  TermData points_;
  std::vector<std::size_t> scales_;  ///< of each point
};

}  // namespace perfmodel
