#pragma once

#include <cstddef>
#include <stop_token>
#include <utility>
#include <vector>

#include "base/eigen.hpp"
#include "perfmodel/progress.hpp"
#include "sums/row_kernel.hpp"

namespace perfmodel {

/// The contrasts of a categorical column as features. Sums over rows are computed per level and
/// then transformed to contrasts: with m levels and d other features, a row takes d products
/// instead of about m (d + m / 2).
class LevelColumn {
 public:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// `first`: index of the first contrast among all features. `contrasts`: rows x (levels - 1),
  /// rows of contrasts(levels). `others`: the other features, padded to the stride of the kernel.
  LevelColumn(Index first, const Eigen::Ref<const MatrixXd>& contrasts, const RowMajor& others);

  Index first() const { return first_; }
  Index levels() const { return levels_; }
  Index features() const { return levels_ - 1; }

  /// Sums of W over the rows of each level: levels x columns of W. W has one row per row.
  MatrixXd sums(const RowMajor& row_weights) const;

  /// sum over the rows r of each level of w_r o_r, with o the other features. Row level * (columns
  /// of W) + w of the result, padded like the features.
  RowMajor sums_with_others(const row_kernel::Functions& kernel, const RowMajor& row_weights) const;

  /// Sums of W over the rows of each pair of levels: column w has levels() x other.levels()
  /// numbers, the level of `other` varying fastest.
  RowMajor sums_with(const LevelColumn& other, const RowMajor& row_weights) const;

 private:
  Index first_;
  Index levels_;
  std::vector<Index> level_;  ///< level of each row
  std::vector<Index> order_;  ///< rows sorted by level
  std::vector<Index> begin_;  ///< first index into `order_` per level, then the end
  RowMajor others_;           ///< in the order of `order_`
};

/// Orthonormal Helmert contrasts: n - 1 columns for n levels, each summing to 0. Without a
/// reference level, a penalty treats all levels alike, and an unseen level gets their mean.
MatrixXd contrasts(std::size_t levels);

/// Index of the level that has this row of contrasts(levels).
Index level_of(const Eigen::Ref<const RowVectorXd>& row);

/// B'A for the contrasts B and a matrix A with one row per level, in time linear in its entries.
MatrixXd contrast_sums(const Eigen::Ref<const MatrixXd>& of_levels);

/// B' diag(w) B for the contrasts B and one weight per level, in time proportional to its entries.
MatrixXd contrast_products(const Eigen::Ref<const VectorXd>& weights);

/// The sums over rows that a descent step needs, with the same bits for every instruction set.
class NormalMatrix {
 public:
  /// The first feature and the number of features that are the contrasts of a column's levels.
  using Levels = std::pair<Index, Index>;

  /// `features` x: rows x F, copied. Contrasts listed in `levels` are summed per level if there are
  /// many. After a stop request the sums are incomplete and must not be used.
  NormalMatrix(const Eigen::Ref<const MatrixXd>& features, InstructionSet instructions,
               std::stop_token stop = {}, const std::vector<Levels>& levels = {});

  /// sum over the rows r of c_r j_r j_r' with j_r = (T_r1 x_r, T_r2 x_r, ...): J'J if the
  /// derivatives of each term are the term times the features. `terms` T: rows x K; `curvature` c:
  /// one per row. `bend` b, rows x K unless it is empty, adds b_rk x_r x_r' to the block of term k:
  /// what the second derivatives of the terms contribute. Returns K F x K F, both halves filled.
  MatrixXd operator()(const MatrixXd& terms, const ArrayXd& curvature,
                      const MatrixXd& bend = {}) const;

  /// x'W, F x columns of W. `row_weights` W has one row per row of x.
  MatrixXd feature_sums(const MatrixXd& row_weights) const;

 private:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// A block of the pairs i <= j of features whose products are computed together.
  struct Slab {
    Index first;   ///< first i
    Index last;    ///< last i
    Index pairs;   ///< number of pairs
    Index stride;  ///< pairs, padded to the kernel's stride
  };

  const row_kernel::Functions& kernel_;
  std::stop_token stop_;
  Index all_;                        ///< F
  std::vector<LevelColumn> levels_;  ///< columns of many levels
  std::vector<Index> columns_;       ///< indices of the other features
  RowMajor features_;                ///< the other features, padded to the kernel's stride
  std::vector<Slab> slabs_;          ///< together all pairs of the other features
  RowMajor pairs_;                   ///< x_i x_j of all rows; empty if too large

  static std::vector<Slab> slabs_of(Index columns, Index most_pairs);

  /// Adds the entries of columns of many levels. `weights`: rows x pairs of the terms.
  void add_levels(const RowMajor& weights, Index terms, MatrixXd& out) const;

  void add(Index rows, const row_kernel::Rows& products, const RowMajor& weights,
           RowMajor& sums) const;
};

}  // namespace perfmodel
