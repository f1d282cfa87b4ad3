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

RankedModel ranked(const FittedModel& model, std::size_t number, const Ranking& ranking) {
  RankedModel out;
  out.model = number;
  const std::optional<Centre> centre = centre_of(model);
  if (!centre)
    return out;
  out.configuration = centre->configuration;
  const auto place = place_of_scale(model, ranking.scale);
  if (place) {
    const MovedConfiguration moved(model, centre->configuration, *place);
    out.configuration = moved.at(ranking.at);
    const auto here = moved.time_at(ranking.at);
    const auto doubled = moved.time_at(2 * ranking.at);
    if (here && doubled)
      out.growth = *doubled / *here;
  }
  if (out.configuration)
    out.time = time_of(model, *out.configuration);
  return out;
}

}  // namespace

Ranking ranking_of(const std::vector<const FittedModel*>& models) {
  Ranking out;
  out.scale = scale_of(models);
  for (const FittedModel* model : models)
    if (const auto place = place_of_scale(*model, out.scale))
      out.at = std::max(out.at, model->spec.extrinsic[*place].high);
  double total = 0;
  for (std::size_t i = 0; i < models.size(); ++i) {
    out.models.push_back(ranked(*models[i], i, out));
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
