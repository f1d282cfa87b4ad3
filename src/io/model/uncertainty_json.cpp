#include "io/model/uncertainty_json.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "fit/result/form.hpp"

namespace perfmodel {
namespace {

/// "activation=tanh - relu", in the order of an uncertainty.
std::vector<std::string> difference_list(const FittedModel& model) {
  std::vector<std::string> out;
  for (const ConstantDifference& item : model.form->differences(model.spec))
    out.push_back(item.column + "=" + item.level + " - " + item.first_level);
  return out;
}

std::vector<std::string> scale_list(const ModelSpec& spec) {
  std::vector<std::string> out;
  for (const NumericInput& input : spec.extrinsic)
    out.push_back(input.column);
  return out;
}

Json end_json(double end) {
  return std::isfinite(end) ? number(end) : Json();
}

double read_end(const JsonCursor& item, const std::string& name) {
  const auto end = item.nullable_member(name);
  return end ? end->number() : std::numeric_limits<double>::quiet_NaN();
}

Json intervals_json(const std::vector<std::string>& names, const std::vector<Interval>& intervals,
                    const std::vector<bool>* identified) {
  Json out = Json::array();
  for (std::size_t k = 0; k < names.size(); ++k) {
    // Without the statement nothing is known to be safe to quote.
    out.push_back(
        {{"name", names[k]},
         {"low", end_json(intervals[k].low)},
         {"high", end_json(intervals[k].high)},
         {"identified", identified != nullptr && k < identified->size() && (*identified)[k]}});
  }
  return out;
}

std::vector<Interval> read_intervals(const JsonCursor& node,
                                     const std::vector<std::string>& names) {
  std::vector<Interval> out;
  for (const auto& item : node.items()) {
    const auto name = item.member("name");
    if (out.size() == names.size() || name.text() != names[out.size()])
      name.fail("'" + name.text() + "' does not stand in the order of the constants");
    out.push_back({read_end(item, "low"), read_end(item, "high")});
  }
  if (out.size() < names.size())
    node.fail("'" + names[out.size()] + "' is missing");
  return out;
}

std::optional<JsonCursor> present(const JsonCursor& root, const std::string& name) {
  return root.optional_member(name) ? root.nullable_member(name) : std::nullopt;
}

}  // namespace

Json to_json(const std::optional<NoiseFloor>& floor) {
  if (!floor)
    return {};
  return {{"rows", floor->rows},
          {"groups", floor->groups},
          {"mape_percent", number(floor->mape_percent)}};
}

std::optional<NoiseFloor> read_noise_floor(const JsonCursor& root) {
  const auto node = present(root, "noise_floor");
  if (!node)
    return std::nullopt;
  return NoiseFloor{node->member("rows").count(), node->member("groups").count(),
                    node->member("mape_percent").number()};
}

Json uncertainty_to_json(const FittedModel& model) {
  if (!model.uncertainty)
    return {};
  const Uncertainty& uncertainty = *model.uncertainty;
  const Identifiability* found = model.identifiability ? &*model.identifiability : nullptr;
  Json constants = intervals_json(constant_names(model), uncertainty.constants,
                                  found ? &found->constants : nullptr);
  Json differences = intervals_json(difference_list(model), uncertainty.differences,
                                    found ? &found->differences : nullptr);
  Json out = {{"method", "bootstrap"},
              {"resampled", to_text(uncertainty.resampling)},
              {"samples", uncertainty.samples},
              {"confidence", number(uncertainty.confidence)},
              {"constants", std::move(constants)},
              {"level_differences", std::move(differences)}};
  if (model.form->has_local_powers()) {
    out["scaling_powers"] = intervals_json(scale_list(model.spec), uncertainty.scaling_powers,
                                           found ? &found->scaling_powers : nullptr);
  }
  return out;
}

std::optional<Uncertainty> read_uncertainty(const FittedModel& model, const JsonCursor& root) {
  const auto node = present(root, "uncertainty");
  if (!node)
    return std::nullopt;
  Uncertainty out;
  const auto resampled = node->member("resampled");
  if (resampled.text() == to_text(Resampling::residuals))
    out.resampling = Resampling::residuals;
  else if (resampled.text() != to_text(Resampling::rows))
    resampled.fail("'" + resampled.text() + "' is neither 'rows' nor 'residuals'");
  out.samples = node->member("samples").count();
  out.confidence = node->member("confidence").number();
  out.constants = read_intervals(node->member("constants"), constant_names(model));
  out.differences = read_intervals(node->member("level_differences"), difference_list(model));
  if (model.form->has_local_powers())
    out.scaling_powers = read_intervals(node->member("scaling_powers"), scale_list(model.spec));
  return out;
}

}  // namespace perfmodel
