#pragma once

#include <Eigen/Core>
#include <vector>

namespace perfmodel::optimise {

/// The box that is searched: lower[i] <= x[i] <= upper[i]. Equal bounds fix a coordinate.
struct Bounds {
  Eigen::VectorXd lower;
  Eigen::VectorXd upper;

  Eigen::Index size() const { return lower.size(); }
  bool contains(const Eigen::VectorXd& x) const {
    return (x.array() >= lower.array()).all() && (x.array() <= upper.array()).all();
  }
};

/// Throws std::invalid_argument unless all bounds are finite, with a finite width, and not crossed.
void require_valid(const Bounds& bounds);

/// The coordinates whose bounds differ, ascending.
std::vector<Eigen::Index> free_coordinates(const Bounds& bounds);

}  // namespace perfmodel::optimise
