#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/central/doubling.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

/// A model beside others of its kind.
struct RankedModel {
  std::size_t model = 0;                       ///< its place in the list that was ranked
  std::optional<Configuration> configuration;  ///< where it is asked
  std::optional<double> time;                  ///< there; nothing where the model gives none
  double share = 0;                            ///< in percent of the sum of these times
  std::optional<double> growth;                ///< t(2x) / t(x) there, by the scale
};

struct Ranking {
  std::string scale;                ///< of the growth; empty: the models have none
  double at = 0;                    ///< its value, where all are asked at the same
  std::vector<RankedModel> models;  ///< the longest time first, those without one last
};

/// Models ranked by their times where the scale has the largest value that any of them was measured
/// at, all else as in the central run of each. The scale is the first of the first model that has
/// one; models without it are asked at their central run.
Ranking ranking_of(const std::vector<const FittedModel*>& models);

/// The same at a configuration of each; a model without one has no time.
Ranking ranking_at(const std::vector<const FittedModel*>& models,
                   const std::vector<std::optional<Configuration>>& configurations);

}  // namespace perfmodel
