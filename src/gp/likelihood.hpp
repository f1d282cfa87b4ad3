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

/// Runs that are equal in their inputs are one row, their mean.
struct Observations {
  CodedInputs inputs;        ///< coordinates
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

  explicit HyperLayout(const CodedInputs& inputs);
  Eigen::Index length(Eigen::Index number) const { return 2 * number; }
  Eigen::Index share(Eigen::Index number) const { return 2 * number + 1; }
  Eigen::Index rate(Eigen::Index column) const { return 2 * numbers + column; }
  Eigen::Index variance() const { return 2 * numbers + levels; }
  Eigen::Index noise() const { return variance() + 1; }
  Eigen::Index size() const { return variance() + 2; }

  Kernel kernel(const Eigen::VectorXd& hyper) const;
  /// The inverse of kernel().
  Eigen::VectorXd position(const Kernel& kernel) const;
};

/// Normal priors of the hyper-parameters; precision 0: flat.
struct HyperPrior {
  Eigen::VectorXd mean;
  Eigen::VectorXd precision;
  /// The one whose prior is flat above its mean; negative: none.
  Eigen::Index flat_above = -1;

  /// hyper - mean, as far as it costs anything.
  Eigen::VectorXd off(const Eigen::VectorXd& hyper) const;
};

/// Variance of the level, which no prior should decide, in units of the variance of y.
constexpr double kLevelVariance = 100;

/// The covariance of y: process, level and noise.
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

/// Returns `all[i]` for each `i` in `chosen`.
std::vector<Eigen::Index> at_places(const std::vector<Eigen::Index>& all,
                                    std::span<const Eigen::Index> chosen);

/// Smallest variance of y that is used, so that a perfect formula does not divide by zero.
constexpr double kLeastSpread = 1e-9;

/// Rounded, so that other units of the time give the same to the last bit.
double on_grid(double value);

/// The chosen rows, for the search: rounded, so that other units of the time give the same to the
/// last bit.
Observations observed(const Inputs& coordinates, const MergedRows& rows,
                      const std::vector<Eigen::Index>& chosen);

}  // namespace perfmodel::process
