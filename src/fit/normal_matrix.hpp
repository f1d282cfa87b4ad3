#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <stop_token>
#include <utility>
#include <vector>

#include "fit/row_kernel.hpp"
#include "perfmodel/progress.hpp"

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

/// Orthonormal contrasts (Helmert): n - 1 columns for n levels, each summing to 0. No level is the
/// reference, so a penalty on them treats all levels alike, and a level that was never seen gets
/// the mean of the others.
Eigen::MatrixXd contrasts(std::size_t levels);

/// The level, from 0, whose row of contrasts(levels) this is.
Eigen::Index level_of(const Eigen::Ref<const Eigen::RowVectorXd>& row);

/// B'A for the contrasts B and A of one row per level, in as many steps as A has entries.
Eigen::MatrixXd contrast_sums(const Eigen::Ref<const Eigen::MatrixXd>& of_levels);

/// B' diag(w) B for the contrasts B and one weight per level, in as many steps as it has entries.
Eigen::MatrixXd contrast_products(const Eigen::Ref<const Eigen::VectorXd>& weights);

/// Sums over the rows that a step of a descent needs, with the same bits for every instruction set.
class NormalMatrix {
 public:
  /// The first feature and the number of features that are the contrasts of a column's levels.
  using Levels = std::pair<Eigen::Index, Eigen::Index>;

  /// `features` x: rows x F; they are copied. Those of `levels` are summed level by level where
  /// they are many. Once a stop is requested, the sums are no longer complete, and nobody may use
  /// them.
  NormalMatrix(const Eigen::Ref<const Eigen::MatrixXd>& features, InstructionSet instructions,
               std::stop_token stop = {}, const std::vector<Levels>& levels = {});

  /// sum over the rows r of c_r j_r j_r' with j_r = (T_r1 x_r, T_r2 x_r, ...): what J'J is where
  /// each term's derivatives are the term times the features. `terms` T: rows x K; `curvature` c:
  /// one per row. K F x K F, both halves filled.
  Eigen::MatrixXd operator()(const Eigen::MatrixXd& terms, const Eigen::ArrayXd& curvature) const;

  /// x'W: F x as many columns as W, which has one row per row of x.
  Eigen::MatrixXd feature_sums(const Eigen::MatrixXd& row_weights) const;

 private:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// The pairs i <= j of features whose products are made and summed together.
  struct Slab {
    Eigen::Index first;   ///< i from here
    Eigen::Index last;    ///< to here
    Eigen::Index pairs;   ///< so many of them
    Eigen::Index stride;  ///< filled up to what the kernel wants
  };

  const row_kernel::Functions& kernel_;
  std::stop_token stop_;
  Eigen::Index all_;                   ///< F
  std::vector<LevelColumn> levels_;    ///< columns of many levels
  std::vector<Eigen::Index> columns_;  ///< of the other features
  RowMajor features_;                  ///< those, filled up to what the kernel wants
  std::vector<Slab> slabs_;            ///< all pairs of them
  RowMajor pairs_;                     ///< x_i x_j of all rows; empty where that would be too many

  static std::vector<Slab> slabs_of(Eigen::Index columns, Eigen::Index most_pairs);

  /// Adds the part of the result that has to do with columns of many levels. `weights`: rows x
  /// pairs of the terms.
  void add_levels(const RowMajor& weights, Eigen::Index terms, Eigen::MatrixXd& out) const;

  void add(Eigen::Index rows, const row_kernel::Rows& products, const RowMajor& weights,
           RowMajor& sums) const;
};

}  // namespace perfmodel
