#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "forms/form.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

std::string_view to_text(Calibration calibration);

/// A prediction times these is its interval: lower <= 1 <= upper.
struct IntervalFactors {
  double lower = 1;
  double upper = 1;
};

/// The same of some rows: narrow where the model knows much, wide where it knows little.
struct RowIntervals {
  Eigen::ArrayXd lower;
  Eigen::ArrayXd upper;

  IntervalFactors operator[](std::size_t row) const {
    const auto at = static_cast<Eigen::Index>(row);
    return {lower[at], upper[at]};
  }
};

/// Whether the measured times lie in the intervals of their predictions.
Eigen::Array<bool, Eigen::Dynamic, 1> covered(const RowIntervals& intervals,
                                              const Eigen::VectorXd& measured,
                                              const Eigen::VectorXd& predicted);

/// Share of the measured times that do.
double covered_share(const RowIntervals& intervals, const Eigen::VectorXd& measured,
                     const Eigen::VectorXd& predicted);

/// The highest level that `count` calibration rows reach: with (1 - level) / 2 on each side,
/// 1 - 2 / (count + 1).
double highest_level(std::size_t count);

/// Throws UsageError where `count` rows do not reach the level, with the number that would.
void require_level(double level, std::size_t count);

/// Numbers that a model says.
using Quantities = std::function<Eigen::VectorXd(const FittedModel&)>;

struct Calibrated {
  PredictionIntervals intervals;
  /// Of 90 % intervals of the quantities, by the delete-a-group jackknife over the folds (Kott
  /// 2001): Student's t times the root of (K - 1) / K sum_k (q_k - mean q)^2, and more where the
  /// form was chosen by these rows.
  Eigen::VectorXd half_widths;
};

/// Intervals of `level` for the predictions of a model that was fitted to these rows by this
/// program run: within the runs from rows of `validation`, or where there are none from ten folds
/// of the training rows, beyond from their edges rolled back. `group_of` says which rows are held
/// out together. Its form is fitted again as it is, to a sample of at most some hundred rows and
/// one fold or edge less; `options.threads` of them at a time, which changes no result. Nothing
/// after a stop request. Throws what calibrate() throws.
std::optional<Calibrated> calibrated(const FittedModel& model, const Design& training,
                                     const std::vector<std::size_t>& group_of,
                                     const std::optional<Design>& validation,
                                     const FitOptions& options, double level,
                                     const Quantities& quantities);

/// Measured times and predictions of the calibration rows, both > 0. Throws UsageError as
/// require_level() does, InputError for a prediction that is no time. Scores are divided by
/// `deviations` where they are given.
PredictionIntervals calibrate(const Eigen::VectorXd& measured, const Eigen::VectorXd& predicted,
                              Calibration calibration, double level,
                              const std::optional<Eigen::VectorXd>& deviations = {});

/// The median over the calibration rows of what the process alone says.
double typical_deviation(const PredictionIntervals& intervals);

/// What a score is divided by where the process says `deviation`: with what the calibration rows
/// scatter beyond that, of which a row that the process knows better than the typical one has its
/// share.
double score_deviation(const PredictionIntervals& intervals, double deviation);

/// Throws UsageError for a level that is not reached. `deviation`: what the scores are divided by,
/// where they are.
IntervalFactors interval_factors(const PredictionIntervals& intervals, double level,
                                 double deviation = 1);

/// What a new configuration can expect: those of the median calibration row. Runs that the model
/// was fitted to have narrower ones where a process passes through them. Nothing where scores are
/// divided and a model of an older version does not say by what.
std::optional<IntervalFactors> usual_factors(const PredictionIntervals& intervals);

/// By how much ln of the ends of an interval moves outwards with ln of the distance from the
/// measured range, of each numeric column; of one whose edge was never rolled back as much as of
/// the others, by their root mean square. Of several columns the furthest counts.
std::vector<double> interval_growths(const FittedModel& model, double level);

/// `reach` as a form gives it of the rows.
RowIntervals row_intervals(const PredictionIntervals& intervals, double level, std::size_t rows,
                           const std::optional<ProcessReach>& reach);
/// Of the rows of a design, by a model that has intervals; wider beyond the measured ranges.
RowIntervals row_intervals(const FittedModel& model, double level, const Design& design,
                           const std::optional<ProcessReach>& reach);
RowIntervals row_intervals(const FittedModel& model, double level, const Design& design);

}  // namespace perfmodel
