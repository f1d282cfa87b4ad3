#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
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

/// The number of calibration rows that support a bound of this quantile.
std::size_t rows_for_quantile(double quantile);

/// Makes the predictions of a model with intervals bounds: multiplies them, and the ends of the
/// intervals with them, by the score of the calibration rows whose rank is ceil((n + 1) tau), so
/// that a new run is below its bound with this probability (split conformal: Romano, Patterson and
/// Candes 2019; over folds: Barber et al. 2021). Scores must not be divided. Of fewer rows than
/// rows_for_quantile(), the score is the largest, or the quantile of the model's belief if that is
/// larger.
void move_to_quantile(FittedModel& model, double quantile);

BoundUse bound_use(const Eigen::VectorXd& measured, const Eigen::VectorXd& bounds);

/// Numbers computed from a model.
using Quantities = std::function<Eigen::VectorXd(const FittedModel&)>;

/// A model refitted to parts of its training rows and judged on the others: folds of all rows, and
/// extrapolation folds, which hold out the largest values of a number. The form is kept. What folds
/// say completes the model: how much its formula counts beside the process of its runs, and how its
/// predictions scatter.
class HeldOutFits {
 public:
  /// `model`: fitted to `training` by this run of the program, with `options`. `group_of`: per row,
  /// the group that is held out together. At most some hundred rows are taken; `options.threads`
  /// refits run at a time, which does not change the result. nullopt after a stop request.
  static std::optional<HeldOutFits> of(const FittedModel& model, const Design& training,
                                       const std::vector<std::size_t>& group_of,
                                       const FitOptions& options);

  /// The belief of the model; with it, an automatic form predicts an average.
  const std::shared_ptr<const ScalingBelief>& belief() const { return belief_; }

  /// Prediction intervals of the model with its belief, calibrated on `validation` or, without it,
  /// on the folds. Throws as calibrate() does.
  PredictionIntervals intervals(const FittedModel& model, const std::optional<Design>& validation,
                                double level) const;

  /// Half widths of 90 % intervals of quantities of the model, by the delete-a-group jackknife over
  /// the folds (Kott 2001): Student's t times sqrt((K - 1) / K sum_k (q_k - mean q)^2), wider if
  /// these rows selected the form. Empty without folds.
  Eigen::VectorXd half_widths(const FittedModel& model, const Quantities& quantities) const;

 private:
  /// A fold: rows to fit and rows to judge.
  struct Fold {
    std::vector<std::size_t> kept;
    std::vector<std::size_t> judged;
    std::optional<std::size_t> numeric = {};  ///< column of an extrapolation fold
    double edge = 0;
    bool is_flat = false;  ///< whether the formula is constant beyond the largest measured value
    /// The model of the kept rows; nullopt if they do not suffice for one.
    std::optional<FittedModel> model = {};
    std::shared_ptr<const ScalingBelief> belief = {};  ///< of the kept rows
    Eigen::VectorXd formula = {};  ///< ln of its times at the judged rows; NaN: none
  };

  ModelSpec spec_;
  Design runs_;
  std::vector<Fold> folds_;
  std::size_t random_ = 0;  ///< folds of all rows, which come first
  std::shared_ptr<const ScalingBelief> belief_;
  double optimism_ = 1;
  double free_ = 0;           ///< number of constants
  double share_of_rows_ = 1;  ///< of the training rows
  bool by_deviation_ = false;
  std::uint64_t seed_ = 1;

  HeldOutFits() = default;
  void plan_folds(const FittedModel& model, const std::vector<std::size_t>& groups,
                  const Refit& refit);
  void refit(const FittedModel& model, const Refit& refit, Fold& fold) const;
  Design at_edge(const Fold& fold) const;
  bool stands_alone() const;
  bool needs_belief(const Fold& fold) const;
  Eigen::VectorXd log_predicted(const Fold& fold, const Design& judged) const;
  double share_of_formula() const;
  double spread() const;
  double held_out_deviation() const;
  double widening() const;
  void believe(double share_of_formula, double spread, double widening);
};

/// Intervals from the measured and predicted times of the calibration rows, all > 0. Scores are
/// divided by `deviations` if given. Throws InputError if a prediction is no valid time.
PredictionIntervals calibrate(const Eigen::VectorXd& measured, const Eigen::VectorXd& predicted,
                              Calibration calibration, double level,
                              const std::optional<Eigen::VectorXd>& deviations = {});

/// The median over the calibration rows of the GP's standard deviation.
double typical_deviation(const PredictionIntervals& intervals);

/// The scores at the ends of `level`, or the outermost ones if it needs more rows. `deviation`: by
/// what the scores were divided, if they were.
IntervalFactors interval_factors(const PredictionIntervals& intervals, double level,
                                 double deviation = 1);

/// Interval factors of the median calibration row, as an estimate for a new configuration; at rows
/// of the fit they may be narrower. nullopt if scores were divided, but the model of an older
/// version does not store the typical deviation.
std::optional<IntervalFactors> usual_factors(const FittedModel& model);

/// Weight of the calibration rows in an interval: the rest is that of the model's belief.
double share_of_folds(const FittedModel& model);

/// `reach`: what the form's gp_reach() returns for these rows.
RowIntervals row_intervals(const PredictionIntervals& intervals, double level, std::size_t rows,
                           const std::optional<GpReach>& reach);
/// Intervals of the rows of a design, for a model with intervals; wider beyond the measured ranges.
/// Their ends are the averages of those of the calibration rows and those of the model's belief.
RowIntervals row_intervals(const FittedModel& model, double level, const Design& design,
                           const std::optional<GpReach>& reach);
RowIntervals row_intervals(const FittedModel& model, double level, const Design& design);

}  // namespace perfmodel
