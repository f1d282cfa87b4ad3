#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "perfmodel/model.hpp"
#include "perfmodel/table.hpp"

namespace perfmodel {

/// The direction in which times are known to go with an input.
struct Monotone {
  std::string column;
  bool rises = true;
};

/// Throws UsageError unless all are different numeric inputs of the model that are not computed
/// from others, three at most.
void check_directions(const ModelSpec& spec, std::span<const Monotone> directions);

/// Rearranges the predicted times of all rows so that they go in these directions: along a column,
/// all else equal, the times are sorted. Where the prediction is monotone already it stays, and no
/// rearranged prediction is farther from monotone times in the mean (Chernozhukov, Fernandez-Val
/// and Galichon, Improving point and interval estimators of monotone functions by rearrangement,
/// Biometrika 96, 2009). Of several columns, the mean over the orders in which they are sorted.
///
/// The times are those at all values that the rows have and at points between the ends of the
/// measured range, so that rows that differ in these columns alone are monotone among each other.
/// Rows for which one of these times is not valid keep their prediction.
void rearrange(const FittedModel& model, const Table& rows, std::span<const Monotone> directions,
               Eigen::VectorXd& times);

}  // namespace perfmodel
