#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>

#include "perfmodel/model/columns/spec.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// Runs of one level, or of one end of a number, that a model predicts worse than the others.
struct WorstGroup {
  std::string column;
  std::string values;           ///< the level, "8", "9 .. 16"
  double mape = 0;              ///< in percent
  double mape_of_the_rest = 0;  ///< of all other runs
};

/// The group whose errors are the surest to be larger than those of the others: at least half as
/// large again on average, and by ranks with a probability of chance of at most 1 % over all groups
/// that are looked at. Runs of one configuration count as one, since their errors are alike.
std::optional<WorstGroup> worst_group(const ModelSpec& spec, const Design& runs,
                                      const Eigen::VectorXd& predicted);

}  // namespace perfmodel
