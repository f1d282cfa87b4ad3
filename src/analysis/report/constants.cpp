#include "analysis/report/constants.hpp"

#include "perfmodel/base/index.hpp"
#include "perfmodel/model/generic_expression.hpp"

namespace perfmodel::report {
namespace {

/// What the model knows of each constant, by its place.
class ConstantTable {
 public:
  explicit ConstantTable(const FittedModel& model)
      : model_(model),
        names_(constant_names(model)),
        statuses_(constant_statuses(model).constants) {}

  ConstantRow row(std::size_t k) const {
    return {names_[k], model_.constants[index(k)],
            model_.uncertainty ? std::optional(model_.uncertainty->constants[k]) : std::nullopt,
            statuses_[k]};
  }

 private:
  const FittedModel& model_;
  std::vector<std::string> names_;
  std::vector<ConstantStatus> statuses_;
};

std::vector<ConstantGroup> generic_constants(const FittedModel& model) {
  const ModelSpec& spec = model.spec;
  const GenericLayout layout(spec);
  const ConstantTable table(model);
  std::vector<ConstantGroup> groups;
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i) {
    groups.push_back({spec.intrinsic[i].column,
                      {table.row(layout.coefficient(i)), table.row(layout.intrinsic_power(i))}});
  }
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    groups.push_back({spec.categorical[c].column, {}});
    for (std::size_t l = 0; l < spec.categorical[c].levels.size(); ++l)
      groups.back().constants.push_back(table.row(layout.level(c, l)));
  }
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    groups.push_back({spec.extrinsic[j].column, {table.row(layout.extrinsic_power(j))}});
  groups.push_back({"C", {table.row(layout.intercept())}});
  return groups;
}

std::vector<ConstantGroup> sum_constants(const FittedModel& model) {
  const MultiLayout layout(model.spec, model.multi->structure);
  const ConstantTable table(model);
  std::vector<ConstantGroup> groups;
  std::size_t next = 0;
  for (std::size_t k = 0; k < model.multi->structure.terms; ++k) {
    const std::size_t end =
        k + 1 < model.multi->structure.terms ? layout.coefficient(k + 1) : layout.intercept();
    groups.push_back({"term " + std::to_string(k + 1), {}});
    for (; next < end; ++next)
      groups.back().constants.push_back(table.row(next));
  }
  groups.push_back({"C", {table.row(layout.intercept())}});
  return groups;
}

}  // namespace

std::vector<ScalingPower> powers_of(const FittedModel& model) {
  const std::vector<double> powers = scaling_powers(model);
  const ConstantStatuses statuses = constant_statuses(model);
  std::vector<ScalingPower> out;
  for (std::size_t j = 0; j < powers.size(); ++j) {
    const NumericInput& input = model.spec.extrinsic[j];
    ScalingPower power{input.column, powers[j],
                       {},           statuses.scaling_powers[j],
                       input,        model.spec.is_derived(input.column)};
    if (model.uncertainty && model.multi) {
      power.interval = model.uncertainty->scaling_powers[j];
    } else if (model.uncertainty && !power_through_derived(model, j)) {
      power.interval = model.uncertainty->constants[GenericLayout(model.spec).extrinsic_power(j)];
    }
    out.push_back(power);
  }
  return out;
}

std::vector<ConstantGroup> constants_of(const FittedModel& model) {
  return model.multi ? sum_constants(model) : generic_constants(model);
}

std::vector<LevelDifference> differences_of(const FittedModel& model) {
  std::vector<LevelDifference> out;
  if (model.multi)
    return out;
  const GenericLayout layout(model.spec);
  const auto constant = [&](std::size_t k) { return model.constants[index(k)]; };
  std::size_t next = 0;
  for (std::size_t c = 0; c < model.spec.categorical.size(); ++c) {
    const CategoricalInput& input = model.spec.categorical[c];
    for (std::size_t l = 0; l < input.levels.size(); ++l, ++next) {
      if (l == 0)
        continue;
      ConstantRow row{input.levels[l] + " - " + input.levels[0],
                      constant(layout.level(c, l)) - constant(layout.level(c, 0)),
                      {},
                      ConstantStatus::unknown};
      if (model.uncertainty)
        row.interval = model.uncertainty->differences[next];
      if (model.identifiability) {
        row.status = model.identifiability->differences[next] ? ConstantStatus::determined
                                                              : ConstantStatus::undetermined;
      }
      out.push_back({input.column, row});
    }
  }
  return out;
}

}  // namespace perfmodel::report
