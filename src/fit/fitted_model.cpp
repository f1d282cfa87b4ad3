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

std::vector<double> time_shares(const FittedModel& model, const Design& design) {
  if (model.multi) {
    const Eigen::MatrixXd parts =
        multi_parts(model.spec, model.multi->structure, model.constants, design);
    const Eigen::VectorXd sums = 100 * parts.colwise().sum().transpose() / parts.sum();
    return {sums.begin(), sums.end()};
  }
  // A part's share is what the prediction loses without it: Eq. (4) is linear in a and C.
  const GenericLayout layout(model.spec);
  const double total = predict(model, design).sum();
  if (total == 0)  // a penalty can leave nothing
    return std::vector<double>(model.spec.intrinsic.size() + model.spec.categorical.size() + 1, 0);
  const double intercept = model.constants[static_cast<Eigen::Index>(layout.intercept())];
  const auto share_of = [&](std::size_t first, std::size_t count) {
    Eigen::VectorXd alone = model.constants;
    alone.head(static_cast<Eigen::Index>(layout.intrinsic_power(0))).setZero();
    alone[static_cast<Eigen::Index>(layout.intercept())] = 0;
    for (std::size_t k = first; k < first + count; ++k) {
      alone[static_cast<Eigen::Index>(k)] = model.constants[static_cast<Eigen::Index>(k)];
    }
    return 100 * predict_generic(model.spec, alone, design).sum() / total;
  };
  std::vector<double> shares;
  for (std::size_t i = 0; i < model.spec.intrinsic.size(); ++i)
    shares.push_back(share_of(layout.coefficient(i), 1));
  for (std::size_t c = 0; c < model.spec.categorical.size(); ++c) {
    shares.push_back(share_of(layout.level(c, 0), model.spec.categorical[c].levels.size()));
  }
  shares.push_back(100 * intercept * static_cast<double>(design.rows) / total);
  return shares;
}

}  // namespace perfmodel
