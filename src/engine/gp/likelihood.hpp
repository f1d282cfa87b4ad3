#pragma once

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
  std::vector<Index> first;   ///< per row: index of one of its runs
  std::vector<Index> order;   ///< indices of the runs, sorted by row
  std::vector<Index> begins;  ///< first index into `order` per row, then the end
  VectorXd of_runs;           ///< y of the runs, in that order
  VectorXd weights;           ///< weights of the runs, in that order
  VectorXd y;                 ///< per row: weighted mean of its runs
  VectorXd runs;              ///< per row: sum of the weights of its runs
  VectorXd scatter;           ///< per row: weighted sum of squares of its runs about their mean

  /// Empty `weights`: each run has weight 1.
  static MergedRows of(const Inputs& inputs, const VectorXd& y, const VectorXd& weights = {});

  Index rows() const { return y.size(); }
  Index run_count(Index row) const;
  VectorXd runs_of(Index row) const;
  /// The weights in the order in which the runs were given.
  VectorXd run_weights() const;
  /// Sets the weights of the runs of a row and updates its mean, count and scatter.
  void weigh(Index row, const VectorXd& of_each);
};

/// Posterior mean and variance of the error of each row's mean.
struct RowErrors {
  VectorXd mean;
  VectorXd variance;
};

/// The rows begin, ..., end - 1.
std::vector<Index> consecutive(Index begin, Index end);

/// Draws min(count, most) of the rows 0, ..., count - 1, in random order.
std::vector<Index> sampled_rows(Index count, Index most, std::uint64_t seed);

/// The rows that a likelihood is computed from: runs with equal inputs are one row, their mean.
struct Observations {
  CodedInputs inputs;        ///< coordinates
  VectorXd y;                ///< mean of the runs of a row, centred over the rows
  VectorXd runs;             ///< per row: number of runs, or sum of their weights
  double repeated_runs = 0;  ///< number of runs beyond one per row
  double scatter = 0;        ///< sum of squares of the runs about the means of their rows
  double spread = 1;         ///< variance of y
};

/// Index of each hyper-parameter in a vector: ln(1 / l) and ln(w / (1 - w)) of each number,
/// ln(rate) of each column of levels, then the logarithms of the variances of GP and noise.
struct HyperLayout {
  Index numbers = 0;
  Index levels = 0;

  explicit HyperLayout(const CodedInputs& inputs);
  Index length(Index number) const { return 2 * number; }
  Index share(Index number) const { return 2 * number + 1; }
  Index rate(Index column) const { return 2 * numbers + column; }
  Index variance() const { return 2 * numbers + levels; }
  Index noise() const { return variance() + 1; }
  Index size() const { return variance() + 2; }

  Kernel kernel(const VectorXd& hyper) const;
  /// The inverse of kernel().
  VectorXd position(const Kernel& kernel) const;
};

/// Normal priors of the hyper-parameters; precision 0: flat.
struct HyperPrior {
  VectorXd mean;
  VectorXd precision;
  /// Index of the hyper-parameter whose prior is flat above its mean; negative: none.
  Index flat_above = -1;

  /// hyper - mean, or 0 where the prior is flat.
  VectorXd off(const VectorXd& hyper) const;
  /// Minus twice the logarithm of the density, up to a constant.
  double squares(const VectorXd& hyper) const {
    return off(hyper).cwiseProduct(precision).dot(off(hyper));
  }
  /// The gradient of half of that.
  VectorXd slopes(const VectorXd& hyper) const { return precision.cwiseProduct(off(hyper)); }
};

/// Prior variance of the intercept, in units of the variance of y: wide, so that the data decide.
constexpr double kLevelVariance = 100;

/// The covariance of y: GP, intercept and noise.
MatrixXd covariance(const Observations& rows, const VectorXd& hyper, const MatrixXd& correlations,
                    std::size_t threads = 1);

/// The negative logarithm of the posterior density of the hyper-parameters, from the marginal
/// likelihood (Rasmussen and Williams 2006, eq. 2.30) and the prior, without additive constants.
class HyperPosterior {
 public:
  HyperPosterior(const Observations& rows, HyperPrior prior, std::size_t threads = 1);

  /// Infinite if the covariance is numerically singular.
  double cost(const VectorXd& hyper);
  /// The gradient of the cost at the point of the last call of cost().
  VectorXd slopes() const;

 private:
  const Observations& rows_;
  HyperLayout layout_;
  HyperPrior prior_;
  std::size_t threads_ = 1;
  VectorXd hyper_;
  MatrixXd correlations_;
  std::optional<PositiveMatrix> covariance_;
  VectorXd weights_;  ///< covariance^-1 y
};

/// Returns `all[i]` for each `i` in `chosen`.
std::vector<Index> at_places(const std::vector<Index>& all, std::span<const Index> chosen);

/// Smallest variance of y that is used, so that a perfect formula does not divide by zero.
constexpr double kLeastSpread = 1e-9;

/// Rounds to a multiple of 2^-30, so that another unit of the time gives the same result to the
/// last bit.
double on_grid(double value);

/// The chosen rows as the search sees them: y is centred and rounded, so that another unit of the
/// time gives the same result to the last bit.
Observations observed(const Inputs& coordinates, const MergedRows& rows,
                      const std::vector<Index>& chosen);

}  // namespace perfmodel::gp
