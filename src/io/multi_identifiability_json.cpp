#include "io/multi_identifiability_json.hpp"

#include <string>

namespace perfmodel {

void add_multi_identifiability(const FittedModel& model, Json& node) {
  const ModelSpec& spec = model.spec;
  const MultiStructure& structure = model.multi->structure;
  const MultiLayout layout(spec, structure);
  const auto identified = [&](std::size_t k) { return bool{model.identifiability->constants[k]}; };
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j) {
    node["extrinsic"][j]["scaling_power_identified"] =
        bool{model.identifiability->scaling_powers[j]};
  }
  for (std::size_t k = 0; k < structure.terms; ++k) {
    Json& term = node["terms"][k];
    term["a_identified"] = identified(layout.coefficient(k));
    Json p = Json::object();
    for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
      p[spec.intrinsic[i].column] = identified(layout.intrinsic_power(k, i));
    Json levels = Json::object();
    for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
      Json& column = levels[spec.categorical[c].column];
      column = Json::object();
      for (std::size_t l = 0; l < spec.categorical[c].levels.size(); ++l)
        column[spec.categorical[c].levels[l]] = identified(layout.level(k, c, l));
    }
    Json q = Json::object();
    for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
      q[spec.extrinsic[j].column] = identified(layout.extrinsic_power(k, j));
    Json regimes = Json::array();
    for (std::size_t g = 0; g < structure.regimes.size(); ++g) {
      regimes.push_back(
          Json::array({identified(layout.regime(k, g, 0)), identified(layout.regime(k, g, 1))}));
    }
    term["p_identified"] = p;
    term["levels_identified"] = levels;
    term["q_identified"] = q;
    term["regime_factors_identified"] = regimes;
  }
  node["C_identified"] = identified(layout.intercept());
}

std::optional<Identifiability> read_multi_identifiability(const FittedModel& model,
                                                          const JsonCursor& constants) {
  const auto intercept = constants.optional_member("C_identified");
  if (!intercept)
    return std::nullopt;
  const ModelSpec& spec = model.spec;
  Identifiability out;
  for (const JsonCursor& term : constants.member("terms").items()) {
    out.constants.push_back(term.member("a_identified").boolean());
    for (const NumericInput& input : spec.intrinsic)
      out.constants.push_back(term.member("p_identified").member(input.column).boolean());
    for (const CategoricalInput& input : spec.categorical) {
      const JsonCursor levels = term.member("levels_identified").member(input.column);
      for (const std::string& level : input.levels)
        out.constants.push_back(levels.member(level).boolean());
    }
    for (const NumericInput& input : spec.extrinsic)
      out.constants.push_back(term.member("q_identified").member(input.column).boolean());
    const JsonCursor regimes = term.member("regime_factors_identified");
    const auto pairs = regimes.items();
    if (pairs.size() != model.multi->structure.regimes.size())
      regimes.fail("expected two for each of the regimes");
    for (const JsonCursor& pair : pairs) {
      const auto sides = pair.items();
      if (sides.size() != 2)
        pair.fail("expected two, of the factors below and above");
      out.constants.push_back(sides[0].boolean());
      out.constants.push_back(sides[1].boolean());
    }
  }
  out.constants.push_back(intercept->boolean());
  for (const JsonCursor& column : constants.member("extrinsic").items())
    out.scaling_powers.push_back(column.member("scaling_power_identified").boolean());
  return out;
}

}  // namespace perfmodel
