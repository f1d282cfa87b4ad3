#include "analysis/ranking.hpp"

#include <algorithm>
#include <utility>

#include "analysis/central/moved_configuration.hpp"

namespace perfmodel {
namespace {

std::optional<std::size_t> place_of_scale(const FittedModel& model, const std::string& scale) {
  const auto& inputs = model.spec.extrinsic;
  const auto found = std::find_if(inputs.begin(), inputs.end(),
                                  [&](const NumericInput& input) { return input.column == scale; });
  if (found == inputs.end() || model.spec.is_derived(scale))
    return std::nullopt;
  return static_cast<std::size_t>(found - inputs.begin());
}

}  // namespace

void RankingPlace::see(const FittedModel& model) {
  for (const NumericInput& input : model.spec.extrinsic)
    if (scale.empty() && !model.spec.is_derived(input.column))
      scale = input.column;
  if (const auto place = place_of_scale(model, scale))
    at = std::max(at, model.spec.extrinsic[*place].high);
}

std::optional<Configuration> RankingPlace::configuration(const FittedModel& model) const {
  const std::optional<Centre> centre = centre_of(model);
  if (!centre)
    return std::nullopt;
  const auto place = place_of_scale(model, scale);
  return place ? MovedConfiguration(model, centre->configuration, *place).at(at)
               : centre->configuration;
}

RankedModel ranked_at(const FittedModel& model, const std::string& scale,
                      std::optional<Configuration> configuration) {
  RankedModel out;
  out.configuration = std::move(configuration);
  if (!out.configuration)
    return out;
  out.time = time_of(model, *out.configuration);
  if (const auto place = place_of_scale(model, scale)) {
    const MovedConfiguration moved(model, *out.configuration, *place);
    const double here = out.configuration->extrinsic[*place];
    const auto time = moved.time_at(here);
    const auto doubled = moved.time_at(2 * here);
    if (time && doubled)
      out.growth = *doubled / *time;
  }
  return out;
}

}  // namespace perfmodel
