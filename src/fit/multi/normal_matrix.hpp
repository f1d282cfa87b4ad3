#pragma once

#include <Eigen/Core>

#include "perfmodel/fit/instruction_set.hpp"

namespace perfmodel {

/// sum over the rows r of c_r j_r j_r' with j_r = (T_r1 x_r, T_r2 x_r, ...): what J'J is where each
/// term's derivatives are the term times the features.
class NormalMatrix {
 public:
  /// `features` x: rows x F, a matrix or columns of one that outlives this: they are not copied,
  /// and are asked for again with many terms.
  NormalMatrix(const Eigen::Ref<const Eigen::MatrixXd>& features, InstructionSet instructions);

  /// `terms` T: rows x K; `curvature` c: one per row. K F x K F, both halves filled; the same bits
  /// with every instruction set.
  Eigen::MatrixXd operator()(const Eigen::MatrixXd& terms, const Eigen::ArrayXd& curvature) const;

 private:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  Eigen::Ref<const Eigen::MatrixXd> features_;
  InstructionSet instructions_;
  Eigen::Index columns_;  ///< pairs of features, filled up to what the sums are made for
  RowMajor pairs_;        ///< x_i x_j of all rows; empty where that would be too many
};

}  // namespace perfmodel
