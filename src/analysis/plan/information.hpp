#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/plan/sampling.hpp"
#include "base/tasks/tasks.hpp"
#include "fit/result/form.hpp"
#include "perfmodel/model/columns/spec.hpp"

namespace perfmodel::plan {

/// A form and constants to linearise it at.
struct Linearisation {
  ModelSpec spec;
  std::shared_ptr<const Form> form;
  Eigen::VectorXd constants;  ///< in the order of form->constants()
};

/// Eq. (4) where nothing is known yet: every input has the same share of the scalable part at the
/// middle of its values, powers are 1, scaling powers -0.5, and C is a fifth of the time.
Linearisation default_linearisation(const Space& space);

/// Where the exchanges of one start ended.
struct PlanStart {
  std::vector<std::size_t> candidates;  ///< that the plan takes, the existing ones first
  double information = 0;               ///< the criterion
};

/// Chooses `n` configurations, the existing ones among them, that say as much about the constants
/// as exchanges of one configuration can make them (Fedorov 1972, in the form of Cook and
/// Nachtsheim 1980), among random candidates. Half of the criterion is D-optimality, ln det(X'X)
/// per constant, the other half the same for the scaling powers alone (D_s), which are what most
/// plans are made for. Of constants it is the logarithm that counts, where they are no powers: the
/// noise of measured times is proportional to them. Levels of several categorical columns are
/// determined only up to a constant each: a small ridge keeps the determinants above 0.
///
/// Exchanges begin at `starts` random choices of candidates; the best end is the plan, of equal
/// ones the first.
struct DOptimalRequest {
  const Space& space;
  std::size_t n = 0;
  std::uint64_t seed = 1;
  const std::vector<Configuration>& existing;
  const Linearisation& linearisation;
  std::size_t starts = 1;
  std::size_t threads = 1;  ///< they change no result
};

/// Nothing where `hooks` leave all starts to others.
std::optional<Plan> d_optimal_plan(const DOptimalRequest& request,
                                   const TaskHooks<PlanStart>& hooks = {});

}  // namespace perfmodel::plan
