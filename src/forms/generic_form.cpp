#include "forms/generic_form.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/text.hpp"
#include "codegen/formula_code.hpp"
#include "forms/form.hpp"
#include "perfmodel/model.hpp"
#include "table/expressions.hpp"

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

namespace {

/// Beside each constant whether the runs determine it, and the differences of levels to the first
/// of their column.
void add_identifiability(const FittedModel& model, Json& node) {
  const ModelSpec& spec = model.spec;
  const GenericLayout layout(spec);
  const std::vector<bool>& identified = model.identifiability->constants;
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i) {
    node["intrinsic"][i]["a_identified"] = bool{identified[layout.coefficient(i)]};
    node["intrinsic"][i]["p_identified"] = bool{identified[layout.intrinsic_power(i)]};
  }
  std::size_t next = 0;
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    Json& column = node["categorical"][c];
    column["reference"] = spec.categorical[c].levels[0];
    for (std::size_t l = 0; l < spec.categorical[c].levels.size(); ++l) {
      Json& level = column["levels"][l];
      level["identified"] = bool{identified[layout.level(c, l)]};
      level["difference"] = number(model.constants[index(layout.level(c, l))] -
                                   model.constants[index(layout.level(c, 0))]);
      level["difference_identified"] = bool{model.identifiability->differences[next++]};
    }
  }
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    node["extrinsic"][j]["q_identified"] = bool{identified[layout.extrinsic_power(j)]};
  if (const auto lone = layout.lone_coefficient())
    node["a_identified"] = bool{identified[*lone]};
  node["C_identified"] = bool{identified[layout.intercept()]};
}

/// Nothing where the constants do not say it: models that were published, or fitted by an earlier
/// version.
std::optional<Identifiability> read_identifiability(const ModelSpec& spec,
                                                    const JsonCursor& constants) {
  const auto intercept = constants.optional_member("C_identified");
  if (!intercept)
    return std::nullopt;
  Identifiability out;
  std::vector<bool> powers;
  for (const JsonCursor& item : constants.member("intrinsic").items()) {
    out.constants.push_back(item.member("a_identified").boolean());
    powers.push_back(item.member("p_identified").boolean());
  }
  std::size_t column = 0;
  for (const JsonCursor& item : constants.member("categorical").items()) {
    // In the order of the spec, whatever that of the file.
    std::map<std::string, std::pair<bool, bool>> levels;
    for (const JsonCursor& level : item.member("levels").items()) {
      levels[level.member("level").text()] = {level.member("identified").boolean(),
                                              level.member("difference_identified").boolean()};
    }
    for (const std::string& level : spec.categorical[column++].levels) {
      out.constants.push_back(levels.at(level).first);
      out.differences.push_back(levels.at(level).second);
    }
  }
  if (spec.has_scales_only())
    out.constants.push_back(constants.member("a_identified").boolean());
  out.constants.insert(out.constants.end(), powers.begin(), powers.end());
  for (const JsonCursor& item : constants.member("extrinsic").items())
    out.constants.push_back(item.member("q_identified").boolean());
  out.constants.push_back(intercept->boolean());
  return out;
}

void check_differences(const CategoricalInput& input, const JsonCursor& column) {
  std::map<std::string, double> coefficients;
  for (const JsonCursor& level : column.member("levels").items())
    coefficients[level.member("level").text()] = level.member("a").number();
  const double reference = coefficients.at(input.levels[0]);
  if (const auto node = column.optional_member("reference")) {
    if (node->text() != input.levels[0])
      node->fail("'" + node->text() + "' is not the first level, '" + input.levels[0] + "'" +
                 correct_or_remove);
  }
  for (const JsonCursor& level : column.member("levels").items()) {
    if (const auto node = level.optional_member("difference")) {
      const double coefficient = level.member("a").number();
      check_number(*node, coefficient - reference,
                   std::max(std::abs(coefficient), std::abs(reference)));
    }
  }
}

}  // namespace

Json GenericForm::constants_to_json(const FittedModel& model) const {
  const ModelSpec& spec = model.spec;
  const GenericLayout layout(spec);
  const auto constant = [&](std::size_t k) { return number(model.constants[index(k)]); };
  Json intrinsic = Json::array();
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i) {
    intrinsic.push_back({{"column", spec.intrinsic[i].column},
                         {"a", constant(layout.coefficient(i))},
                         {"p", constant(layout.intrinsic_power(i))},
                         {"range", range_to_json(spec.intrinsic[i])}});
    add_zero_to_json(spec.intrinsic[i], false, intrinsic[i]);
  }
  Json categorical = Json::array();
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    Json levels = Json::array();
    for (std::size_t l = 0; l < spec.categorical[c].levels.size(); ++l) {
      levels.push_back(
          {{"level", spec.categorical[c].levels[l]}, {"a", constant(layout.level(c, l))}});
    }
    categorical.push_back({{"column", spec.categorical[c].column}, {"levels", levels}});
  }
  Json extrinsic = Json::array();
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j) {
    extrinsic.push_back({{"column", spec.extrinsic[j].column},
                         {"q", constant(layout.extrinsic_power(j))},
                         {"range", range_to_json(spec.extrinsic[j])}});
  }
  Json out = {{"intrinsic", intrinsic}, {"categorical", categorical}, {"extrinsic", extrinsic}};
  if (const auto lone = layout.lone_coefficient())
    out["a"] = constant(*lone);
  out["C"] = constant(layout.intercept());
  if (model.identifiability)
    add_identifiability(model, out);
  return out;
}

void GenericForm::check_constants(const FittedModel& model, const JsonCursor& constants) const {
  const std::vector<JsonCursor> columns = constants.member("categorical").items();
  for (std::size_t c = 0; c < columns.size(); ++c)
    check_differences(model.spec.categorical[c], columns[c]);
}

void GenericForm::read(const JsonCursor& constants, FittedModel& model) {
  ModelSpec& spec = model.spec;
  InputsReader inputs(spec);
  // Each kind of constant in its own list, joined in the order of GenericLayout.
  std::vector<double> all;
  std::vector<double> powers;
  for (const JsonCursor& item : constants.member("intrinsic").items()) {
    spec.intrinsic.push_back(inputs.numeric_input(item));
    all.push_back(item.member("a").number());
    powers.push_back(item.member("p").number());
    if (spec.intrinsic.back().zero && !(powers.back() > 0))
      item.member("p").fail("expected a number > 0, since the column may be 0");
  }
  for (const JsonCursor& item : constants.member("categorical").items()) {
    std::map<std::string, double> coefficients;
    spec.categorical.push_back(inputs.categorical_input(item, spec, [&](const JsonCursor& level) {
      JsonCursor name = level.member("level");
      coefficients[name.text()] = level.member("a").number();
      return name;
    }));
    for (const std::string& level : spec.categorical.back().levels)
      all.push_back(coefficients.at(level));
  }
  for (const JsonCursor& item : constants.member("extrinsic").items()) {
    spec.extrinsic.push_back(inputs.numeric_input(item));
    powers.push_back(item.member("q").number());
  }
  if (spec.has_scales_only())
    all.push_back(constants.member("a").number());
  all.insert(all.end(), powers.begin(), powers.end());
  all.push_back(constants.member("C").number());
  model.form = generic_form();
  model.constants = Eigen::Map<Eigen::VectorXd>(all.data(), index(all.size()));
  model.identifiability = read_identifiability(spec, constants);
}

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd GenericForm::log_slopes(const ModelSpec& spec, const VectorXd& constants,
                                 const Design& design) const {
  const GenericLayout layout(spec);
  const VectorXd time = predict(spec, constants, design);
  const double rest = constants[index(layout.intercept())];
  MatrixXd out = MatrixXd::Zero(index(design.rows), index(layout.size()));
  for (std::size_t row = 0; row < design.rows; ++row) {
    auto slopes = out.row(index(row));
    const double share_of_rest = rest / time[index(row)];
    double scale = 1 / time[index(row)];
    for (std::size_t j = 0; j < spec.extrinsic.size(); ++j) {
      const double value = design.extrinsic[j].value(row);
      const auto power = index(layout.extrinsic_power(j));
      scale *= std::pow(value, constants[power]);
      slopes[power] = (1 - share_of_rest) * std::log(value);
    }
    for (std::size_t i = 0; i < spec.intrinsic.size(); ++i) {
      const double value = design.intrinsic[i].value(row);
      const auto coefficient = index(layout.coefficient(i));
      const auto power = index(layout.intrinsic_power(i));
      slopes[coefficient] = constants[coefficient] * std::pow(value, constants[power]) * scale;
      slopes[power] = slopes[coefficient] * log_of_value(value);
    }
    for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
      const auto level = index(layout.level(c, design.categorical[c].codes[row]));
      slopes[level] = constants[level] * scale;
    }
    if (const auto lone = layout.lone_coefficient())
      slopes[index(*lone)] = constants[index(*lone)] * scale;
    slopes[index(layout.intercept())] = share_of_rest;
  }
  return out;
}

}  // namespace perfmodel
