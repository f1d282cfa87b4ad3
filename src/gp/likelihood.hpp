#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "gp/kernel.hpp"
#include "gp/matrix.hpp"

namespace perfmodel::process {

/// ln f of some rows, and its slopes by the constants of f (rows x constants).
struct TrendValues {
  Eigen::VectorXd values;
  Eigen::MatrixXd slopes;
};

/// A formula that the process adds to: ln t = level + ln f + z + noise. The level, a factor of all
/// of f, is always estimated; a constant of f that is one has no work to do.
struct Trend {
  /// ln f of the runs of these positions among those that are fitted.
  std::function<TrendValues(const Eigen::VectorXd& constants, std::span<const Eigen::Index> rows)>
      at;
  Eigen::VectorXd start;
  /// The constants are normal around the start. The standard deviation is the constant's scale
  /// times one that is searched per group.
  Eigen::VectorXd scales;
  std::vector<Eigen::Index> groups;
  Eigen::Index group_count = 0;
};

/// One product: powers of what the coordinates are logarithms of (in coordinates) and a factor per
/// level. Two groups, where there are both.
Trend product_trend(Inputs coordinates);

/// The slopes of that trend at other rows; of levels beyond `level_counts`: 0.
Eigen::MatrixXd product_slopes(const Inputs& coordinates,
                               const std::vector<Eigen::Index>& level_counts);

/// How many levels each column has: one more than the largest index.
std::vector<Eigen::Index> level_counts(const Inputs& inputs);

/// Runs of equal inputs as one row, in an order that depends on their inputs alone. A run may count
/// for less than one.
struct MergedRows {
  std::vector<Eigen::Index> first;   ///< of each row a run: where its inputs stand
  std::vector<Eigen::Index> order;   ///< the runs by row, as places among those given
  std::vector<Eigen::Index> begins;  ///< where each row's runs begin there, and the end
  Eigen::VectorXd of_runs;           ///< y, in that order
  Eigen::VectorXd weights;           ///< what each run counts for, in that order
  Eigen::VectorXd y;                 ///< mean over its runs
  Eigen::VectorXd runs;              ///< sum of their weights
  Eigen::VectorXd scatter;           ///< per row: sum of squares of its runs about their mean

  /// Each run counts for one, or for its weight where there are weights.
  static MergedRows of(const Inputs& inputs, const Eigen::VectorXd& y,
                       const Eigen::VectorXd& weights = {});

  Eigen::Index rows() const { return y.size(); }
  Eigen::Index run_count(Eigen::Index row) const;
  Eigen::VectorXd runs_of(Eigen::Index row) const;
  /// What each of the runs that were given counts for.
  Eigen::VectorXd run_weights() const;
  /// Lets each run of a row count for so much.
  void weigh(Eigen::Index row, const Eigen::VectorXd& of_each);
};

/// What is known of the error of each row's mean.
struct RowErrors {
  Eigen::VectorXd mean;
  Eigen::VectorXd variance;
};

/// So many of `count` rows, drawn by the seed, in a random order; all where there are fewer.
std::vector<Eigen::Index> sampled_rows(Eigen::Index count, Eigen::Index most, std::uint64_t seed);

/// The trend as far as it is linear in its constants: y = slopes * constants + a level + z + noise.
/// Constants are normal around 0; those of one group share their variance, which is searched.
struct TrendBasis {
  Eigen::MatrixXd slopes;            ///< rows x constants
  std::vector<Eigen::Index> groups;  ///< of each constant
  Eigen::Index group_count = 0;
};

/// Runs that are equal in their inputs are one row, their mean.
struct Observations {
  CodedInputs inputs;  ///< coordinates
  TrendBasis trend;
  Eigen::VectorXd y;         ///< mean over the runs of a row, with the mean 0 over the rows
  Eigen::VectorXd runs;      ///< per row: as how many they count
  double repeated_runs = 0;  ///< more than one per row
  double scatter = 0;        ///< sum of squares of the runs about their rows
  double spread = 1;         ///< variance of y
};

/// Where each hyper-parameter stands: ln(1 / l) and ln(w / (1 - w)) of each number, ln(rate) of
/// each column of levels, then the logarithms of the variances.
struct HyperLayout {
  Eigen::Index numbers = 0;
  Eigen::Index levels = 0;
  Eigen::Index groups = 0;

  explicit HyperLayout(const Observations& rows);
  HyperLayout(Eigen::Index number_count, Eigen::Index level_count, Eigen::Index group_count)
      : numbers(number_count), levels(level_count), groups(group_count) {}
  Eigen::Index length(Eigen::Index number) const { return 2 * number; }
  Eigen::Index share(Eigen::Index number) const { return 2 * number + 1; }
  Eigen::Index rate(Eigen::Index column) const { return 2 * numbers + column; }
  Eigen::Index variance() const { return 2 * numbers + levels; }
  Eigen::Index noise() const { return variance() + 1; }
  Eigen::Index group(Eigen::Index g) const { return variance() + 2 + g; }
  Eigen::Index size() const { return variance() + 2 + groups; }

  Kernel kernel(const Eigen::VectorXd& hyper) const;
  /// Standard deviations.
  Eigen::VectorXd group_deviations(const Eigen::VectorXd& hyper) const;
  /// The other way, with the standard deviations of the groups.
  Eigen::VectorXd position(const Kernel& kernel, const Eigen::VectorXd& group_deviations) const;
};

/// Normal priors of the hyper-parameters; precision 0: flat.
struct HyperPrior {
  Eigen::VectorXd mean;
  Eigen::VectorXd precision;
};

/// Variance of the trend's level, which no prior should decide, in units of the variance of y.
constexpr double kLevelVariance = 100;

/// The covariance of y: process, trend and noise.
Eigen::MatrixXd covariance(const Observations& rows, const Eigen::VectorXd& hyper,
                           const Eigen::MatrixXd& correlations, std::size_t threads = 1);

/// The negative logarithm of the hyper-parameters' posterior density: marginal likelihood
/// (Rasmussen and Williams 2006, eq. 2.30) and prior, without their constants.
class HyperPosterior {
 public:
  HyperPosterior(const Observations& rows, HyperPrior prior, std::size_t threads = 1);

  /// Infinite where the covariance is numerically singular.
  double cost(const Eigen::VectorXd& hyper);
  /// The slopes of the cost where it was asked for last.
  Eigen::VectorXd slopes() const;

 private:
  const Observations& rows_;
  HyperLayout layout_;
  HyperPrior prior_;
  std::size_t threads_ = 1;
  Eigen::VectorXd hyper_;
  Eigen::MatrixXd correlations_;
  std::optional<PositiveMatrix> covariance_;
  Eigen::VectorXd weights_;  ///< covariance^-1 y
};

/// Those of `all` at the chosen places.
std::vector<Eigen::Index> at_places(const std::vector<Eigen::Index>& all,
                                    std::span<const Eigen::Index> chosen);

/// Of y, where nothing is left of it.
constexpr double kLeastSpread = 1e-9;

/// Rounded, so that other units of the time give the same to the last bit.
double on_grid(double value);

/// The chosen rows, for the search: rounded, so that other units of the time give the same to the
/// last bit. The trend refers to the runs that were merged.
Observations observed(const Inputs& coordinates, const MergedRows& rows, const Trend& trend,
                      const std::vector<Eigen::Index>& chosen);

}  // namespace perfmodel::process
