#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/data/metrics.hpp"

namespace perfmodel {

/// Which constants of a model the training rows determine, so that they can be quoted.
///
/// A constant is identified where no flat direction of the model moves it (to first order at the
/// optimum), where it does not stand at a bound other than 0, and where its approximate 95 %
/// interval is narrow: at most +-0.5 for a power, +-50 % for a coefficient of a numeric column, and
/// +-50 % or +-10 % of the median time, whichever is wider, for C, levels and their differences. A
/// coefficient or C of exactly 0 is determined by its bound, where no flat direction leads away.
///
/// Factors of a sum of product terms are relative to the first that is not 0 (which stands at true)
/// and, like its coefficients, need +-50 %. A factor of exactly 0 stands at true: where the term
/// does not exist it takes less than 1e-4 of the time.
struct Identifiability {
  std::vector<bool> constants;  ///< one per constant, in the order of the model's
  /// Where a bound other than 0 decides, not the rows; one per constant, or none where that is not
  /// known.
  std::vector<bool> at_bound = {};
  /// Of Eq. (4): one per level, column by column: its difference to the first level of the column
  /// (which stands at true). Where several columns have levels, only such differences are
  /// determined.
  std::vector<bool> differences;
  /// Of a sum of product terms: its local scaling powers as scaling_powers() reports them, one per
  /// extrinsic column.
  std::vector<bool> scaling_powers;
};

/// What a bootstrap draws with replacement.
enum class Resampling {
  rows,       ///< whole training rows
  residuals,  ///< residuals of ln(time), put on the fitted times: for few rows
};

std::string_view to_text(Resampling resampling);

struct Interval {
  double low = 0;  ///< NaN, as is high, where samples tell none: a reference went to 0
  double high = 0;
};

/// How far other runs of the same kind would have moved the constants.
struct Uncertainty {
  Resampling resampling = Resampling::rows;
  std::size_t samples = 0;
  double confidence = 0.95;
  std::vector<Interval> constants;  ///< in the order of the model's
  /// Of Eq. (4): of each level to the first of its column, column by column.
  std::vector<Interval> differences;
  /// Of a sum of product terms: of its local scaling powers, one per extrinsic column.
  std::vector<Interval> scaling_powers;
};

/// What fits to parts of the training rows say about the rest of them.
struct CrossValidation {
  std::optional<std::string> group_by;  ///< nothing: rows of one configuration stay together
  std::vector<Metrics> folds;           ///< of the held-out rows of each fold
  Eigen::VectorXd predicted;  ///< of every training row, by the fit that it was held out of; not
                              ///< kept in model.json
  /// ProcessReach::deviations of these predictions, of the folds whose form gives any; nor kept.
  std::vector<std::optional<Eigen::VectorXd>> deviations = {};
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
/// The score of a row is ln(measured / predicted), of a model with a residual process over its
/// standard deviation there, in which there is what the typical calibration row scatters beyond it:
/// where few runs say that there is no noise, an error over next to nothing would decide all
/// intervals. Nor does a single row: intervals are factors of the prediction, wider in seconds
/// where times are long. Both ends have a quantile of their own, since errors are seldom symmetric.
struct PredictionIntervals {
  double level = 0.9;  ///< used where no other is asked for
  Calibration calibration = Calibration::validation;
  std::size_t count = 0;           ///< calibration rows
  std::vector<std::size_t> ranks;  ///< from 1, ascending: which of the sorted scores are kept
  std::vector<double> scores;      ///< theirs, rounded outwards to 1e-6
  /// Scores are divided by ProcessReach::deviations: where the model knows how sure it is of a
  /// configuration, intervals are narrow near the runs and wide far from them.
  bool by_deviation = false;
  /// What these rows scatter beyond what the deviations say: part of each, as a square.
  double added_deviation = 0;
  /// The median of these deviations over the calibration rows: how unsure the model is of what it
  /// was not fitted to. Models of older versions do not say.
  std::optional<double> held_out_deviation = {};
  /// Share of the test rows that lie in their intervals at `level`, where there are any.
  std::optional<double> test_coverage;
};

/// Mean and standard deviation (over n - 1) of one quantity over several fits.
struct Spread {
  std::string name;  ///< "a[filters]", "mape_percent", "gpus"
  double mean = 0;
  double standard_deviation = 0;
};

/// A spread over the seeds of repeated fits.
///
/// It says how far the answers of the search differ when only its seed does. The runs are the same
/// in all fits, so this is no confidence interval.
using SeedSpread = Spread;

/// One of the repeated fits.
struct SeedFit {
  std::uint64_t seed = 0;
  double cost = 0;  ///< loss plus penalty over the training rows
};

/// What repeated fits of the same rows have in common and where they differ.
struct RepeatSummary {
  std::size_t fits = 0;
  std::vector<SeedFit> seeds;         ///< empty where the seeds are not known
  std::vector<SeedSpread> constants;  ///< in the order of the model's constants
  std::vector<SeedSpread> scaling_powers;
  /// Metrics with the names of model.json; empty for a part without rows.
  std::vector<SeedSpread> train;
  std::vector<SeedSpread> validation;
  std::vector<SeedSpread> test;
};

}  // namespace perfmodel
