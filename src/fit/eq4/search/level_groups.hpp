#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <vector>

#include "fit/task/weighted_rows.hpp"
#include "model/form/generic_expression.hpp"

namespace perfmodel {

/// Columns of many levels with their levels put into few groups, for the search to explore on: in
/// hundreds of dimensions a population finds nothing, and Eq. (4) is linear in the levels'
/// coefficients, so that an exact finish has no trouble to part them again.
///
/// Levels whose times are alike in the geometric mean are in one group; the groups have about the
/// same number of rows each.
class LevelGroups {
 public:
  /// Nothing where no column has many levels.
  static std::optional<LevelGroups> make(const ModelSpec& spec, const WeightedRows& rows);

  /// The model of the groups, and its rows.
  const ModelSpec& spec() const { return spec_; }
  WeightedRows group(const WeightedRows& rows) const;

  /// Constants of that model as those of the whole one: each level has its group's.
  Eigen::VectorXd of_levels(const Eigen::VectorXd& of_groups) const;

 private:
  ModelSpec spec_;
  GenericLayout layout_;
  /// Per column and level; empty where the levels are not grouped.
  std::vector<std::vector<std::uint32_t>> group_of_;
  std::vector<std::size_t> levels_;  ///< of each column

  explicit LevelGroups(ModelSpec spec) : spec_(std::move(spec)), layout_(spec_) {}
};

}  // namespace perfmodel
