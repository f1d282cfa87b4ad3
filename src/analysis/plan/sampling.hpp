#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/plan/space.hpp"

namespace perfmodel::plan {

/// A plan and what there is to say about it.
struct Plan {
  std::vector<Configuration> configurations;  ///< the existing ones first
  std::size_t off_balance = 0;  ///< Latin hypercube: new ones that had to leave their strata
};

/// Random configurations, none twice and every column even over its values, on top of `existing`
/// up to `n` in all. The same seed extends a plan of its own to what a longer plan would have been.
///
/// Throws InputError where the space has not got so many configurations that fulfil its conditions.
Plan random_plan(const Space& space, std::size_t n, std::uint64_t seed,
                 const std::vector<Configuration>& existing);

/// A Latin hypercube: the new configurations have every value of a list equally often, up to one,
/// and one value from each of as many equal parts of a range. Where conditions rule out what was
/// drawn, values are swapped between configurations, which keeps the counts.
Plan latin_hypercube_plan(const Space& space, std::size_t n, std::uint64_t seed,
                          const std::vector<Configuration>& existing);

}  // namespace perfmodel::plan
