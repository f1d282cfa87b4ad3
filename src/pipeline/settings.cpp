#include "perfmodel/pipeline/settings.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "model/design/level_matching.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

/// Column -> value, every column one that the model has.
std::map<std::string, std::string> values_by_column(const std::vector<std::string>& settings,
                                                    const std::vector<std::string>& names) {
  std::map<std::string, std::string> values;
  for (const auto& setting : settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError(Field{"settings"} + " '" + setting + "': expected COL=VALUE");
    const std::string column = setting.substr(0, equals);
    if (std::find(names.begin(), names.end(), column) == names.end()) {
      const std::string hint = did_you_mean(column, names);
      throw UsageError(Field{"settings"} + " '" + setting + "': the model has no input '" + column +
                       "'" + (hint.empty() ? "; it has " + quoted_list(names) : hint));
    }
    if (!values.emplace(column, setting.substr(equals + 1)).second)
      throw UsageError(Field{"settings"} + " '" + setting + "': '" + column + "' is set twice");
  }
  return values;
}

void refuse_missing(const std::map<std::string, std::string>& values,
                    const std::vector<std::string>& names) {
  std::vector<std::string> missing;
  std::copy_if(names.begin(), names.end(), std::back_inserter(missing),
               [&](const std::string& name) { return !values.contains(name); });
  if (!missing.empty()) {
    throw UsageError("the model also needs " + quoted_list(missing) + "; add " + Field{"settings"} +
                     " " + missing.front() + "=VALUE" + (missing.size() > 1 ? " and so on" : ""));
  }
}

/// `input`: of the model; nothing for what only derived columns use, which need not be > 0.
Column numeric_column(const std::string& name, const std::string& text, const NumericInput* input) {
  const auto value = parse_number(text);
  if (!value || (input != nullptr && !input->allows(*value))) {
    throw UsageError(Field{"settings"} + " '" + name + "=" + text + "': expected a number" +
                     (input == nullptr ? ""
                      : input->zero    ? " >= 0"
                                       : " > 0"));
  }
  Column column;
  column.name = name;
  column.numbers = {*value};
  return column;
}

Column text_column(const CategoricalInput& input, const std::string& text) {
  const auto level = LevelMatcher(input).match(text);
  if (!level) {
    const std::string hint = did_you_mean(text, input.levels);
    throw UsageError(Field{"settings"} + " '" + input.column + "=" + text +
                     "': the model does not know the level '" + text + "'; it knows " +
                     quoted_list(input.levels) + hint);
  }
  Column column;
  column.name = input.column;
  column.kind = Column::Kind::text;
  column.levels = {input.levels[*level]};
  column.codes = {0};
  return column;
}

}  // namespace

Table table_of_settings(const std::vector<std::string>& settings, const ModelSpec& spec) {
  const auto names = required_columns(spec);
  const auto values = values_by_column(settings, names);
  refuse_missing(values, names);
  Table table;
  table.source = "settings";
  table.lines = {1};
  const auto add_numeric = [&](const std::string& column) {
    if (values.contains(column) && table.find(column) == nullptr)
      table.columns.push_back(numeric_column(column, values.at(column), nullptr));
  };
  for (const auto* inputs : {&spec.intrinsic, &spec.extrinsic}) {
    for (const auto& input : *inputs)
      if (values.contains(input.column))
        table.columns.push_back(numeric_column(input.column, values.at(input.column), &input));
  }
  for (const auto& input : spec.categorical)
    if (values.contains(input.column))
      table.columns.push_back(text_column(input, values.at(input.column)));
  std::for_each(names.begin(), names.end(), add_numeric);
  return table;
}

}  // namespace perfmodel
