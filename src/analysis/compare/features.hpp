#pragma once

#include <Eigen/Core>
#include <vector>

#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// How numeric columns enter the features.
enum class NumericForm { plain, logarithmic };

/// The rows as black boxes take them: one column per numeric input (intrinsic, then extrinsic),
/// then one of 0 and 1 per level of each categorical input. Observations are rows.
///
/// Logarithmic columns that may be 0 have a unit above 0, and are ln(1 + x / unit).
Eigen::MatrixXd one_hot_features(const Design& design, NumericForm form,
                                 const std::vector<double>& zero_units = {});

/// Of each numeric input the smallest value above 0 where 0 is among the rows' values, else 0.
std::vector<double> zero_units_of(const Design& training);

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

/// Writes each column in a unit in which its largest value in the rows it was made from is near 1:
/// black boxes that compute in single precision do not hold the values of every unit. Units are
/// powers of two, so that no digit changes.
class FloatUnits {
 public:
  FloatUnits() = default;
  explicit FloatUnits(const Eigen::MatrixXd& rows);
  /// What no float holds even so becomes the largest one.
  Eigen::MatrixXd operator()(const Eigen::MatrixXd& rows) const;

 private:
  Eigen::RowVectorXi exponents_;
};

}  // namespace perfmodel
