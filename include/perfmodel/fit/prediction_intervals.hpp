#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace perfmodel {

/// Which rows told how far predictions are off.
enum class Calibration {
  /// Rows of the validation part, which no fit has seen (split conformal prediction; Papadopoulos
  /// et al. 2002, Lei et al. 2018). Where the calibration rows and a new row are exchangeable, its
  /// time lies in the interval with at least the asked-for probability, whatever the model.
  validation,
  /// Training rows, each judged by a fit that it was held out of (cross-conformal prediction; Vovk
  /// 2015). No such guarantee for few rows: the fits to parts differ from the fit to all. In
  /// practice the coverage is near what was asked for, or above since parts are smaller.
  cross_validation
};

std::string_view to_text(Calibration calibration);

/// Intervals for new times by conformal prediction, at any level that the calibration rows reach.
///
/// The score of a row is ln(measured / predicted): intervals are factors of the prediction, wider
/// in seconds where times are long. Both ends have a quantile of their own, since errors are seldom
/// symmetric.
struct PredictionIntervals {
  double level = 0.9;  ///< used where no other is asked for
  Calibration calibration = Calibration::validation;
  std::size_t count = 0;           ///< calibration rows
  std::vector<std::size_t> ranks;  ///< from 1, ascending: which of the sorted scores are kept
  std::vector<double> scores;      ///< theirs, rounded outwards to 1e-6
  /// Share of the test rows that lie in their intervals at `level`, where there are any.
  std::optional<double> test_coverage;
};

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
