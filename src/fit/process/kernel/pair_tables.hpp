#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "fit/process/kernel/kernel.hpp"
#include "fit/process/kernel/value_table.hpp"

namespace perfmodel::process {

/// Of a column: more values are not worth a table for so many pairs.
Eigen::Index most_tabulated_values(double pairs);

/// places[i] - places[k] of all i > k, column by column as in the lower half of a matrix.
Eigen::VectorXd pair_differences(const Eigen::VectorXd& places);

/// Correlations among known rows, for many small sets of them: columns of few distinct values have
/// theirs in a table.
class PairTables {
 public:
  static constexpr double kManyPairs = 1e9;

  /// Both must outlive this. `pairs`: of how many it will be asked in all; a table is no more work.
  PairTables(const Kernel& kernel, const CodedInputs& rows, double pairs = kManyPairs);

  /// The lower half of the correlations of the chosen rows.
  Eigen::MatrixXd among(std::span<const Eigen::Index> rows) const;

 private:
  const Kernel& kernel_;
  const CodedInputs& rows_;
  std::vector<ValueTable> tables_;  ///< per number
  Eigen::VectorXd other_level_;     ///< correlation of two levels, per column
};

}  // namespace perfmodel::process
