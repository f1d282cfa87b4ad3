#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "columns/design.hpp"
#include "columns/spec.hpp"
#include "table/expressions.hpp"
#include "table/formula.hpp"

namespace perfmodel {
namespace {

/// The factors of the member `numbers`, with a value per configuration.
std::vector<NumericFactor> factors_of(const std::vector<Configuration>& configurations,
                                      std::vector<double> Configuration::*numbers,
                                      std::size_t columns) {
  std::vector<NumericFactor> factors(columns);
  for (std::size_t i = 0; i < columns; ++i)
    for (const Configuration& configuration : configurations)
      factors[i].values.push_back((configuration.*numbers)[i]);
  return factors;
}

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

/// Returns false if an input of a formula is missing.
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

/// Relative difference up to which sums of distances are equal except for rounding.
constexpr double kSameDistance = 1e-9;

/// A column as indices of its values in ascending order, per row.
struct IndexedColumn {
  std::vector<double> sums;  ///< per value: sum of its distances to the values of all rows
  std::vector<std::uint32_t> values;
};

std::vector<double> counts_of(const std::vector<std::uint32_t>& values, std::size_t distinct) {
  std::vector<double> counts(distinct, 0);
  for (std::size_t row = 0; row < values.size(); ++row)
    ++counts[values[row]];
  return counts;
}

/// Per position, ascending, with multiplicities `counts`: the sum of its distances to all
/// positions, divided by their standard deviation.
std::vector<double> scaled_sums(const std::vector<double>& places,
                                const std::vector<double>& counts) {
  double rows = 0;
  double sum = 0;
  for (std::size_t v = 0; v < places.size(); ++v) {
    rows += counts[v];
    sum += counts[v] * places[v];
  }
  double squares = 0;
  for (std::size_t v = 0; v < places.size(); ++v)
    squares += counts[v] * std::pow(places[v] - sum / rows, 2);
  const double deviation = std::sqrt(squares / rows);
  std::vector<double> out(places.size(), 0);
  if (!(deviation > 0))
    return out;
  double below = 0;
  double sum_below = 0;
  for (std::size_t v = 0; v < places.size(); ++v) {
    out[v] = (places[v] * below - sum_below + (sum - sum_below) - places[v] * (rows - below)) /
             deviation;
    below += counts[v];
    sum_below += counts[v] * places[v];
  }
  return out;
}

IndexedColumn indexed(const NumericInput& input, const NumericFactor& factor,
                      const Design& design) {
  const std::size_t rows = design.rows;
  IndexedColumn column;
  std::vector<double> distinct = factor.values;
  column.values = factor.codes;
  if (!factor.coded()) {
    distinct = sorted_unique(std::move(distinct));
    for (std::size_t row = 0; row < rows; ++row) {
      const auto found = std::ranges::lower_bound(distinct, factor.value(row));
      column.values.push_back(static_cast<std::uint32_t>(found - distinct.begin()));
    }
  }
  std::vector<double> places;
  for (const double value : distinct)
    places.push_back(std::log(input.zero ? 1 + value / input.zero->unit : value));
  column.sums = scaled_sums(places, counts_of(column.values, places.size()));
  return column;
}

IndexedColumn indexed(const LevelFactor& factor, const Design& design) {
  IndexedColumn column{counts_of(factor.codes, factor.levels), factor.codes};
  for (double& count : column.sums)
    count = static_cast<double>(design.rows) - count;
  return column;
}

/// The order of the inputs by name, so that their order in the file has no effect.
template <class Inputs>
std::vector<std::size_t> order_of_names(const Inputs& inputs) {
  std::vector<std::size_t> order = indices(inputs.size());
  std::ranges::sort(
      order, [&](std::size_t a, std::size_t b) { return inputs[a].column < inputs[b].column; });
  return order;
}

std::vector<IndexedColumn> columns_of(const ModelSpec& spec, const Design& design) {
  std::vector<IndexedColumn> columns;
  for (const std::size_t i : order_of_names(spec.intrinsic))
    columns.push_back(indexed(spec.intrinsic[i], design.intrinsic[i], design));
  for (const std::size_t c : order_of_names(spec.categorical))
    columns.push_back(indexed(design.categorical[c], design));
  for (const std::size_t j : order_of_names(spec.extrinsic))
    columns.push_back(indexed(spec.extrinsic[j], design.extrinsic[j], design));
  return columns;
}

}  // namespace

std::vector<Tie> moving_ties(const ModelSpec& spec, const ColumnValues& from,
                             const SetValues& set) {
  std::set<std::string> scales;
  std::set<std::string> names;
  for (const auto& [name, value] : set) {
    names.insert(name);
    if (std::ranges::none_of(spec.ties, [&, &column = name](const Tie& tie) {
          return tie.column == column && scales.contains(tie.scale);
        }))
      scales.insert(name);
  }
  std::vector<Tie> out = spec.ties;
  std::erase_if(out, [&](const Tie& tie) {
    return !scales.contains(tie.scale) || names.contains(tie.column) || !from.contains(tie.scale) ||
           !from.contains(tie.column);
  });
  return out;
}

ColumnValues moved(const ModelSpec& spec, const ColumnValues& from, const SetValues& set) {
  const std::vector<Tie> ties = moving_ties(spec, from, set);
  ColumnValues out = from;
  for (const auto& [name, value] : set)
    out[name] = value;
  for (const Tie& tie : ties)
    if (!tie.in_steps())
      out[tie.column] *= std::pow(out[tie.scale] / from.at(tie.scale), tie.power);
  for (const Tie& tie : ties)
    if (tie.in_steps())
      out[tie.column] = tie.step([&](const std::string& name) { return out.at(name); });
  return out;
}

std::optional<Configuration> with_scale(const ModelSpec& spec, const Configuration& configuration,
                                        std::size_t numeric, double value) {
  const std::string& scale = numeric_input(spec, numeric).column;
  Configuration out = configuration;
  if (!spec.moves_others(scale) || spec.is_derived(scale)) {
    (numeric < out.extrinsic.size() ? out.extrinsic[numeric]
                                    : out.intrinsic[numeric - out.extrinsic.size()]) = value;
    return out;
  }
  ColumnValues values = moved(spec, underived_values(spec, configuration), {{scale, value}});
  if (!add_derived_values(spec, values))
    return std::nullopt;
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

std::size_t central_row(const ModelSpec& spec, const Design& training) {
  const std::vector<IndexedColumn> columns = columns_of(spec, training);
  std::vector<double> sums(training.rows, 0);
  for (const IndexedColumn& column : columns)
    for (std::size_t row = 0; row < training.rows; ++row)
      sums[row] += column.sums[column.values[row]];
  const double least = *std::ranges::min_element(sums);
  std::vector<std::size_t> central;
  for (std::size_t row = 0; row < training.rows; ++row)
    if (sums[row] <= least * (1 + kSameDistance))
      central.push_back(row);
  for (const IndexedColumn& column : columns) {
    std::uint32_t smallest = column.values[central.front()];
    for (const std::size_t row : central)
      smallest = std::min(smallest, column.values[row]);
    std::erase_if(central, [&](std::size_t row) { return column.values[row] != smallest; });
  }
  if (training.time.size() == 0)
    return central.front();
  std::ranges::stable_sort(central, [&](std::size_t a, std::size_t b) {
    return training.time[index(a)] < training.time[index(b)];
  });
  return central[(central.size() - 1) / 2];
}

Configuration central_configuration(const ModelSpec& spec, const Design& training) {
  return configuration_of(training, central_row(spec, training));
}

}  // namespace perfmodel
