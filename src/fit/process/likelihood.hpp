#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <vector>

#include "fit/process/kernel/kernel.hpp"
#include "fit/process/positive_matrix.hpp"

namespace perfmodel::process {

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

}  // namespace perfmodel::process
