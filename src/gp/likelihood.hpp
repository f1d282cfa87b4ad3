#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gp/kernel.hpp"
#include "gp/matrix.hpp"

namespace perfmodel::gp {

/// Runs with equal inputs merged into one row; the order of rows depends on the inputs alone. A run
/// may have a weight below 1.
struct MergedRows {
  std::vector<Eigen::Index> first;   ///< per row: index of one of its runs
  std::vector<Eigen::Index> order;   ///< indices of the runs, sorted by row
  std::vector<Eigen::Index> begins;  ///< first index into `order` per row, then the end
  Eigen::VectorXd of_runs;           ///< y of the runs, in that order
  Eigen::VectorXd weights;           ///< weights of the runs, in that order
  Eigen::VectorXd y;                 ///< per row: weighted mean of its runs
  Eigen::VectorXd runs;              ///< per row: sum of the weights of its runs
  Eigen::VectorXd scatter;  ///< per row: weighted sum of squares of its runs about their mean

  /// Empty `weights`: each run has weight 1.
  static MergedRows of(const Inputs& inputs, const Eigen::VectorXd& y,
                       const Eigen::VectorXd& weights = {});

  Eigen::Index rows() const { return y.size(); }
  Eigen::Index run_count(Eigen::Index row) const;
  Eigen::VectorXd runs_of(Eigen::Index row) const;
  /// The weights in the order in which the runs were given.
  Eigen::VectorXd run_weights() const;
  /// Sets the weights of the runs of a row and updates its mean, count and scatter.
  void weigh(Eigen::Index row, const Eigen::VectorXd& of_each);
};

/// Posterior mean and variance of the error of each row's mean.
struct RowErrors {
  Eigen::VectorXd mean;
  Eigen::VectorXd variance;
};

/// The rows begin, ..., end - 1.
std::vector<Eigen::Index> consecutive(Eigen::Index begin, Eigen::Index end);

/// Draws min(count, most) of the rows 0, ..., count - 1, in random order.
std::vector<Eigen::Index> sampled_rows(Eigen::Index count, Eigen::Index most, std::uint64_t seed);

/// The rows that a likelihood is computed from: runs with equal inputs are one row, their mean.
struct Observations {
  CodedInputs inputs;        ///< coordinates
  Eigen::VectorXd y;         ///< mean of the runs of a row, centred over the rows
  Eigen::VectorXd runs;      ///< per row: number of runs, or sum of their weights
  double repeated_runs = 0;  ///< number of runs beyond one per row
  double scatter = 0;        ///< sum of squares of the runs about the means of their rows
  double spread = 1;         ///< variance of y
};

/// Index of each hyper-parameter in a vector: ln(1 / l) and ln(w / (1 - w)) of each number,
/// ln(rate) of each column of levels, then the logarithms of the variances of GP and noise.
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
  /// Index of the hyper-parameter whose prior is flat above its mean; negative: none.
  Eigen::Index flat_above = -1;

  /// hyper - mean, or 0 where the prior is flat.
  Eigen::VectorXd off(const Eigen::VectorXd& hyper) const;
};

/// Prior variance of the intercept, in units of the variance of y: wide, so that the data decide.
constexpr double kLevelVariance = 100;

/// The covariance of y: GP, intercept and noise.
Eigen::MatrixXd covariance(const Observations& rows, const Eigen::VectorXd& hyper,
                           const Eigen::MatrixXd& correlations, std::size_t threads = 1);

/// The negative logarithm of the posterior density of the hyper-parameters, from the marginal
/// likelihood (Rasmussen and Williams 2006, eq. 2.30) and the prior, without additive constants.
class HyperPosterior {
 public:
  HyperPosterior(const Observations& rows, HyperPrior prior, std::size_t threads = 1);

  /// Infinite if the covariance is numerically singular.
  double cost(const Eigen::VectorXd& hyper);
  /// The gradient of the cost at the point of the last call of cost().
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

/// Rounds to a multiple of 2^-30, so that another unit of the time gives the same result to the
/// last bit.
double on_grid(double value);

/// The chosen rows as the search sees them: y is centred and rounded, so that another unit of the
/// time gives the same result to the last bit.
Observations observed(const Inputs& coordinates, const MergedRows& rows,
                      const std::vector<Eigen::Index>& chosen);

}  // namespace perfmodel::gp
