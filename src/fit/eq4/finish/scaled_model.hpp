#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "fit/eq4/space/search_space.hpp"
#include "optimise/algebra/arrow_matrix.hpp"
#include "optimise/algebra/level_columns.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// Eq. (4) in scaled constants, with its derivatives: what the exact finish works on.
class ScaledModel {
 public:
  ScaledModel(const Design& design, const SearchSpace& space);

  /// Predicted time of every row.
  Eigen::VectorXd predict(const Eigen::VectorXd& scaled) const;

  /// The same, and its derivatives by the scaled constants (rows x constants). Those of a column of
  /// many levels stand apart.
  Eigen::VectorXd linearise(const Eigen::VectorXd& scaled, optimise::LevelMatrix& jacobian) const;

  /// Second derivatives of the rows' predictions, summed with these weights (constants x
  /// constants), from the `jacobian` at the same constants: each power multiplies a derivative by
  /// the logarithm of its column, and Eq. (4) has no others.
  ArrowMatrix curvature(const optimise::LevelMatrix& jacobian,
                        const Eigen::VectorXd& weights) const;

 private:
  struct Parts;
  Parts parts(const Eigen::VectorXd& scaled) const;
  optimise::LevelMatrix empty_jacobian() const;

  const Design& design_;
  GenericLayout layout_;
  std::optional<std::size_t> many_levels_;           ///< the column whose levels stand apart
  std::vector<std::vector<double>> intrinsic_logs_;  ///< per column and distinct value
  std::vector<std::vector<double>> extrinsic_logs_;
};

}  // namespace perfmodel
