#include "cli/setting.hpp"

#include <algorithm>
#include <map>

#include "perfmodel/base/error.hpp"
#include "perfmodel/base/text.hpp"

namespace perfmodel::cli {
namespace {

std::vector<std::string> input_names(const ModelSpec& spec) {
  std::vector<std::string> names;
  for (const auto& input : spec.intrinsic) {
    names.push_back(input.column);
  }
  for (const auto& input : spec.categorical) {
    names.push_back(input.column);
  }
  for (const auto& input : spec.extrinsic) {
    names.push_back(input.column);
  }
  return names;
}

/// Column -> value, every column one that the model has.
std::map<std::string, std::string> values_by_column(const std::vector<std::string>& settings,
                                                    const std::vector<std::string>& names) {
  std::map<std::string, std::string> values;
  for (const auto& setting : settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw UsageError("--set '" + setting + "': expected COL=VALUE");
    }
    const std::string column = setting.substr(0, equals);
    if (std::find(names.begin(), names.end(), column) == names.end()) {
      const std::string hint = did_you_mean(column, names);
      throw UsageError("--set '" + setting + "': the model has no input '" + column + "'" +
                       (hint.empty() ? "; it has " + quoted_list(names) : hint));
    }
    if (!values.emplace(column, setting.substr(equals + 1)).second) {
      throw UsageError("--set '" + setting + "': '" + column + "' is set twice");
    }
  }
  return values;
}

void refuse_missing(const std::map<std::string, std::string>& values,
                    const std::vector<std::string>& names) {
  std::vector<std::string> missing;
  std::copy_if(names.begin(), names.end(), std::back_inserter(missing),
               [&](const std::string& name) { return !values.contains(name); });
  if (!missing.empty()) {
    throw UsageError("the model also needs " + quoted_list(missing) + "; add --set " +
                     missing.front() + "=VALUE" + (missing.size() > 1 ? " and so on" : ""));
  }
}

Column numeric_column(const NumericInput& input, const std::string& text) {
  const auto value = parse_number(text);
  if (!value || *value <= 0) {
    throw UsageError("--set '" + input.column + "=" + text + "': expected a number > 0");
  }
  Column column;
  column.name = input.column;
  column.numbers = {*value};
  return column;
}

Column text_column(const CategoricalInput& input, const std::string& text) {
  if (std::find(input.levels.begin(), input.levels.end(), text) == input.levels.end()) {
    const std::string hint = did_you_mean(text, input.levels);
    throw UsageError("--set '" + input.column + "=" + text +
                     "': the model does not know the level '" + text + "'; it knows " +
                     quoted_list(input.levels) + hint);
  }
  Column column;
  column.name = input.column;
  column.kind = Column::Kind::text;
  column.levels = {text};
  column.codes = {0};
  return column;
}

}  // namespace

Table table_of_settings(const std::vector<std::string>& settings, const ModelSpec& spec) {
  const auto names = input_names(spec);
  const auto values = values_by_column(settings, names);
  refuse_missing(values, names);
  Table table;
  table.source = "--set";
  table.lines = {1};
  for (const auto& input : spec.intrinsic) {
    table.columns.push_back(numeric_column(input, values.at(input.column)));
  }
  for (const auto& input : spec.categorical) {
    table.columns.push_back(text_column(input, values.at(input.column)));
  }
  for (const auto& input : spec.extrinsic) {
    table.columns.push_back(numeric_column(input, values.at(input.column)));
  }
  return table;
}

}  // namespace perfmodel::cli
