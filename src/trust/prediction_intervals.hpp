#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <string_view>

#include "perfmodel/fit/result/certainty.hpp"

namespace perfmodel {

std::string_view to_text(Calibration calibration);

/// A prediction times these is its interval: lower <= 1 <= upper.
struct IntervalFactors {
  double lower = 1;
  double upper = 1;
};

/// Share of the measured times that lie in the intervals of their predictions.
double covered_share(const IntervalFactors& factors, const Eigen::VectorXd& measured,
                     const Eigen::VectorXd& predicted);

/// The highest level that `count` calibration rows reach: with (1 - level) / 2 on each side,
/// 1 - 2 / (count + 1).
double highest_level(std::size_t count);

/// Throws UsageError where `count` rows do not reach the level, with the number that would.
void require_level(double level, std::size_t count);

/// Measured times and predictions of the calibration rows, both > 0. Throws UsageError as
/// require_level() does, InputError for a prediction that is no time.
PredictionIntervals calibrate(const Eigen::VectorXd& measured, const Eigen::VectorXd& predicted,
                              Calibration calibration, double level);

/// Throws UsageError for a level that is not reached.
IntervalFactors interval_factors(const PredictionIntervals& intervals, double level);

}  // namespace perfmodel
