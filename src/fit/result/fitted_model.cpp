#include "perfmodel/fit/result/fitted_model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include "fit/result/form.hpp"

namespace perfmodel {

std::string_view to_text(ProcessNoise noise) {
  return noise == ProcessNoise::student_t ? "student_t" : "normal";
}

std::string formula_code(const FittedModel& model, FormulaLanguage language) {
  return model.form->code(model.spec, model.constants, language);
}

Eigen::VectorXd predict(const FittedModel& model, const Design& design) {
  return model.form->predict(model.spec, model.constants, design);
}

bool is_time(double predicted) {
  return std::isfinite(predicted) && predicted > 0;
}

std::vector<std::string> constant_names(const FittedModel& model) {
  std::vector<std::string> names;
  for (ConstantInfo& constant : model.form->constants(model.spec))
    names.push_back(std::move(constant.name));
  return names;
}

std::optional<ScaleStep> step_through_derived(const FittedModel& model, std::size_t extrinsic) {
  const ModelSpec& spec = model.spec;
  const NumericInput& scale = spec.extrinsic[extrinsic];
  if (!spec.is_derived_from(scale.column) || spec.is_derived(scale.column) || !model.typical)
    return std::nullopt;
  const Configuration& typical = *model.typical;
  const double middle = typical.extrinsic[extrinsic];
  const double low = std::max(scale.low, middle / std::numbers::sqrt2);
  const double high = std::min(scale.high, middle * std::numbers::sqrt2);
  const auto below = with_scale(spec, typical, extrinsic, low);
  const auto above = with_scale(spec, typical, extrinsic, high);
  if (!below || !above || !(high > low))
    return std::nullopt;
  return ScaleStep{*below, *above, std::log(high / low)};
}

std::optional<double> power_through_derived(const FittedModel& model, std::size_t extrinsic) {
  const auto step = step_through_derived(model, extrinsic);
  if (!step)
    return std::nullopt;
  const double constant = model.form->unscaled_time(model.constants);
  const auto scalable = [&](const Configuration& at) {
    return predict(model, design_of(at, model.spec))[0] - constant;
  };
  const double power = std::log(scalable(step->above) / scalable(step->below)) / step->log_ratio;
  return std::isfinite(power) ? std::optional(power) : std::nullopt;
}

std::vector<double> scaling_powers(const FittedModel& model) {
  std::vector<double> out = model.form->scaling_powers(model.spec, model.constants,
                                                       model.typical ? &*model.typical : nullptr);
  for (std::size_t j = 0; j < out.size(); ++j)
    out[j] = power_through_derived(model, j).value_or(out[j]);
  return out;
}

std::vector<double> time_shares(const FittedModel& model, const Design& design) {
  return model.form->shares(model.spec, model.constants, design);
}

}  // namespace perfmodel
