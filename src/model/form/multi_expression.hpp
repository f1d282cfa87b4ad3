#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "perfmodel/model/columns/spec.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// A step in an extrinsic column that is no power law, such as "num_gpus > 1": communication
/// begins.
struct Regime {
  std::size_t extrinsic = 0;  ///< index of the column in the spec
  double above = 1;

  bool operator==(const Regime&) const = default;
};

/// What a sum of product terms is made of, besides its constants.
struct MultiStructure {
  std::size_t terms = 1;
  std::vector<Regime> regimes;
  /// r of each term and extrinsic column, 0 where the term has no logarithm: [term][extrinsic].
  std::vector<std::vector<int>> log_powers;

  bool operator==(const MultiStructure&) const = default;
};

/// Where each constant of a sum of product terms stands in the vector of constants; per term
///
///     a | p_1..p_n | one factor per level, column by column | q_1..q_m | two factors per regime
///
/// and C behind the last term.
class MultiLayout {
 public:
  MultiLayout(const ModelSpec& spec, const MultiStructure& structure);

  std::size_t size() const { return names_.size(); }
  std::size_t coefficient(std::size_t term) const { return term * stride_; }
  std::size_t intrinsic_power(std::size_t term, std::size_t i) const {
    return term * stride_ + 1 + i;
  }
  std::size_t level(std::size_t term, std::size_t column, std::size_t level) const {
    return term * stride_ + level_start_[column] + level;
  }
  std::size_t extrinsic_power(std::size_t term, std::size_t j) const {
    return term * stride_ + extrinsic_start_ + j;
  }
  /// `side` 0: at or below the threshold, 1: above it.
  std::size_t regime(std::size_t term, std::size_t index, std::size_t side) const {
    return term * stride_ + regime_start_ + 2 * index + side;
  }
  std::size_t intercept() const { return names_.size() - 1; }

  /// "a[1]", "p[1,filters]", "g[1,activation=relu]", "q[1,workers]", "g[1,num_gpus>1]", "C".
  const std::string& name(std::size_t index) const { return names_[index]; }

 private:
  std::vector<std::size_t> level_start_;
  std::size_t extrinsic_start_ = 0;
  std::size_t regime_start_ = 0;
  std::size_t stride_ = 0;
  std::vector<std::string> names_;
};

/// The parts of every row's time, one column per term and C in the last:
///
///     a_k prod_i I_i^p_ki prod_c g_{k,c}[level] prod_j E_j^q_kj prod_j log2(E_j)^r_kj
///
/// with the factors of the regimes beside those of the levels. `constants` in the order of
/// MultiLayout, in the units of the data. log2(E) counts as 0 where E < 1.
Eigen::MatrixXd multi_parts(const ModelSpec& spec, const MultiStructure& structure,
                            const Eigen::VectorXd& constants, const Design& design);

/// The sum of multi_parts, one time per row.
Eigen::VectorXd predict_multi(const ModelSpec& spec, const MultiStructure& structure,
                              const Eigen::VectorXd& constants, const Design& design);

/// Local scaling powers d ln t / d ln E_j of the rows of a design: rows x extrinsic columns.
Eigen::MatrixXd multi_elasticities(const ModelSpec& spec, const MultiStructure& structure,
                                   const Eigen::VectorXd& constants, const Design& design);

}  // namespace perfmodel
