#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>

#include "fit/sum/terms/term_data.hpp"

namespace perfmodel {

/// How a sum grows along a scale: over the last two gaps between its measured values, and beyond.
///
/// A cost that begins at the last gap, as on the second node of a cluster, can be fitted by any
/// power that is steep enough, and is off by orders of magnitude a little further on.
class Steepness {
 public:
  /// The scale, an extrinsic column, has at least three values.
  Steepness(const TermCoordinates& coordinates, std::size_t scale);

  /// By how much d ln t / d ln n beyond the largest value exceeds the larger one of the two gaps:
  /// a mean over the rows with the largest value. The other numeric columns move along as they do
  /// in the runs.
  double excess(const SumShape& shape, const Eigen::VectorXd& theta) const;

 private:
  static constexpr std::size_t kPlaces = 4;

  const TermCoordinates& coordinates_;
  std::array<TermData, kPlaces> at_;  ///< two values below the largest, one below, it, beyond
  std::array<double, kPlaces - 1> log_gap_;  ///< of the scale, from each to the next
};

}  // namespace perfmodel
