#pragma once

// The constants of a sum of product terms as JSON; part of model_json.cpp, in a file of its own for
// its length.

#include <algorithm>
#include <string>
#include <vector>

#include "io/json_cursor.hpp"
#include "io/json_layout.hpp"
#include "perfmodel/base/text.hpp"
#include "perfmodel/fit/fitted_model.hpp"
#include "perfmodel/model/multi_formula.hpp"

namespace perfmodel {

/// Written only where the term has some.
inline void add_rings_and_caps(const ModelSpec& spec, const MultiStructure& structure,
                               std::size_t k, Json& term) {
  if (k < structure.rings.size() && !structure.rings[k].empty()) {
    Json rings = Json::array();
    for (const std::size_t numeric : structure.rings[k])
      rings.push_back(numeric_input(spec, numeric).column);
    term["rings"] = rings;
  }
  if (k < structure.caps.size() && !structure.caps[k].empty()) {
    Json caps = Json::object();
    for (const Cap& cap : structure.caps[k])
      caps[numeric_input(spec, cap.numeric).column] = number(cap.at);
    term["caps"] = caps;
  }
}

inline Json multi_term_to_json(const FittedModel& model, std::size_t k) {
  const ModelSpec& spec = model.spec;
  const MultiStructure& structure = model.multi->structure;
  const MultiLayout layout(spec, structure);
  const auto constant = [&](std::size_t i) {
    return number(model.constants[static_cast<Eigen::Index>(i)]);
  };
  Json p = Json::object();
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    p[spec.intrinsic[i].column] = constant(layout.intrinsic_power(k, i));
  Json q = Json::object();
  Json logs = Json::object();
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j) {
    q[spec.extrinsic[j].column] = constant(layout.extrinsic_power(k, j));
    logs[spec.extrinsic[j].column] = structure.log_power(k, j);
  }
  for (std::size_t n = spec.extrinsic.size(); n < numeric_count(spec); ++n) {
    if (structure.log_power(k, n) != 0)
      logs[numeric_input(spec, n).column] = structure.log_power(k, n);
  }
  Json levels = Json::object();
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    Json factors = Json::object();
    for (std::size_t l = 0; l < spec.categorical[c].levels.size(); ++l)
      factors[spec.categorical[c].levels[l]] = constant(layout.level(k, c, l));
    levels[spec.categorical[c].column] = factors;
  }
  Json regimes = Json::array();
  for (std::size_t g = 0; g < structure.regimes.size(); ++g) {
    regimes.push_back(
        Json::array({constant(layout.regime(k, g, 0)), constant(layout.regime(k, g, 1))}));
  }
  Json out = {{"formula", multi_term_text(spec, structure, model.constants, k)},
              {"a", constant(layout.coefficient(k))},
              {"p", p},
              {"levels", levels},
              {"q", q},
              {"log2_powers", logs},
              {"regime_factors", regimes}};
  add_rings_and_caps(spec, structure, k, out);
  return out;
}

inline Json multi_constants_to_json(const FittedModel& model) {
  const ModelSpec& spec = model.spec;
  const auto numeric = [](const std::vector<NumericInput>& inputs) {
    Json out = Json::array();
    for (const NumericInput& input : inputs) {
      out.push_back({{"column", input.column},
                     {"range", Json::array({number(input.low), number(input.high)})}});
    }
    return out;
  };
  Json categorical = Json::array();
  for (const CategoricalInput& input : spec.categorical)
    categorical.push_back({{"column", input.column}, {"levels", input.levels}});
  Json regimes = Json::array();
  for (const Regime& regime : model.multi->structure.regimes) {
    regimes.push_back(
        {{"column", numeric_input(spec, regime.numeric).column}, {"above", number(regime.above)}});
  }
  Json terms = Json::array();
  for (std::size_t k = 0; k < model.multi->structure.terms; ++k)
    terms.push_back(multi_term_to_json(model, k));
  return {{"intrinsic", numeric(spec.intrinsic)},
          {"categorical", categorical},
          {"extrinsic", numeric(spec.extrinsic)},
          {"regimes", regimes},
          {"terms", terms},
          {"C", number(model.constants[model.constants.size() - 1])}};
}

/// The configuration that the local scaling powers belong to.
inline Json configuration_to_json(const ModelSpec& spec, const Configuration& configuration) {
  Json out = Json::object();
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    out[spec.intrinsic[i].column] = number(configuration.intrinsic[i]);
  for (std::size_t c = 0; c < spec.categorical.size(); ++c)
    out[spec.categorical[c].column] = spec.categorical[c].levels[configuration.levels[c]];
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    out[spec.extrinsic[j].column] = number(configuration.extrinsic[j]);
  return out;
}

inline Configuration read_configuration(const ModelSpec& spec, const JsonCursor& node) {
  const auto numbers = [&](const std::vector<NumericInput>& inputs) {
    std::vector<double> out;
    for (const NumericInput& input : inputs) {
      const JsonCursor member = node.member(input.column);
      out.push_back(member.number());
      if (!(out.back() > 0))
        member.fail("expected a number > 0");
    }
    return out;
  };
  Configuration out;
  out.intrinsic = numbers(spec.intrinsic);
  for (const CategoricalInput& input : spec.categorical) {
    const JsonCursor member = node.member(input.column);
    const auto found = std::find(input.levels.begin(), input.levels.end(), member.text());
    if (found == input.levels.end())
      member.fail("'" + member.text() + "' is not one of " + quoted_list(input.levels));
    out.levels.push_back(static_cast<std::uint32_t>(found - input.levels.begin()));
  }
  out.extrinsic = numbers(spec.extrinsic);
  return out;
}

/// The numeric column that the node names.
inline std::size_t read_numeric(const ModelSpec& spec, const JsonCursor& node) {
  for (std::size_t n = 0; n < numeric_count(spec); ++n) {
    if (numeric_input(spec, n).column == node.text())
      return n;
  }
  node.fail("'" + node.text() + "' is no numeric column of the model");
}

inline std::vector<Regime> read_regimes(const ModelSpec& spec, const JsonCursor& node) {
  std::vector<Regime> out;
  for (const auto& item : node.items())
    out.push_back({read_numeric(spec, item.member("column")), item.member("above").number()});
  return out;
}

/// r of every numeric column; those that a file does not name have none.
inline std::vector<int> read_log_powers(const ModelSpec& spec, const JsonCursor& node) {
  std::vector<int> out;
  for (std::size_t n = 0; n < numeric_count(spec); ++n) {
    const std::string& column = numeric_input(spec, n).column;
    const bool expected = n < spec.extrinsic.size();
    const auto power = expected ? std::optional(node.member(column)) : node.optional_member(column);
    if (power && power->count() > 2)
      power->fail("expected 0, 1 or 2");
    out.push_back(power ? static_cast<int>(power->count()) : 0);
  }
  const auto intrinsics = out.begin() + static_cast<std::ptrdiff_t>(spec.extrinsic.size());
  if (std::all_of(intrinsics, out.end(), [](int r) { return r == 0; }))
    out.erase(intrinsics, out.end());
  return out;
}

/// Of one term; files without them are those of terms that have none.
inline void read_rings_and_caps(const ModelSpec& spec, const JsonCursor& term,
                                MultiStructure& structure) {
  const std::size_t own = structure.log_powers.size();
  if (const auto rings = term.optional_member("rings")) {
    structure.rings.resize(own);
    for (const JsonCursor& column : rings->items())
      structure.rings.back().push_back(read_numeric(spec, column));
  }
  const auto caps = term.optional_member("caps");
  for (std::size_t n = 0; caps && n < numeric_count(spec); ++n) {
    const auto at = caps->optional_member(numeric_input(spec, n).column);
    if (!at)
      continue;
    if (!(at->number() > 0))
      at->fail("expected a number > 0");
    structure.caps.resize(own);
    structure.caps.back().push_back({n, at->number()});
  }
}

/// Reads the terms; the inputs of `model.spec` are known already.
inline void read_multi_terms(const JsonCursor& constants, FittedModel& model) {
  const ModelSpec& spec = model.spec;
  MultiStructure structure;
  structure.regimes = read_regimes(spec, constants.member("regimes"));
  std::vector<double> values;
  const auto terms = constants.member("terms").items();
  structure.terms = terms.size();
  for (const JsonCursor& term : terms) {
    values.push_back(term.member("a").number());
    for (const NumericInput& input : spec.intrinsic)
      values.push_back(term.member("p").member(input.column).number());
    for (const CategoricalInput& input : spec.categorical) {
      const JsonCursor factors = term.member("levels").member(input.column);
      for (const std::string& level : input.levels)
        values.push_back(factors.member(level).number());
    }
    for (const NumericInput& input : spec.extrinsic)
      values.push_back(term.member("q").member(input.column).number());
    structure.log_powers.push_back(read_log_powers(spec, term.member("log2_powers")));
    read_rings_and_caps(spec, term, structure);
    const JsonCursor factors = term.member("regime_factors");
    if (factors.items().size() != structure.regimes.size())
      factors.fail("expected two factors for each of the regimes");
    for (const JsonCursor& pair : factors.items()) {
      if (pair.items().size() != 2)
        pair.fail("expected two numbers, the factors below and above");
      values.push_back(pair.items()[0].number());
      values.push_back(pair.items()[1].number());
    }
  }
  values.push_back(constants.member("C").number());
  model.constants =
      Eigen::Map<Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
  model.multi = MultiForm{structure, {}};
}

}  // namespace perfmodel
