#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "fit/task/weighted_rows.hpp"
#include "perfmodel/fit/task/fit_options.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// Rows that stand for lists of times, as a few rows each under an absolute loss: neighbouring
/// times as one.
///
/// The sum of w |t - y| over neighbours is that of one row, of their weight and their mean (of the
/// loss mape, whose weights are w / t, the harmonic one), for every prediction y that does not lie
/// between them, and more where it does. So the cost of condensed rows is never above that of all
/// times, and an optimum of theirs at which no prediction lies between the times of a row is one of
/// all times.
class CondensedTimes {
 public:
  /// The design must outlive this and the rows. `groups`: about so many rows of a row, at first.
  CondensedTimes(const Design& design, Loss loss, std::size_t groups);

  WeightedRows rows() const;

  /// Parts times between which a prediction lies, finely near it. Returns whether there were any.
  bool part_around(const Eigen::VectorXd& predicted);

 private:
  const Design& design_;
  Loss loss_;
  std::vector<std::vector<std::size_t>> begins_;  ///< by row: where groups of its list begin
};

}  // namespace perfmodel
