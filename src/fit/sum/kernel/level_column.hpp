#pragma once

#include <Eigen/Core>
#include <stop_token>
#include <vector>

#include "fit/sum/kernel/row_kernel.hpp"

namespace perfmodel {

/// Features that are the contrasts of a column's levels. Sums over the rows are taken of the rows
/// of each level, and only those put in contrasts: with m levels and d other features a row has d
/// products with them in place of about m (d + m / 2).
class LevelColumn {
 public:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// `first`: of all features, where these begin. `contrasts`: rows x (levels - 1), each one of
  /// contrasts(levels). `others`: further features of the rows, filled up to what the kernel wants.
  LevelColumn(Eigen::Index first, const Eigen::Ref<const Eigen::MatrixXd>& contrasts,
              const RowMajor& others);

  Eigen::Index first() const { return first_; }
  Eigen::Index levels() const { return levels_; }
  Eigen::Index features() const { return levels_ - 1; }

  /// The sum over the rows of each level: levels x columns of W, which has one row per row.
  Eigen::MatrixXd sums(const RowMajor& row_weights) const;

  /// sum over the rows r of each level of w_r o_r, o being the other features: row
  /// level * (columns of W) + w of the result, filled up as they are.
  RowMajor sums_with_others(const row_kernel::Functions& kernel, const RowMajor& row_weights) const;

  /// The sum over the rows of each level that are of each of the other's levels: column w has
  /// levels() x other.levels() numbers, the other's one after another.
  RowMajor sums_with(const LevelColumn& other, const RowMajor& row_weights) const;

 private:
  Eigen::Index first_;
  Eigen::Index levels_;
  std::vector<Eigen::Index> level_;  ///< of each row
  std::vector<Eigen::Index> order_;  ///< the rows by level
  std::vector<Eigen::Index> begin_;  ///< of each level there, and the end
  RowMajor others_;                  ///< in this order
};

}  // namespace perfmodel
