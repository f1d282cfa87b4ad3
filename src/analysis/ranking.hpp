#pragma once

#include <optional>
#include <string>

#include "analysis/central/doubling.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

/// A model beside others of its kind.
struct RankedModel {
  std::optional<Configuration> configuration;  ///< where it is asked
  std::optional<double> time;                  ///< there; nothing where the model gives none
  std::optional<double> growth;                ///< t(2x) / t(x) there, by the scale
};

/// Where models are ranked: at the largest value that any of them was measured at, of the first
/// scale of the first one that has a scale.
struct RankingPlace {
  std::string scale;  ///< empty: none has one
  double at = 0;

  void see(const FittedModel& model);
  /// All else as in the central run; that itself of a model without the scale.
  std::optional<Configuration> configuration(const FittedModel& model) const;
};

/// What a model says at a configuration, if it has one, and how the scale moves it there.
RankedModel ranked_at(const FittedModel& model, const std::string& scale,
                      std::optional<Configuration> configuration);

}  // namespace perfmodel
