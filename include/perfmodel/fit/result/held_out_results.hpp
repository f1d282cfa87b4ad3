#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "perfmodel/data/metrics.hpp"

namespace perfmodel {

/// What fits to parts of the training rows say about the rest of them.
struct CrossValidation {
  std::optional<std::string> group_by;  ///< nothing: rows of one configuration stay together
  std::vector<Metrics> folds;           ///< of the held-out rows of each fold
  Eigen::VectorXd predicted;  ///< of every training row, by the fit that it was held out of; not
                              ///< kept in model.json
};

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

}  // namespace perfmodel
