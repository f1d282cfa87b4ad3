#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "fit/process/coordinates.hpp"

namespace perfmodel::process {

/// Runs of equal inputs as one row, in an order that depends on their inputs alone.
struct MergedRows {
  std::vector<Eigen::Index> first;  ///< of each row a run: where its inputs stand
  Eigen::VectorXd y;                ///< mean over its runs
  Eigen::VectorXd runs;
  Eigen::VectorXd scatter;  ///< per row: sum of squares of its runs about their mean

  static MergedRows of(const Inputs& inputs, const Eigen::VectorXd& y);

  Eigen::Index rows() const { return y.size(); }
};

/// So many of `count` rows, drawn by the seed, in a random order; all where there are fewer.
std::vector<Eigen::Index> sampled_rows(Eigen::Index count, Eigen::Index most, std::uint64_t seed);

}  // namespace perfmodel::process
