#pragma once

#include <Eigen/Core>
#include <stop_token>
#include <utility>
#include <vector>

#include "fit/sum/kernel/level_column.hpp"
#include "fit/sum/kernel/row_kernel.hpp"
#include "perfmodel/fit/simd/instruction_set.hpp"

namespace perfmodel {

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
