#include "fit/eq4/generic_form.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "export/formula_code.hpp"
#include "fit/result/column_order.hpp"
#include "model/form/generic_expression.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {
namespace {

using Eigen::VectorXd;

constexpr FormWords kGenericWords{
    .noun = "Eq. (4)",
    .title = "The generic performance model, Eq. (4) of Kavarakuntla et al. 2024",
    .share_caption =
        "What multiplies the sum, the scales, is in the part on scaling; C does not scale.",
    .scaled_part = "the part of the time that scales, all but C,",
    .level_letter = 'a',
    .lists_terms = false};

}  // namespace

std::shared_ptr<const Form> generic_form() {
  static const auto form = std::make_shared<const GenericForm>();
  return form;
}

std::string_view GenericForm::name() const {
  return to_text(Expression::generic);
}

const FormWords& GenericForm::words() const {
  return kGenericWords;
}

std::vector<ConstantInfo> GenericForm::constants(const ModelSpec& spec) const {
  using enum ConstantRole;
  const GenericLayout layout(spec);
  std::vector<ConstantInfo> out(layout.size());
  std::size_t group = 0;
  const auto put = [&](std::size_t k, ConstantRole role, const std::string& level = {},
                       const std::string& column = {}) {
    const bool is_power = role == intrinsic_power || role == scaling_power;
    out[k] = {layout.name(k), role,  is_power ? ConstantRange::any : ConstantRange::not_negative,
              group,          level, column};
  };
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i, ++group) {
    put(layout.coefficient(i), coefficient);
    put(layout.intrinsic_power(i), intrinsic_power, {}, spec.intrinsic[i].column);
  }
  for (std::size_t c = 0; c < spec.categorical.size(); ++c, ++group) {
    const std::vector<std::string>& levels = spec.categorical[c].levels;
    for (std::size_t l = 0; l < levels.size(); ++l)
      put(layout.level(c, l), level, levels[l]);
  }
  if (const auto lone = layout.lone_coefficient()) {
    put(*lone, coefficient);
    ++group;
  }
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j, ++group)
    put(layout.extrinsic_power(j), scaling_power, {}, spec.extrinsic[j].column);
  put(layout.intercept(), intercept);
  return out;
}

std::vector<std::string> GenericForm::groups(const ModelSpec& spec) const {
  std::vector<std::string> out;
  for (const NumericInput& input : spec.intrinsic)
    out.push_back(input.column);
  for (const CategoricalInput& input : spec.categorical)
    out.push_back(input.column);
  if (spec.has_scales_only())
    out.emplace_back("a");
  for (const NumericInput& input : spec.extrinsic)
    out.push_back(input.column);
  out.emplace_back("C");
  return out;
}

std::vector<ConstantDifference> GenericForm::differences(const ModelSpec& spec) const {
  const GenericLayout layout(spec);
  std::vector<ConstantDifference> out;
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    const CategoricalInput& input = spec.categorical[c];
    const std::size_t first = input.shown_level(0);
    for (std::size_t l = 0; l < input.levels.size(); ++l) {
      out.push_back({input.column, input.levels[l], input.levels[first], layout.level(c, l),
                     layout.level(c, first)});
    }
  }
  return out;
}

VectorXd GenericForm::predict(const ModelSpec& spec, const VectorXd& constants,
                              const Design& design) const {
  return predict_generic(spec, constants, design);
}

void GenericForm::keep_in_bounds(const ModelSpec& spec, VectorXd& constants) const {
  const GenericLayout layout(spec);
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i) {
    double& power = constants[index(layout.intrinsic_power(i))];
    if (spec.intrinsic[i].zero)
      power = std::max(power, kLeastPowerAtZero);
  }
}

std::vector<TimePart> GenericForm::parts(const ModelSpec& spec, const VectorXd&,
                                         const std::function<std::string(std::size_t)>&) const {
  std::vector<TimePart> out;
  for (const NumericInput& input : spec.intrinsic)
    out.push_back({input.column, ""});
  for (const CategoricalInput& input : spec.categorical)
    out.push_back({input.column, ""});
  if (spec.has_scales_only())
    out.push_back({"a", ""});
  out.push_back({"C", ""});
  return out;
}

std::vector<double> GenericForm::shares(const ModelSpec& spec, const VectorXd& constants,
                                        const Design& design) const {
  const GenericLayout layout(spec);
  const auto sum_of_runs = [&](const VectorXd& predicted) {
    if (design.runs.empty())
      return predicted.sum();
    double sum = 0;
    for (std::size_t row = 0; row < design.rows; ++row)
      sum += static_cast<double>(design.runs[row]) * predicted[index(row)];
    return sum;
  };
  const double total = sum_of_runs(predict(spec, constants, design));
  if (total == 0)  // a penalty can leave nothing
    return std::vector<double>(parts(spec, constants, nullptr).size(), 0);
  const double intercept = constants[index(layout.intercept())];
  const auto share_of = [&](std::size_t first, std::size_t count) {
    VectorXd alone = constants;
    alone.head(index(layout.intrinsic_power(0))).setZero();
    alone[index(layout.intercept())] = 0;
    for (std::size_t k = first; k < first + count; ++k)
      alone[index(k)] = constants[index(k)];
    return 100 * sum_of_runs(predict(spec, alone, design)) / total;
  };
  std::vector<double> out;
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    out.push_back(share_of(layout.coefficient(i), 1));
  for (std::size_t c = 0; c < spec.categorical.size(); ++c)
    out.push_back(share_of(layout.level(c, 0), spec.categorical[c].levels.size()));
  if (const auto lone = layout.lone_coefficient())
    out.push_back(share_of(*lone, 1));
  out.push_back(100 * intercept * static_cast<double>(design.total_runs()) / total);
  return out;
}

bool GenericForm::has_local_powers() const {
  return false;
}

std::optional<std::size_t> GenericForm::scaling_constant(const ModelSpec& spec,
                                                         std::size_t extrinsic) const {
  return GenericLayout(spec).extrinsic_power(extrinsic);
}

std::vector<double> GenericForm::scaling_powers(const ModelSpec& spec, const VectorXd& constants,
                                                const Configuration*) const {
  const GenericLayout layout(spec);
  std::vector<double> out;
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    out.push_back(constants[index(layout.extrinsic_power(j))]);
  return out;
}

double GenericForm::unscaled_time(const VectorXd& constants) const {
  return constants[constants.size() - 1];
}

std::string GenericForm::formula(const ModelSpec& spec, const VectorXd&) const {
  return generic_formula(spec);
}

std::string GenericForm::code(const ModelSpec& spec, const VectorXd& constants,
                              FormulaLanguage language) const {
  return generic_code(spec, constants, language);
}

Form::Reordered GenericForm::reordered(const ModelSpec& from, const ModelSpec& to,
                                       const ColumnOrder& order) const {
  const GenericLayout old(from);
  const GenericLayout next(to);
  std::vector<std::size_t> origin(old.size());
  for (std::size_t i = 0; i < order.intrinsic.size(); ++i) {
    origin[old.coefficient(i)] = next.coefficient(order.intrinsic[i]);
    origin[old.intrinsic_power(i)] = next.intrinsic_power(order.intrinsic[i]);
  }
  for (std::size_t c = 0; c < order.categorical.size(); ++c)
    for (std::size_t l = 0; l < from.categorical[c].levels.size(); ++l)
      origin[old.level(c, l)] = next.level(order.categorical[c], order.levels[c][l]);
  for (std::size_t j = 0; j < order.extrinsic.size(); ++j)
    origin[old.extrinsic_power(j)] = next.extrinsic_power(order.extrinsic[j]);
  if (const auto lone = old.lone_coefficient())
    origin[*lone] = *next.lone_coefficient();
  origin[old.intercept()] = next.intercept();
  return {generic_form(), origin};
}

std::size_t GenericForm::constants_in_use(const FittedModel& model) const {
  return static_cast<std::size_t>((model.constants.array() != 0).count());
}

void GenericForm::settle_unseen_levels(const Design& training, FittedModel& model) const {
  const GenericLayout layout(model.spec);
  for (std::size_t c = 0; c < training.categorical.size(); ++c) {
    std::vector<bool> seen(training.categorical[c].levels, false);
    for (const std::uint32_t code : training.categorical[c].codes)
      seen[code] = true;
    const auto constant = [&](std::size_t level) -> double& {
      return model.constants[index(layout.level(c, level))];
    };
    double sum = 0;
    for (std::size_t level = 0; level < seen.size(); ++level)
      sum += seen[level] ? constant(level) : 0;
    for (std::size_t level = 0; level < seen.size(); ++level)
      if (!seen[level])
        constant(level) = sum / static_cast<double>(std::count(seen.begin(), seen.end(), true));
  }
}

}  // namespace perfmodel
