#pragma once

#include <Eigen/Core>
#include <optional>

#include "fit/eq4/space/search_space.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// Looks for powers at which terms that have left the model would come back.
///
/// A term a I^p with a = 0 has no slope in p: a local finish leaves it out for good, whatever other
/// powers promise. But its slope in a is known for every p of the box, so that all powers can be
/// tried at once: where the steepest of a grid, for a term of one size, is downhill, the term is
/// given that power.
///
/// `scaled` are constants at an optimum, and `pull` says per row how the cost changes with the
/// predicted time (d cost / d y). Returns the constants with new powers of idle terms, at which the
/// predictions are the same; nothing where no idle term would pay.
std::optional<Eigen::VectorXd> wake_idle_terms(const Design& training, const SearchSpace& space,
                                               const Eigen::VectorXd& scaled,
                                               const Eigen::VectorXd& pull);

}  // namespace perfmodel
