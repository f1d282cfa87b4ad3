#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "forms/form.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

constexpr auto texts_of(Calibration) {
  using enum Calibration;
  return std::to_array<EnumText<Calibration>>(
      {{validation, "split conformal"}, {cross_validation, "cross-conformal"}});
}

/// Median of |z| for a standard normal z.
inline constexpr double kHalfAreSmaller = 0.6745;

/// Ends of an interval as factors of the prediction: lower <= 1 <= upper.
struct IntervalFactors {
  double lower = 1;
  double upper = 1;

  Interval around(double time) const { return {time * lower, time * upper}; }
};

/// Interval factors per row: narrow where the model is certain, wide where it is not.
struct RowIntervals {
  Eigen::ArrayXd lower;
  Eigen::ArrayXd upper;

  IntervalFactors operator[](std::size_t row) const {
    const auto at = static_cast<Eigen::Index>(row);
    return {lower[at], upper[at]};
  }
};

/// Per row: whether the measured time lies in the interval of its prediction.
Eigen::Array<bool, Eigen::Dynamic, 1> covered(const RowIntervals& intervals,
                                              const Eigen::VectorXd& measured,
                                              const Eigen::VectorXd& predicted);

/// Share of the measured times that lie in their intervals.
double covered_share(const RowIntervals& intervals, const Eigen::VectorXd& measured,
                     const Eigen::VectorXd& predicted);

/// The highest level that `count` calibration rows support: with equal tails, 1 - 2 / (count + 1).
double highest_level(std::size_t count);

/// Throws UsageError, with the number of rows needed, if `count` rows do not support the level.
void require_level(double level, std::size_t count);

/// Throws UsageError, with the number of rows needed, if `count` rows do not support a bound of
/// this quantile.
void require_quantile(double quantile, std::size_t count);

/// Makes the predictions of a model with intervals bounds: multiplies them, and the ends of the
/// intervals with them, by the score of the calibration rows whose rank is ceil((n + 1) tau), so
/// that a new run is below its bound with this probability (split conformal: Romano, Patterson and
/// Candes 2019; over folds: Barber et al. 2021). Scores must not be divided.
void move_to_quantile(FittedModel& model, double quantile);

BoundUse bound_use(const Eigen::VectorXd& measured, const Eigen::VectorXd& bounds);

/// Numbers computed from a model.
using Quantities = std::function<Eigen::VectorXd(const FittedModel&)>;

struct Calibrated {
  PredictionIntervals intervals;
  /// Half widths of 90 % intervals of the quantities, by the delete-a-group jackknife over the
  /// folds (Kott 2001): Student's t times sqrt((K - 1) / K sum_k (q_k - mean q)^2), wider if these
  /// rows selected the form.
  Eigen::VectorXd half_widths;
};

/// Prediction intervals of `level` for a model that this run of the program fitted to `training`.
/// Within the measured ranges they are calibrated on `validation` or, without it, by ten-fold
/// cross-validation; beyond, by extrapolation folds. `group_of`: per row, the group that is held
/// out together. The form is kept and refitted to a sample of at most some hundred rows less a
/// fold; `options.threads` refits run at a time, which does not change the result. Returns nullopt
/// after a stop request. Throws as calibrate() does.
std::optional<Calibrated> calibrated(const FittedModel& model, const Design& training,
                                     const std::vector<std::size_t>& group_of,
                                     const std::optional<Design>& validation,
                                     const FitOptions& options, double level,
                                     const Quantities& quantities);

/// Intervals from the measured and predicted times of the calibration rows, all > 0. Scores are
/// divided by `deviations` if given. Throws UsageError as require_level() does, and InputError if a
/// prediction is no valid time.
PredictionIntervals calibrate(const Eigen::VectorXd& measured, const Eigen::VectorXd& predicted,
                              Calibration calibration, double level,
                              const std::optional<Eigen::VectorXd>& deviations = {});

/// The median over the calibration rows of the GP's standard deviation.
double typical_deviation(const PredictionIntervals& intervals);

/// Throws UsageError if the calibration rows do not support `level`. `deviation`: by what the
/// scores were divided, if they were.
IntervalFactors interval_factors(const PredictionIntervals& intervals, double level,
                                 double deviation = 1);

/// Interval factors of the median calibration row, as an estimate for a new configuration; at rows
/// of the fit, a GP may give narrower ones. nullopt if scores were divided, but the model of an
/// older version does not store the typical deviation.
std::optional<IntervalFactors> usual_factors(const PredictionIntervals& intervals);

/// `reach`: what the form's gp_reach() returns for these rows.
RowIntervals row_intervals(const PredictionIntervals& intervals, double level, std::size_t rows,
                           const std::optional<GpReach>& reach);
/// Intervals of the rows of a design, for a model with intervals; wider beyond the measured ranges.
RowIntervals row_intervals(const FittedModel& model, double level, const Design& design,
                           const std::optional<GpReach>& reach);
RowIntervals row_intervals(const FittedModel& model, double level, const Design& design);

}  // namespace perfmodel
