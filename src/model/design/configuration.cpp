#include "perfmodel/model/design/configuration.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "base/text.hpp"
#include "data/formula.hpp"
#include "model/design/level_matching.hpp"
#include "model/design/several_configurations.hpp"

namespace perfmodel {
namespace {

/// Of the numbers that `numbers` names, a value per configuration.
std::vector<NumericFactor> factors_of(const std::vector<Configuration>& configurations,
                                      std::vector<double> Configuration::*numbers,
                                      std::size_t columns) {
  std::vector<NumericFactor> factors(columns);
  for (std::size_t i = 0; i < columns; ++i)
    for (const Configuration& configuration : configurations)
      factors[i].values.push_back((configuration.*numbers)[i]);
  return factors;
}

using ColumnValues = std::map<std::string, double>;

/// The numbers of all columns that are not derived.
ColumnValues underived_values(const ModelSpec& spec, const Configuration& configuration) {
  ColumnValues values;
  for (const SourceColumn& source : spec.sources)
    values[source.column] = source.typical;
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    values[spec.intrinsic[i].column] = configuration.intrinsic[i];
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    const CategoricalInput& input = spec.categorical[c];
    if (const auto number = parse_number(input.levels[configuration.levels[c]]))
      values[input.column] = *number;
  }
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    values[spec.extrinsic[j].column] = configuration.extrinsic[j];
  for (const DerivedColumn& item : spec.derived)
    values.erase(item.column);
  return values;
}

/// Whether every formula had what it needs.
bool add_derived_values(const ModelSpec& spec, ColumnValues& values) {
  for (const DerivedColumn& item : spec.derived) {
    std::vector<double> of;
    for (const std::string& name : item.of) {
      const auto known = values.find(name);
      if (known == values.end())
        return false;
      of.push_back(known->second);
    }
    TextCodes codes;
    values[item.column] =
        Formula(item.formula, item.of, codes, quoted_formula(item.definition()))(of);
  }
  return true;
}

}  // namespace

std::optional<Configuration> with_scale(const ModelSpec& spec, const Configuration& configuration,
                                        std::size_t extrinsic, double value) {
  const std::string& scale = spec.extrinsic[extrinsic].column;
  const double factor = value / configuration.extrinsic[extrinsic];
  ColumnValues values = underived_values(spec, configuration);
  for (const Tie& tie : spec.ties)
    if (tie.scale == scale && values.contains(tie.column))
      values[tie.column] *= std::pow(factor, tie.power);
  values[scale] = value;
  if (!add_derived_values(spec, values))
    return std::nullopt;
  Configuration out = configuration;
  bool usable = true;
  const auto take = [&](const std::vector<NumericInput>& inputs, std::vector<double>& into) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      into[i] = values.at(inputs[i].column);
      usable = usable && inputs[i].allows(into[i]) && std::isfinite(into[i]);
    }
  };
  take(spec.intrinsic, out.intrinsic);
  take(spec.extrinsic, out.extrinsic);
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    const CategoricalInput& input = spec.categorical[c];
    if (!spec.is_derived(input.column))
      continue;
    const auto level = LevelMatcher(input).match(values.at(input.column));
    usable = usable && level.has_value();
    out.levels[c] = level.value_or(0);
  }
  return usable ? std::optional(out) : std::nullopt;
}

Configuration configuration_of(const Design& design, std::size_t row) {
  Configuration out;
  for (const NumericFactor& factor : design.intrinsic)
    out.intrinsic.push_back(factor.value(row));
  for (const LevelFactor& factor : design.categorical)
    out.levels.push_back(factor.codes[row]);
  for (const NumericFactor& factor : design.extrinsic)
    out.extrinsic.push_back(factor.value(row));
  return out;
}

Design design_of(const std::vector<Configuration>& configurations, const ModelSpec& spec) {
  Design design;
  design.rows = configurations.size();
  design.intrinsic = factors_of(configurations, &Configuration::intrinsic, spec.intrinsic.size());
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    LevelFactor& factor = design.categorical.emplace_back();
    factor.levels = spec.categorical[c].levels.size();
    for (const Configuration& configuration : configurations)
      factor.codes.push_back(configuration.levels[c]);
  }
  design.extrinsic = factors_of(configurations, &Configuration::extrinsic, spec.extrinsic.size());
  return design;
}

Design design_of(const Configuration& configuration, const ModelSpec& spec) {
  return design_of(std::vector<Configuration>{configuration}, spec);
}

}  // namespace perfmodel
