#include "perfmodel/model/columns/spec.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/text.hpp"
#include "model/columns/level_order.hpp"
#include "model/columns/ties.hpp"

namespace perfmodel {
namespace {

/// The distinct texts of a column. Of a numeric column these are the shortest texts of its numbers.
std::vector<std::string> distinct_texts(const Column& column) {
  if (!column.is_numeric())
    return column.levels;
  std::vector<double> numbers = column.numbers;
  std::erase_if(numbers, [](double x) { return x != x; });  // NaN stands for a bad cell
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());

  std::set<std::string> texts;
  for (const double number : numbers)
    texts.insert(to_text(number + 0.0));  // as Column::text: no "-0"
  for (const BadCell& cell : column.bad_cells)
    texts.insert(cell.text);
  return {texts.begin(), texts.end()};
}

/// Like levels, of all rows of the table: rows that are held out may be the ones that have it.
std::optional<ZeroValue> zero_of(const Column& column) {
  double unit = std::numeric_limits<double>::infinity();
  bool zero = false;
  for (const double value : column.numbers) {
    zero = zero || value == 0;
    if (value > 0)
      unit = std::min(unit, value);
  }
  return zero && std::isfinite(unit) ? std::optional(ZeroValue{.unit = unit}) : std::nullopt;
}

NumericInput numeric_input(const Column& column, std::span<const std::size_t> rows) {
  NumericInput input{.column = column.name,
                     .low = std::numeric_limits<double>::infinity(),
                     .high = -std::numeric_limits<double>::infinity(),
                     .zero = zero_of(column)};
  for (const std::size_t row : rows) {
    input.low = std::min(input.low, column.numbers[row]);
    input.high = std::max(input.high, column.numbers[row]);
  }
  return input;
}

std::vector<std::string> input_columns(const ModelSpec& spec) {
  std::vector<std::string> names;
  for (const NumericInput& input : spec.intrinsic)
    names.push_back(input.column);
  for (const CategoricalInput& input : spec.categorical)
    names.push_back(input.column);
  for (const NumericInput& input : spec.extrinsic)
    names.push_back(input.column);
  return names;
}

}  // namespace

double NumericInput::counted(double value) const {
  if (!zero)
    return value;
  return zero->apart ? std::max(value, zero->unit) : 1 + value / zero->unit;
}

std::size_t ModelSpec::level_count() const {
  std::size_t count = 0;
  for (const CategoricalInput& input : categorical)
    count += input.levels.size();
  return count;
}

bool ModelSpec::has_scales_only() const {
  return intrinsic.empty() && categorical.empty() && !extrinsic.empty();
}

bool ModelSpec::has_zeros() const {
  return std::any_of(
      intrinsic.begin(), intrinsic.end(),
      [](const NumericInput& input) { return input.zero.has_value(); });
}

bool ModelSpec::is_derived(const std::string& column) const {
  return std::any_of(
      derived.begin(), derived.end(),
      [&](const DerivedColumn& item) { return item.column == column; });
}

bool ModelSpec::is_derived_from(const std::string& column) const {
  return std::any_of(
      derived.begin(), derived.end(),
      [&](const DerivedColumn& item) {
        return std::find(item.of.begin(), item.of.end(), column) != item.of.end();
      });
}

bool ModelSpec::is_tied(const std::string& column) const {
  return std::any_of(
      ties.begin(), ties.end(), [&](const Tie& tie) { return tie.column == column; });
}

bool ModelSpec::moves_others(const std::string& column) const {
  return is_derived_from(column) ||
         std::any_of(
             ties.begin(), ties.end(), [&](const Tie& tie) { return tie.scale == column; });
}

std::vector<std::string> required_columns(const ModelSpec& spec) {
  std::vector<std::string> inputs = input_columns(spec);
  for (const DerivedColumn& item : spec.derived) {
    for (const std::string& name : item.of)
      if (std::find(inputs.begin(), inputs.end(), name) == inputs.end())
        inputs.push_back(name);
  }
  for (const DerivedColumn& item : spec.derived)
    std::erase(inputs, item.column);
  return inputs;
}

ModelSpec make_spec(const Table& table, const Roles& roles,
                    std::span<const std::size_t> training_rows) {
  ModelSpec spec;
  spec.target = roles.target;
  spec.unit = roles.unit;
  spec.throughput = roles.throughput;
  for (const std::string& name : roles.intrinsic)
    spec.intrinsic.push_back(numeric_input(table.at(name), training_rows));
  for (const std::string& name : roles.categorical) {
    CategoricalInput input{name, distinct_texts(table.at(name))};
    sort_levels(input.levels);
    spec.categorical.push_back(std::move(input));
  }
  for (const std::string& name : roles.extrinsic)
    spec.extrinsic.push_back(numeric_input(table.at(name), training_rows));
  const std::vector<std::string> inputs = input_columns(spec);
  spec.derived = needed_columns(roles.derived, inputs);
  for (const std::string& name : required_columns(spec))
    if (std::find(inputs.begin(), inputs.end(), name) == inputs.end())
      spec.sources.push_back({name});
  spec.ties = ties_of(table, spec);
  return spec;
}

void set_typical_values(const Table& table, std::size_t row, ModelSpec& spec) {
  for (SourceColumn& source : spec.sources) {
    const Column& column = table.at(source.column);
    // A column that was read as text has numbers all the same: derived columns need them.
    source.typical =
        column.is_numeric() ? column.numbers[row] : parse_number(column.text(row)).value_or(0);
  }
}

}  // namespace perfmodel
