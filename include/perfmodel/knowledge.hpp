#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "perfmodel/unmeasured.hpp"

namespace perfmodel {

/// Which constants of a model are identifiable from the training rows, so that they can be quoted.
///
/// A constant is identifiable if no flat direction of the model moves it (to first order at the
/// optimum), if it is not at a bound other than 0, and if its approximate 95 % interval is narrow:
/// at most +-0.5 for a power, +-50 % for a coefficient of a numeric column, and for C, levels and
/// their differences +-50 % or +-10 % of the median time, whichever is wider. A coefficient or C of
/// exactly 0 is identified by its bound unless a flat direction leads away from it.
///
/// Factors of a sum of product terms are relative to the first one that is not 0 (which is marked
/// true) and, like its coefficients, need +-50 %. A factor of exactly 0 is marked true: where the
/// term is absent, it takes less than 1e-4 of the time.
struct Identifiability {
  std::vector<bool> constants;  ///< one per constant, in the order of the model's
  /// Whether a bound other than 0 determines the constant; one per constant, or empty if unknown.
  std::vector<bool> at_bound = {};
  /// Eq. (4) only: one per level, column by column, for its difference to the first level of the
  /// column (which is marked true). Only these are identifiable with several categorical columns.
  std::vector<bool> differences;
  /// Sums of product terms only: the local scaling powers as scaling_powers() returns them, one per
  /// extrinsic column.
  std::vector<bool> scaling_powers;
};

/// What a bootstrap draws with replacement.
enum class Resampling {
  rows,       ///< whole training rows
  residuals,  ///< residuals of ln(time), added to the fitted values: for few rows
};

constexpr auto texts_of(Resampling) {
  using enum Resampling;
  return std::to_array<EnumText<Resampling>>({{rows, "rows"}, {residuals, "residuals"}});
}

struct Interval {
  double low = 0;  ///< both are NaN if samples give no interval: a reference went to 0
  double high = 0;
};

/// Bootstrap intervals of the constants.
struct Uncertainty {
  Resampling resampling = Resampling::rows;
  std::size_t samples = 0;
  double confidence = 0.95;
  std::vector<Interval> constants;  ///< in the order of the model's
  /// Eq. (4) only: differences of each level to the first one of its column, column by column.
  std::vector<Interval> differences;
  /// Sums of product terms only: the local scaling powers, one per extrinsic column.
  std::vector<Interval> scaling_powers;
};

/// Results of fits to all but one fold of the training rows, judged on that fold.
struct CrossValidation {
  std::optional<std::string> group_by;  ///< nullopt: rows of one configuration stay together
  std::vector<Metrics> folds;           ///< errors on the held-out rows of each fold
  /// Prediction of each training row by the fit that held it out; not stored in model.json.
  Eigen::VectorXd predicted;
};

/// Which rows calibrate the prediction intervals.
enum class Calibration {
  /// Rows of the validation split, which no fit has seen (split conformal prediction; Papadopoulos
  /// et al. 2002, Lei et al. 2018). If the calibration rows and a new row are exchangeable, its
  /// time lies in the interval with at least the nominal probability, whatever the model.
  validation,
  /// Training rows, each judged by the same form refitted without it (cross-conformal prediction;
  /// Vovk 2015). This has no such guarantee: the refits differ from the fit to all rows, and the
  /// form was selected by the rows that judge it.
  cross_validation
};

/// Conformal prediction intervals for new times, beside those of the model's ScalingBelief: the
/// fewer calibration rows there are, the less they count.
///
/// The score of a row is ln(measured / predicted). With a Gaussian-process (GP) residual it is
/// divided by the GP's standard deviation there, plus the typical scatter of calibration rows
/// beyond it: if few runs suggest that there is no noise, errors divided by almost 0 would
/// determine all intervals. Outermost scores are limited, so that no single row does. Intervals are
/// factors of the prediction, so that longer times have wider ones. Each end has its own quantile,
/// since errors are seldom symmetric.
struct PredictionIntervals {
  static constexpr double default_level = 0.9;

  double level = default_level;  ///< used unless another one is requested
  Calibration calibration = Calibration::validation;
  std::size_t count = 0;           ///< calibration rows
  std::vector<std::size_t> ranks;  ///< from 1, ascending: which of the sorted scores are stored
  std::vector<double> scores;      ///< of these ranks, rounded outwards to 1e-6
  /// Whether scores are divided by GpReach::deviations: intervals are then narrow near the
  /// runs and wide far from them.
  bool by_deviation = false;
  /// Excess standard deviation of the calibration rows, added in quadrature by score_deviation().
  double added_deviation = 0;
  /// Median of the sum of both over the calibration rows: the uncertainty at new configurations.
  /// Models of older versions lack it.
  std::optional<double> held_out_deviation = {};
  /// Share of the test rows that lie in their intervals at `level`, if there are any.
  std::optional<double> test_coverage;
};

/// How a bound does on some rows.
struct BoundUse {
  double coverage = 0;         ///< share of the rows that are at or below their bound
  double over_allocation = 0;  ///< sum of the bounds / sum of the measured values
};

/// The predictions of a model are bounds, which a share of new runs is meant to stay below.
struct Bound {
  double quantile = 0;  ///< this share, in (0, 1)
  /// By what the fitted coefficients were multiplied so that held-out rows have this share.
  double factor = 1;
  BoundUse train;
  std::optional<BoundUse> validation;
  std::optional<BoundUse> test;
};

/// A number, or a level.
using InputValue = std::variant<double, std::string>;

/// The effect of another value of an input on the predicted time of one configuration. It includes
/// a GP residual, and columns that are tied to the input or derived from it change with it.
struct Effect {
  std::string column;
  InputValue from;
  InputValue to;
  double ratio = 1;  ///< time at `to` over time at `from`
  /// 90 % interval of the ratio, from fits to all but one fold. Known at the central run of models
  /// with prediction intervals.
  std::optional<Interval> interval = {};
  bool measured = true;  ///< whether both lie in the measured range of the column
  /// 10th and 90th percentile of the ratio over the training runs, each with this input alone
  /// changed; older files lack it.
  std::optional<Interval> over_runs = {};
  /// Where the ratio is farthest from 1, if it differs: "small batch_size", "precision = fp32".
  std::string most_at = {};

  /// Whether the ratio of one run says little of that of others.
  bool differs() const { return over_runs && over_runs->high > 1.25 * over_runs->low; }

  /// Whether the runs determine the sign of the effect, or that it is small; true without interval.
  bool is_determined() const {
    return !interval || interval->low > 1 || interval->high < 1 ||
           interval->high < 1.2 * interval->low;
  }
};

/// Mean and standard deviation (divisor n - 1) of a quantity over several fits.
struct Spread {
  std::string name;  ///< "a[filters]", "mape_percent", "gpus"
  double mean = 0;
  double standard_deviation = 0;
};

/// One of the repeated fits.
struct SeedFit {
  std::uint64_t seed = 0;
  double cost = 0;  ///< loss plus penalty over the training rows
};

/// Comparison of repeated fits to the same rows. Spreads over their seeds show how far the results
/// of the search depend on its seed; they are no confidence intervals.
struct RepeatSummary {
  std::size_t fits = 0;
  std::vector<SeedFit> seeds;     ///< empty if the seeds are unknown
  std::vector<Spread> constants;  ///< in the order of the model's constants
  std::vector<Spread> scaling_powers;
  /// Metrics, named as in model.json; empty for a split without rows.
  std::vector<Spread> train;
  std::vector<Spread> validation;
  std::vector<Spread> test;
};

/// A formula that the runs allow.
struct Law {
  std::string formula;
  double weight = 0;          ///< of all laws, by held-out runs
  std::vector<double> times;  ///< at the values of Laws
};

/// Formulas that predict held-out runs about as well as one another, and other times beyond the
/// runs: at 2 and at 4 times the largest value of a scale, else as at the typical configuration.
struct Laws {
  std::string column;
  std::vector<double> values;
  std::vector<Law> laws;  ///< two to four, the largest weight first
};

/// Metrics of each split; a split without rows has none.
struct PartMetrics {
  Metrics train;
  std::optional<Metrics> validation;
  std::optional<Metrics> test;
};

/// What is known about a fitted model beside its predictions: how well it does, how sure it is, and
/// what the inputs do. Older files lack some of it.
struct ModelKnowledge {
  PartMetrics metrics;
  /// Not known of models that were read from a file without it.
  std::optional<Identifiability> identifiability;
  std::optional<Uncertainty> uncertainty;  ///< if a bootstrap was requested
  std::optional<NoiseFloor> noise_floor;   ///< of the training rows, if there are replicates
  std::optional<RepeatSummary> repeats;    ///< if the fit was repeated with several seeds
  std::optional<CrossValidation> cross_validation;
  std::optional<PredictionIntervals> intervals;
  std::vector<Effect> effects;  ///< of its inputs at the central run
  /// For a GP residual: the median over the training runs of the share by which it changes the time
  /// of the formula.
  std::optional<double> correction;
  std::vector<UnmeasuredRegion> unmeasured;
  std::optional<Laws> laws;  ///< of few runs that allow several
};

}  // namespace perfmodel
