#include "effects/constants.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "columns/spec.hpp"
#include "trust/resampling.hpp"

namespace perfmodel {
namespace {

ConstantStatus status_of(bool identified) {
  return identified ? ConstantStatus::determined : ConstantStatus::undetermined;
}

std::optional<Interval> known_interval(const Interval& interval) {
  return std::isfinite(interval.low) ? std::optional(interval) : std::nullopt;
}

}  // namespace

std::vector<ConstantRow> constant_table(const FittedModel& model) {
  const auto& known = model.known.identifiability;
  std::vector<ConstantRow> out;
  for (ConstantInfo& constant : model.form->constants(model.spec)) {
    const std::size_t k = out.size();
    ConstantRow row{.name = std::move(constant.name),
                    .value = model.constants[index(k)],
                    .interval = {},
                    .status = ConstantStatus::unknown,
                    .role = constant.role,
                    .group = constant.group,
                    .level = std::move(constant.level)};
    if (model.known.uncertainty)
      row.interval = known_interval(model.known.uncertainty->constants[k]);
    if (known) {
      const bool at_bound = !known->at_bound.empty() && known->at_bound[k];
      row.status = at_bound ? ConstantStatus::at_bound : status_of(known->constants[k]);
    }
    out.push_back(std::move(row));
  }
  return out;
}

std::vector<ScalingPower> scaling_power_table(const FittedModel& model) {
  const std::vector<double> powers = scaling_powers(model);
  const std::vector<ConstantRow> constants = constant_table(model);
  std::vector<ScalingPower> out;
  for (std::size_t j = 0; j < powers.size(); ++j) {
    const NumericInput& input = model.spec.extrinsic[j];
    ScalingPower power{input.column, powers[j],
                       {},           ConstantStatus::unknown,
                       input,        model.spec.is_derived(input.column)};
    if (const auto constant = model.form->scaling_constant(model.spec, j)) {
      if (!power_through_derived(model, j)) {
        power.interval = constants[*constant].interval;
        power.status = constants[*constant].status;
      }
    } else {
      if (model.known.uncertainty)
        power.interval = known_interval(model.known.uncertainty->scaling_powers[j]);
      if (model.known.identifiability && j < model.known.identifiability->scaling_powers.size())
        power.status = status_of(model.known.identifiability->scaling_powers[j]);
    }
    out.push_back(std::move(power));
  }
  return out;
}

std::vector<LevelDifference> difference_table(const FittedModel& model) {
  std::vector<LevelDifference> out;
  std::size_t next = 0;
  for (const ConstantDifference& item : model.form->differences(model.spec)) {
    const std::size_t k = next++;
    if (item.constant == item.first)
      continue;
    ConstantRow row;
    row.name = item.level + " - " + item.first_level;
    row.value = model.constants[index(item.constant)] - model.constants[index(item.first)];
    row.role = ConstantRole::level;
    row.level = item.level;
    if (model.known.uncertainty)
      row.interval = known_interval(model.known.uncertainty->differences[k]);
    if (model.known.identifiability)
      row.status = status_of(model.known.identifiability->differences[k]);
    out.push_back({item.column, std::move(row)});
  }
  return out;
}

}  // namespace perfmodel
