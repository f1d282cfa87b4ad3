#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "fit/process/kernel/kernel.hpp"
#include "fit/process/kernel/pair_slopes.hpp"
#include "fit/process/likelihood.hpp"

namespace perfmodel::process {

/// What is known: the residuals of rows, and as how many runs each counts.
struct KnownRows {
  const CodedInputs& inputs;  ///< coordinates
  Eigen::VectorXd residual;
  Eigen::VectorXd runs;
};

/// The negative logarithm of the densities of some rows given those next to them (Rasmussen and
/// Williams 2006, eq. 5.10) and of the prior. Where no kernel of this family is the truth, its mode
/// predicts better than that of the marginal likelihood (Bachoc 2013).
class LeftOutPosterior {
 public:
  /// `places`: the neighbours of each row and, last, the row itself. They stand for all rows.
  LeftOutPosterior(const KnownRows& rows, std::vector<std::vector<Eigen::Index>> places,
                   HyperPrior prior, std::size_t threads);

  /// Infinite where a covariance is numerically singular. The trend is known here: no groups.
  double cost(const Eigen::VectorXd& hyper);
  /// The slopes of the cost where it was asked for last.
  Eigen::VectorXd slopes() const;
  /// Of the predictions of the rows by the others, there, too; infinite where the cost is.
  double mean_relative_error() const;

 private:
  const KnownRows& rows_;
  std::vector<std::vector<Eigen::Index>> places_;
  HyperLayout layout_;
  HyperPrior prior_;
  double rows_per_place_ = 1;
  double pair_count_ = 0;  ///< of rows, over all places
  std::size_t threads_ = 1;
  Eigen::VectorXd hyper_;
  std::vector<Eigen::MatrixXd> correlations_;  ///< per place, as all below
  std::vector<Eigen::MatrixXd> solved_;        ///< covariance^-1 of its last unit and of y

  bool is_finite() const;
  Eigen::VectorXd slopes_of(std::size_t place, const Kernel& kernel, const PairSlopes& pairs) const;
};

}  // namespace perfmodel::process
