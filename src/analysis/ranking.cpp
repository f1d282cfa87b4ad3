#include "analysis/ranking.hpp"

#include <algorithm>

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

std::string scale_of(const std::vector<const FittedModel*>& models) {
  for (const FittedModel* model : models)
    for (const NumericInput& input : model->spec.extrinsic)
      if (!model->spec.is_derived(input.column))
        return input.column;
  return {};
}

RankedModel ranked(const FittedModel& model, std::size_t number, const std::string& scale,
                   const std::optional<Configuration>& configuration) {
  RankedModel out;
  out.model = number;
  out.configuration = configuration;
  if (!configuration)
    return out;
  out.time = time_of(model, *configuration);
  if (const auto place = place_of_scale(model, scale)) {
    const MovedConfiguration moved(model, *configuration, *place);
    const double here = configuration->extrinsic[*place];
    const auto time = moved.time_at(here);
    const auto doubled = moved.time_at(2 * here);
    if (time && doubled)
      out.growth = *doubled / *time;
  }
  return out;
}

/// The central run with this value of the scale.
std::optional<Configuration> at_scale(const FittedModel& model, const std::string& scale,
                                      double value) {
  const std::optional<Centre> centre = centre_of(model);
  if (!centre)
    return std::nullopt;
  const auto place = place_of_scale(model, scale);
  return place ? MovedConfiguration(model, centre->configuration, *place).at(value)
               : centre->configuration;
}

}  // namespace

Ranking ranking_of(const std::vector<const FittedModel*>& models) {
  const std::string scale = scale_of(models);
  double largest = 0;
  for (const FittedModel* model : models)
    if (const auto place = place_of_scale(*model, scale))
      largest = std::max(largest, model->spec.extrinsic[*place].high);
  std::vector<std::optional<Configuration>> configurations;
  for (const FittedModel* model : models)
    configurations.push_back(at_scale(*model, scale, largest));
  Ranking out = ranking_at(models, configurations);
  out.at = largest;
  return out;
}

Ranking ranking_at(const std::vector<const FittedModel*>& models,
                   const std::vector<std::optional<Configuration>>& configurations) {
  Ranking out;
  out.scale = scale_of(models);
  double total = 0;
  for (std::size_t i = 0; i < models.size(); ++i) {
    out.models.push_back(ranked(*models[i], i, out.scale, configurations[i]));
    total += out.models.back().time.value_or(0);
  }
  for (RankedModel& model : out.models)
    model.share = model.time && total > 0 ? 100 * *model.time / total : 0;
  std::stable_sort(out.models.begin(), out.models.end(),
                   [](const RankedModel& a, const RankedModel& b) {
                     return a.time.value_or(-1) > b.time.value_or(-1);
                   });
  return out;
}

}  // namespace perfmodel
