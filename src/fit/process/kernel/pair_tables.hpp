#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "fit/process/kernel/kernel.hpp"
#include "fit/process/kernel/value_table.hpp"

namespace perfmodel::process {

/// Correlations among known rows, for many small sets of them: columns of few distinct values have
/// theirs in a table.
class PairTables {
 public:
  /// Both must outlive this.
  PairTables(const Kernel& kernel, const CodedInputs& rows);

  /// The lower half of the correlations of the chosen rows.
  Eigen::MatrixXd among(std::span<const Eigen::Index> rows) const;

 private:
  const Kernel& kernel_;
  const CodedInputs& rows_;
  std::vector<ValueTable> tables_;  ///< per number
  Eigen::VectorXd other_level_;     ///< correlation of two levels, per column
};

}  // namespace perfmodel::process
