#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "fit/eq4/generic_form.hpp"
#include "fit/result/inputs_json.hpp"
#include "json/contradiction.hpp"
#include "model/form/generic_expression.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {
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

}  // namespace perfmodel
