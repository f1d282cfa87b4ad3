#pragma once

#include <Eigen/Core>
#include <vector>

namespace perfmodel::optimise {

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Neighbouring columns of a matrix of which each row has one entry at most: those of the levels of
/// one categorical column. Stored by row, thousands of them take no more room and time than one.
/// The other columns stand in a dense matrix beside them, in their order.
struct LevelColumns {
  static constexpr Eigen::Index none = -1;

  Eigen::Index first = 0;            ///< among all columns
  Eigen::Index count = 0;            ///< 0: all columns are dense
  std::vector<Eigen::Index> of_row;  ///< the level with an entry in this row, or none
  Eigen::VectorXd value;             ///< the entry

  bool empty() const { return count == 0; }

  /// A vector over all columns without the part of the levels, and the part itself.
  Eigen::VectorXd others(const Eigen::VectorXd& x) const;
  Eigen::VectorXd levels(const Eigen::VectorXd& x) const;
  Eigen::VectorXd joined(const Eigen::VectorXd& others, const Eigen::VectorXd& levels) const;

  bool holds(Eigen::Index column) const { return column >= first && column < first + count; }
  /// Where a column that is not one of these stands among the others.
  Eigen::Index other(Eigen::Index column) const { return column < first ? column : column - count; }
};

/// Both kinds of columns together.
struct LevelMatrix {
  RowMajorMatrix others;
  LevelColumns levels;

  Eigen::Index rows() const { return others.rows(); }
  Eigen::Index cols() const { return others.cols() + levels.count; }
};

/// Products of the matrix that `others` and `levels` make together.
Eigen::VectorXd product(const RowMajorMatrix& others, const LevelColumns& levels,
                        const Eigen::VectorXd& x);
Eigen::VectorXd transposed_product(const RowMajorMatrix& others, const LevelColumns& levels,
                                   const Eigen::VectorXd& v);
Eigen::VectorXd scaled_transposed_product(double factor, const LevelMatrix& matrix,
                                          const Eigen::VectorXd& v);
/// Of the entries without their signs.
Eigen::VectorXd absolute_transposed_product(const RowMajorMatrix& others,
                                            const LevelColumns& levels, const Eigen::VectorXd& v);

}  // namespace perfmodel::optimise
