#include "columns/spec.hpp"

#include <fmt/format.h>
#include <cmath>
#include <limits>
#include <tuple>

#include "table/cells.hpp"
#include "table/table.hpp"

namespace perfmodel {

void sort_levels(std::vector<std::string>& levels) {
  const auto key = [](const std::string& level) {
    const auto number = parse_number(level);
    return std::tuple(!number.has_value(), number.value_or(0.0), level);
  };
  std::vector<decltype(key(std::string()))> keys;
  keys.reserve(levels.size());
  for (const std::string& level : levels)
    keys.push_back(key(level));
  std::sort(keys.begin(), keys.end());
  std::transform(keys.begin(), keys.end(), levels.begin(),
                 [](const auto& sorted) { return std::get<2>(sorted); });
}

const NumericInput* input_called(const ModelSpec& spec, const std::string& column) {
  for (const auto* inputs : {&spec.intrinsic, &spec.extrinsic})
    for (const NumericInput& input : *inputs)
      if (input.column == column)
        return &input;
  return nullptr;
}

namespace {

bool has_plain_numbers(const Column& column) {
  return column.is_numeric() ||
         std::any_of(
             column.levels.begin(), column.levels.end(),
             [](const std::string& level) { return parse_number(level).has_value(); });
}

/// The distinct texts of a column; for a numeric column, the shortest texts of its numbers.
std::vector<std::string> distinct_texts(const Column& column) {
  if (!column.is_numeric())
    return column.levels;
  std::vector<double> numbers = column.numbers;
  std::erase_if(numbers, [](double x) { return x != x; });  // NaN stands for a bad cell

  std::set<std::string> texts;
  for (const double number : sorted_unique(std::move(numbers)))
    texts.insert(to_text(number + 0.0));  // as Column::text: no "-0"
  for (const BadCell& cell : column.bad_cells)
    texts.insert(cell.text);
  return {texts.begin(), texts.end()};
}

/// Found in all rows of the table, like levels, since only held-out rows may contain a 0.
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
                     .zero = zero_of(column),
                     .unit = column.unit};
  for (const std::size_t row : rows) {
    input.low = std::min(input.low, column.numbers[row]);
    input.high = std::max(input.high, column.numbers[row]);
  }
  return input;
}

}  // namespace

void CellProblems::add_blank(std::size_t row, const Column& column) {
  add(
      row, column, [] { return "the cell is blank"; });
}

void CellProblems::add_not_a_number(std::size_t row, const Column& column) {
  const std::string text = column.text(row);
  if (text.empty())
    add_blank(row, column);
  else if (!column.unit.empty() && (parse_number(text) || parse_quantity(text)))
    add(row, column, [&] {
      return fmt::format("{} {}, but the other cells are in {}, such as {}", quoted_cell(text),
                         parse_number(text) ? "has no unit" : "has another unit", column.unit,
                         quoted_cell(column.with_unit));
    });
  else
    add(row, column, [&] {
      return fmt::format("{} {}", quoted_cell(text),
                         parse_quantity(text) && has_plain_numbers(column)
                             ? "has a unit, but other cells have none"
                             : "is not a number");
    });
}

void CellProblems::add_too_small(std::size_t row, const Column& column, bool may_be_zero) {
  add(
      row, column,
      [&] { return column.text(row) + (may_be_zero ? " is not >= 0" : " is not > 0"); });
}

void CellProblems::set_remedy(const Column& column, const std::string& remedy) {
  const auto found = columns_.find(static_cast<std::size_t>(&column - table_.columns.data()));
  if (found != columns_.end())
    found->second.remedy = remedy;
}

std::string CellProblems::text() const {
  std::vector<std::string> lines;
  for (const auto& [order, column] : columns_) {
    const auto& [row, reason] = *column.first.begin();
    const bool one = column.count == 1;
    lines.push_back(fmt::format("{}: column '{}': {}{}{}", one ? table_.where(row) : table_.source,
                                table_.columns[order].name, one ? reason : cells(column),
                                column.remedy.empty() ? "" : "; ", column.remedy));
  }
  return joined(lines, "\n");
}

std::string CellProblems::place(std::size_t row) const {
  return table_.file.empty() ? std::to_string(table_.lines[row]) : table_.where(row);
}

/// "12 cells: "?" is not a number (lines 3, 4 and 7), the cell is blank (line 9), ... 8 more".
std::string CellProblems::cells(const OfColumn& column) const {
  std::vector<std::string> reasons;
  for (const auto& [row, reason] : column.first)
    if (!contains(reasons, reason))
      reasons.push_back(reason);
  std::string text = fmt::format("{} cells", column.count);
  for (std::size_t k = 0; k < reasons.size(); ++k) {
    std::vector<std::string> places;
    for (const auto& [row, reason] : column.first)
      if (reason == reasons[k])
        places.push_back(place(row));
    const std::string lines = table_.file.empty() ? places.size() == 1 ? "line " : "lines " : "";
    text += fmt::format("{}{} ({}{})", k == 0 ? ": " : ", ", reasons[k], lines,
                        enumerated(places, places.size()));
  }
  const std::size_t more = column.count - column.first.size();
  return more == 0 ? text : fmt::format("{} and {} more", text, more);
}

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
  return std::ranges::any_of(
      intrinsic, [](const NumericInput& input) { return input.zero.has_value(); });
}

double Tie::step(const std::function<double(const std::string&)>& value_of) const {
  constexpr double kRounding = 1e-9;  // 3.0000000001 steps are 3
  double above = 1 - kRounding;
  double below = divisor;
  for (const Factor& factor : factors)
    (factor.power > 0 ? above : below) *= value_of(factor.column);
  return std::ceil(above / below);
}

bool ModelSpec::is_derived(const std::string& column) const {
  return std::ranges::find(derived, column, &DerivedColumn::column) != derived.end();
}

bool ModelSpec::is_derived_from(const std::string& column) const {
  return std::ranges::any_of(
      derived, [&](const DerivedColumn& item) { return contains(item.of, column); });
}

bool ModelSpec::is_tied(const std::string& column) const {
  return std::ranges::find(ties, column, &Tie::column) != ties.end();
}

bool ModelSpec::follows(const std::string& column) const {
  return is_derived(column) ||
         std::ranges::any_of(
             ties, [&](const Tie& tie) { return tie.in_steps() && tie.column == column; });
}

bool ModelSpec::moves_others(const std::string& column) const {
  return is_derived_from(column) || std::ranges::find(ties, column, &Tie::scale) != ties.end();
}

std::vector<std::string> input_columns(const ModelSpec& spec) {
  std::vector<std::string> names = mapped(spec.intrinsic, &NumericInput::column);
  for (const CategoricalInput& input : spec.categorical)
    names.push_back(input.column);
  for (const NumericInput& input : spec.extrinsic)
    names.push_back(input.column);
  return names;
}

std::vector<std::string> required_columns(const ModelSpec& spec) {
  std::vector<std::string> inputs = input_columns(spec);
  for (const DerivedColumn& item : spec.derived) {
    for (const std::string& name : item.of)
      if (!contains(inputs, name))
        inputs.push_back(name);
  }
  for (const DerivedColumn& item : spec.derived)
    std::erase(inputs, item.column);
  return inputs;
}

std::string product_text(const std::vector<Factor>& factors) {
  std::string above;
  std::string below;
  for (const Factor& factor : factors)
    if (factor.power > 0)
      above += (above.empty() ? "" : " * ") + factor.column;
    else
      below += " / " + factor.column;
  return (above.empty() ? "1" : above) + below;
}

std::string scaled_product(double factor, const std::vector<Factor>& factors) {
  std::string text = product_text(factors);
  const double inverse = std::round(1 / factor);
  if (std::abs(factor - 1) < 1e-3)
    return text;
  if (factor < 1 && std::abs(inverse * factor - 1) < 1e-3)
    return text + " / " + rounded(inverse);
  if (text.starts_with("1 / "))
    text.erase(0, 4), text.insert(0, " / ");
  else
    text.insert(0, " * ");
  return rounded(factor) + text;
}

std::string law_of_step(const Tie& step) {
  return fmt::format("ceil({})", scaled_product(1 / step.divisor, step.factors));
}

std::string needs_measured(const std::string& what, const Table& /*table*/,
                           const Column& /*column*/) {
  return fmt::format("every run needs a measured {} > 0: correct this or remove the rows", what);
}

ModelSpec plain_spec(const Table& table, const Roles& roles,
                     std::span<const std::size_t> training_rows) {
  ModelSpec spec;
  spec.target = roles.target;
  spec.unit = roles.unit;
  spec.throughput = roles.throughput;
  if (const Column* const target = table.find(roles.target))
    spec.shown_unit = unit_of_cell(target->with_unit);
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
    if (!contains(inputs, name))
      spec.sources.push_back({name});
  return spec;
}

void set_typical_values(const Table& table, std::size_t row, ModelSpec& spec) {
  for (SourceColumn& source : spec.sources) {
    const Column& column = table.at(source.column);
    // Derived columns need the numbers of a column that was read as text as well.
    source.typical =
        column.is_numeric() ? column.numbers[row] : parse_number(column.text(row)).value_or(0);
  }
}

}  // namespace perfmodel
