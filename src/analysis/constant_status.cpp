#include "perfmodel/analysis/constant_status.hpp"

#include <algorithm>

#include "perfmodel/model/generic_expression.hpp"

namespace perfmodel {
namespace {

ConstantStatus status_of(bool identified) {
  return identified ? ConstantStatus::determined : ConstantStatus::undetermined;
}

bool stands_at_bound(const FittedModel& model, const std::string& constant) {
  return std::any_of(model.warnings.begin(), model.warnings.end(), [&](const Warning& warning) {
    return warning.kind == "at_bound" && warning.constant == constant;
  });
}

ConstantStatus status_of_scaling_power(const FittedModel& model, std::size_t extrinsic,
                                       const std::vector<ConstantStatus>& constants) {
  if (model.multi)
    return status_of(model.identifiability->scaling_powers[extrinsic]);
  if (power_through_derived(model, extrinsic))
    return ConstantStatus::unknown;
  return constants[GenericLayout(model.spec).extrinsic_power(extrinsic)];
}

}  // namespace

std::string_view to_text(ConstantStatus status) {
  switch (status) {
    case ConstantStatus::unknown:
      return "";
    case ConstantStatus::determined:
      return "determined";
    case ConstantStatus::undetermined:
      return "not determined";
    case ConstantStatus::at_bound:
      return "at a bound";
  }
  return "";
}

ConstantStatuses constant_statuses(const FittedModel& model) {
  const std::vector<std::string> names = constant_names(model);
  ConstantStatuses out;
  out.constants.assign(names.size(), ConstantStatus::unknown);
  out.scaling_powers.assign(model.spec.extrinsic.size(), ConstantStatus::unknown);
  if (!model.identifiability)
    return out;
  for (std::size_t k = 0; k < names.size(); ++k) {
    out.constants[k] = stands_at_bound(model, names[k])
                           ? ConstantStatus::at_bound
                           : status_of(model.identifiability->constants[k]);
  }
  for (std::size_t j = 0; j < out.scaling_powers.size(); ++j)
    out.scaling_powers[j] = status_of_scaling_power(model, j, out.constants);
  return out;
}

}  // namespace perfmodel
