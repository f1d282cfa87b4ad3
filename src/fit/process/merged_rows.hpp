#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "fit/process/kernel/coordinates.hpp"

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

}  // namespace perfmodel::process
