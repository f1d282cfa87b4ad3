#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/plan/sampling.hpp"
#include "perfmodel/model/columns/spec.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel::plan {

/// Constants of Eq. (4) to linearise at.
struct Linearisation {
  ModelSpec spec;
  Eigen::VectorXd constants;  ///< in the order of GenericLayout
};

/// Where nothing is known yet: every input has the same share of the scalable part at the middle of
/// its values, powers are 1, scaling powers -0.5, and C is a fifth of the time.
Linearisation default_linearisation(const Space& space);

/// Derivatives of ln t for every row of the design with respect to each constant of Eq. (4),
/// divided by the scale of the constant where that is a coefficient: one row per configuration. The
/// noise of measured times is proportional to them, so it is the logarithm whose derivatives count.
Eigen::MatrixXd sensitivities(const Linearisation& linearisation, const Design& design);

/// Chooses `n` configurations, the existing ones among them, that say as much about the constants
/// as exchanges of one configuration can make them (Fedorov 1972, in the form of Cook and
/// Nachtsheim 1980), among random candidates. Half of the criterion is D-optimality, ln det(X'X)
/// per constant, the other half the same for the scaling powers alone (D_s), which are what most
/// plans are made for. Levels of several categorical columns are determined only up to a constant
/// each: a small ridge keeps the determinants above 0.
Plan d_optimal_plan(const Space& space, std::size_t n, std::uint64_t seed,
                    const std::vector<Configuration>& existing, const Linearisation& linearisation);

/// The k rows of `candidates` that, one after another, raise ln det(X'X) most on top of what
/// `known` says, each at most once.
struct Gain {
  std::size_t row = 0;
  double log_determinant = 0;  ///< gained by this row
};
std::vector<Gain> most_informative(const Eigen::MatrixXd& known, const Eigen::MatrixXd& candidates,
                                   std::size_t k);

}  // namespace perfmodel::plan
