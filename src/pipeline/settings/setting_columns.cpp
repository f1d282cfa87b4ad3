#include "pipeline/settings/setting_columns.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "model/design/level_matching.hpp"
#include "perfmodel/base/error.hpp"
#include "pipeline/settings/setting_values.hpp"

namespace perfmodel {
namespace {

/// "0,5" of an input that was measured from 0.1 to 0.8: where people write decimal commas.
bool reads_as_decimal_comma(const std::string& text, const std::vector<double>& values,
                            const NumericInput& input) {
  const auto measured = [&](double value) { return input.low <= value && value <= input.high; };
  if (values.size() != 2 || text.find_first_not_of("0123456789,") != std::string::npos)
    return false;
  std::string with_point = text;
  with_point[with_point.find(',')] = '.';
  const bool has_fractions =
      input.low != std::floor(input.low) || input.high != std::floor(input.high) || input.high <= 1;
  return has_fractions && !measured(values[1]) && measured(*parse_number(with_point));
}

/// The values of a number; columns that only derived ones use need not be > 0.
Column numeric_column(const Setting& setting, const NumericInput* input) {
  const auto values = listed_numbers(setting.text);
  if (values && input != nullptr && reads_as_decimal_comma(setting.text, *values, *input)) {
    std::string with_point = setting.text;
    with_point[with_point.find(',')] = '.';
    throw UsageError(Field{"settings"} + " '" + setting.column + "=" + setting.text +
                     "': a comma separates two values, and " + to_text((*values)[1]) +
                     " is outside of the measured range " + to_text(input->low) + " .. " +
                     to_text(input->high) + "; write " + with_point + " with a point");
  }
  const bool is_one_word =
      !setting.text.empty() && setting.text.find_first_of(",:") == std::string::npos;
  if (!values || (input != nullptr && !std::all_of(values->begin(), values->end(),
                                                   [&](double v) { return input->allows(v); }))) {
    throw UsageError(
        Field{"settings"} + " '" + setting.column + "=" + setting.text + "': expected a number" +
        (input == nullptr ? ""
         : input->zero    ? " >= 0"
                          : " > 0") +
        (is_one_word ? "" : ", a list such as 1,2,4 or a range such as 1:64:x2 or 1:9:+2"));
  }
  Column column;
  column.name = setting.column;
  column.numbers = *values;
  return column;
}

}  // namespace

const NumericInput* input_called(const ModelSpec& spec, const std::string& column) {
  for (const auto* inputs : {&spec.intrinsic, &spec.extrinsic})
    for (const NumericInput& input : *inputs)
      if (input.column == column)
        return &input;
  return nullptr;
}

Column text_column(const Setting& setting, const CategoricalInput& input) {
  Column column;
  column.name = input.column;
  column.kind = Column::Kind::text;
  const LevelMatcher matcher(input);
  for (const std::string& level : listed_levels(setting.text, input.levels)) {
    const auto known = matcher.match(level);
    if (!known)
      throw UsageError(Field{"settings"} + " '" + input.column + "=" + setting.text +
                       "': the model does not know the level '" + level + "'; it knows " +
                       quoted_list(input.levels) + did_you_mean(level, input.levels));
    column.codes.push_back(static_cast<std::uint32_t>(column.codes.size()));
    column.levels.push_back(input.levels[*known]);
  }
  return column;
}

Column column_of(const Setting& setting, const ModelSpec& spec) {
  for (const CategoricalInput& input : spec.categorical)
    if (input.column == setting.column)
      return text_column(setting, input);
  return numeric_column(setting, input_called(spec, setting.column));
}

Column taken_rows(const Column& column, const std::vector<std::size_t>& rows) {
  Column out = column;
  out.bad_cells.clear();
  out.numbers.clear();
  out.codes.clear();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!column.is_numeric()) {
      out.codes.push_back(column.codes[rows[i]]);
      continue;
    }
    out.numbers.push_back(column.numbers[rows[i]]);
    for (const BadCell& cell : column.bad_cells)
      if (cell.row == rows[i])
        out.bad_cells.push_back({i, cell.text});
  }
  return out;
}

}  // namespace perfmodel
