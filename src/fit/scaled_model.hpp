#pragma once

#include <Eigen/Core>
#include <vector>

#include "fit/search_space.hpp"
#include "perfmodel/model/design.hpp"

namespace perfmodel {

/// Eq. (4) in scaled constants, with its derivatives: what the exact finish works on.
class ScaledModel {
 public:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  ScaledModel(const Design& design, const SearchSpace& space);

  /// Predicted time of every row.
  Eigen::VectorXd predict(const Eigen::VectorXd& scaled) const;

  /// The same, and its derivatives by the scaled constants (rows x constants).
  Eigen::VectorXd linearise(const Eigen::VectorXd& scaled, RowMajor& jacobian) const;

  /// Second derivatives of the rows' predictions, summed with these weights (constants x
  /// constants), from the `jacobian` at the same constants: each power multiplies a derivative by
  /// the logarithm of its column, and Eq. (4) has no others.
  Eigen::MatrixXd curvature(const RowMajor& jacobian, const Eigen::VectorXd& weights) const;

 private:
  struct Parts;
  Parts parts(const Eigen::VectorXd& scaled) const;

  const Design& design_;
  GenericLayout layout_;
  std::vector<std::vector<double>> intrinsic_logs_;  ///< per column and distinct value
  std::vector<std::vector<double>> extrinsic_logs_;
};

}  // namespace perfmodel
