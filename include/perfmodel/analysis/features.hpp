#pragma once

#include <Eigen/Core>

#include "perfmodel/model/design.hpp"

namespace perfmodel {

/// How numeric columns enter the features.
enum class NumericForm { plain, logarithmic };

/// The rows as black boxes take them: one column per numeric input (intrinsic, then extrinsic),
/// then one of 0 and 1 per level of each categorical input. Observations are rows.
Eigen::MatrixXd one_hot_features(const Design& design, NumericForm form);

/// Moves each column to mean 0 and standard deviation 1 (over n) of the rows it was made from; a
/// column of one value becomes 0.
class Standardiser {
 public:
  Standardiser() = default;
  explicit Standardiser(const Eigen::MatrixXd& rows);
  Eigen::MatrixXd operator()(const Eigen::MatrixXd& rows) const;

 private:
  Eigen::RowVectorXd mean_;
  Eigen::RowVectorXd deviation_;
};

}  // namespace perfmodel
