#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "fit/process/kernel/kernel.hpp"

namespace perfmodel::process {

/// How the logarithms of correlations among known rows depend on a kernel, for many small sets of
/// them: columns of few distinct values have theirs in a table.
class PairSlopes {
 public:
  /// Both must outlive this. `pairs`: of how many it will be asked in all.
  PairSlopes(const Kernel& kernel, const CodedInputs& rows, double pairs);

  /// sum over all pairs i > k of the chosen rows, column by column as in the lower half of a
  /// matrix, of weights d ln R(i, k) / dp, for each p of ln(1 / l) and ln(w / (1 - w)) of each
  /// number, then ln(rate) of each column of levels.
  Eigen::VectorXd sums(std::span<const Eigen::Index> rows, const Eigen::VectorXd& weights) const;

 private:
  using Slopes = Eigen::Array<double, 2, Eigen::Dynamic>;  ///< by length and by share

  const Kernel& kernel_;
  const CodedInputs& rows_;
  std::vector<Slopes> tables_;  ///< per number, of each value with each; empty: too many values

  Eigen::Array2d of_table(const Slopes& table, Eigen::Index values,
                          const std::vector<std::uint32_t>& codes,
                          const Eigen::VectorXd& weights) const;
  Eigen::Array2d computed(Eigen::Index number, const Eigen::VectorXd& places,
                          const Eigen::VectorXd& weights) const;
};

}  // namespace perfmodel::process
