#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <stop_token>
#include <vector>

#include "base/random.hpp"
#include "optimise/algebra/bounds.hpp"

namespace perfmodel::optimise {

using Column = Eigen::Ref<Eigen::VectorXd>;
using ConstColumn = Eigen::Ref<const Eigen::VectorXd>;

/// Members are columns in real coordinates. The mutation formulas are the same in any affine
/// coordinates, so nothing is gained by a unit cube, and the reported point is bit for bit the one
/// that was evaluated.
struct Population {
  Eigen::MatrixXd members;
  std::vector<double> costs;

  std::size_t size() const { return costs.size(); }
  auto member(std::size_t i) const { return members.col(static_cast<Eigen::Index>(i)); }

  void replace(std::size_t i, const ConstColumn& x, double cost);
  void swap(std::size_t i, std::size_t j);
  /// Swaps the member of lowest cost (the first of several) to index 0.
  void promote_best();
};

/// One point per column. Each free coordinate's interval is cut into `count` equal strata; each
/// stratum holds one point at a uniform position, in an order drawn for each coordinate.
/// Coordinates that a stop leaves out stand at their lower bounds.
Eigen::MatrixXd latin_hypercube(const Bounds& bounds, std::size_t count, RandomStream& random,
                                const std::stop_token& stop = {});

/// Mean and standard deviation (over n) of the costs; +infinity where one of the costs is.
struct CostStatistics {
  double mean = 0;
  double spread = 0;
};
CostStatistics statistics(std::span<const double> costs);

}  // namespace perfmodel::optimise
