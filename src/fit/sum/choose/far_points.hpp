#pragma once

#include <vector>

#include "fit/sum/choose/choice_folds.hpp"

namespace perfmodel {

/// From 16 workers to 64, say: about as far as users ask a model to go.
inline constexpr double kStretch = 4;

/// By how much ln of each numeric column grows with that of the scale, over all rows; `features`
/// are those of the numeric columns.
std::vector<double> slopes_along(const TermData& data, const std::vector<Eigen::Index>& features,
                                 std::size_t scale);

/// What a fit says of far points.
struct FarPredictions {
  Eigen::VectorXd log_time;    ///< at each point, in units of the typical time
  Eigen::VectorXd log_growth;  ///< from the row that the point was made of
};

/// Configurations far beyond the measured range, to see what a sum does there and whether it is
/// determined: for each scale whose far end is held out, some of those rows with a multiple of
/// their value. The other numeric columns move along as they do in the runs, by the line through
/// the logarithms: what always goes together, as workers and the global batch, also does here.
class FarPoints {
 public:
  FarPoints(const TermCoordinates& coordinates, const std::vector<Fold>& folds);

  FarPredictions predictions(const SumShape& shape, const Eigen::VectorXd& theta) const;

  /// How far fits to several parts of the rows disagree at the points of a scale: the mean
  /// distance from their median, in logarithms and at most kLargestError at a point. 0 for a single
  /// fit and for a scale without points.
  double disagreement(const std::vector<FarPredictions>& of_fits, std::size_t scale) const;

  /// How much longer fits to several parts of the rows say that it takes beyond the measured range,
  /// as a mean logarithm that gives every scale the same weight. A time that falls counts as 0.
  double growth(const std::vector<FarPredictions>& of_fits) const;

 private:
  const TermCoordinates& coordinates_;
  TermData measured_;
  TermData points_;                  ///< made of the measured rows, one of each
  std::vector<std::size_t> scales_;  ///< of each point
};

}  // namespace perfmodel
