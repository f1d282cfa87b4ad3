#include "perfmodel/fit/fitted_model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "perfmodel/model/generic_expression.hpp"

namespace perfmodel {

Eigen::VectorXd predict(const FittedModel& model, const Design& design) {
  if (model.multi)
    return predict_multi(model.spec, model.multi->structure, model.constants, design);
  return predict_generic(model.spec, model.constants, design);
}

bool is_time(double predicted) {
  return std::isfinite(predicted) && predicted > 0;
}

std::vector<std::string> constant_names(const FittedModel& model) {
  const auto names_of = [](const auto& layout) {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < layout.size(); ++k)
      names.push_back(layout.name(k));
    return names;
  };
  return model.multi ? names_of(MultiLayout(model.spec, model.multi->structure))
                     : names_of(GenericLayout(model.spec));
}

std::optional<ScaleStep> step_through_derived(const FittedModel& model, std::size_t extrinsic) {
  const ModelSpec& spec = model.spec;
  const NumericInput& scale = spec.extrinsic[extrinsic];
  if (!spec.is_derived_from(scale.column) || spec.is_derived(scale.column) ||
      !(model.multi || model.typical))
    return std::nullopt;
  const Configuration& typical = model.multi ? model.multi->typical : *model.typical;
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
  const double constant = model.multi ? 0 : model.constants[model.constants.size() - 1];  // C
  const auto scalable = [&](const Configuration& at) {
    return predict(model, design_of(at, model.spec))[0] - constant;
  };
  const double power = std::log(scalable(step->above) / scalable(step->below)) / step->log_ratio;
  return std::isfinite(power) ? std::optional(power) : std::nullopt;
}

std::vector<double> scaling_powers(const FittedModel& model) {
  const std::size_t columns = model.spec.extrinsic.size();
  std::vector<double> out(columns);
  if (model.multi) {
    const Eigen::MatrixXd local =
        multi_elasticities(model.spec, model.multi->structure, model.constants,
                           design_of(model.multi->typical, model.spec));
    for (std::size_t j = 0; j < columns; ++j)
      out[j] = local(0, static_cast<Eigen::Index>(j));
  } else {
    const GenericLayout layout(model.spec);
    for (std::size_t j = 0; j < columns; ++j)
      out[j] = model.constants[static_cast<Eigen::Index>(layout.extrinsic_power(j))];
  }
  for (std::size_t j = 0; j < columns; ++j)
    out[j] = power_through_derived(model, j).value_or(out[j]);
  return out;
}

}  // namespace perfmodel
