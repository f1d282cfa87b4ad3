#include "perfmodel/pipeline/settings.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.hpp"
#include "model/columns/left_out/left_out.hpp"
#include "perfmodel/base/error.hpp"
#include "pipeline/settings/derived_settings.hpp"
#include "pipeline/settings/setting_columns.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kMostConfigurations = 1'000'000;

/// Why the model has no such input, as far as it knows.
std::string no_input(const FittedModel& model, const std::string& column,
                     const std::vector<std::string>& names) {
  for (const LeftOut& item : model.left_out)
    if (item.column == column)
      return "; in the runs behind the model it " + words_for(item);
  const std::string hint = did_you_mean(column, names);
  return hint.empty() ? "; it has " + quoted_list(names) : hint;
}

/// In their order, every column one that the model has.
std::vector<Setting> parsed(const std::vector<std::string>& settings, const FittedModel& model,
                            const std::vector<std::string>& names) {
  std::vector<Setting> out;
  for (const std::string& setting : settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError(Field{"settings"} + " '" + setting + "': expected COL=VALUE");
    const std::string column = setting.substr(0, equals);
    if (std::find(names.begin(), names.end(), column) == names.end())
      throw UsageError(Field{"settings"} + " '" + setting + "': the model has no input '" + column +
                       "'" + no_input(model, column, names));
    if (std::any_of(out.begin(), out.end(),
                    [&](const Setting& other) { return other.column == column; }))
      throw UsageError(Field{"settings"} + " '" + setting + "': '" + column + "' is set twice");
    out.push_back({column, setting.substr(equals + 1)});
  }
  return out;
}

std::size_t values_of(const Column& column) {
  return column.is_numeric() ? column.numbers.size() : column.codes.size();
}

/// All combinations, those of the last column side by side.
std::vector<Column> combined(const std::vector<Column>& columns) {
  std::size_t all = 1;
  for (const Column& column : columns) {
    if (values_of(column) > kMostConfigurations / all)
      throw UsageError(Field{"settings"} + ": these lists have more than " +
                       std::to_string(kMostConfigurations) + " combinations");
    all *= values_of(column);
  }
  std::vector<Column> out;
  std::size_t block = all;
  for (const Column& column : columns) {
    block /= values_of(column);
    std::vector<std::size_t> rows(all);
    for (std::size_t row = 0; row < all; ++row)
      rows[row] = row / block % values_of(column);
    out.push_back(taken_rows(column, rows));
  }
  return out;
}

/// The scales among the set columns that move others; of those tied to one another the first.
std::vector<const Column*> moving_scales(const std::vector<Column>& set, const ModelSpec& spec) {
  std::vector<const Column*> out;
  for (const Column& column : set) {
    const bool follows = std::any_of(out.begin(), out.end(), [&](const Column* earlier) {
      return std::any_of(spec.ties.begin(), spec.ties.end(), [&](const Tie& tie) {
        return tie.scale == earlier->name && tie.column == column.name;
      });
    });
    if (!follows && column.is_numeric())
      out.push_back(&column);
  }
  return out;
}

/// Moves a column of the base, one value per row, along with the scales that were set. Returns
/// whether it does.
bool move_along(const std::vector<const Column*>& scales, const ModelSpec& spec, const Table& base,
                Column& column) {
  bool moves = false;
  for (const Column* scale : scales) {
    const Column* const from = base.find(scale->name);
    for (const Tie& tie : spec.ties) {
      if (tie.scale != scale->name || tie.column != column.name || from == nullptr ||
          !from->is_numeric() || !column.is_numeric())
        continue;
      moves = true;
      for (std::size_t row = 0; row < column.numbers.size(); ++row)
        column.numbers[row] *= std::pow(scale->numbers[row] / from->numbers[0], tie.power);
    }
  }
  return moves;
}

/// Complains of what neither the settings nor the base have.
void refuse_missing(const std::vector<std::string>& missing,
                    const std::optional<BaseConfiguration>& base) {
  if (!missing.empty())
    throw UsageError((base ? base->name + " has no " : "the model also needs ") +
                     quoted_list(missing) + "; add " + Field{"settings"} + " " + missing.front() +
                     "=VALUE" + (missing.size() > 1 ? " and so on" : ""));
}

}  // namespace

SetConfigurations configurations_of_settings(const std::vector<std::string>& settings,
                                             const FittedModel& model,
                                             const std::optional<BaseConfiguration>& base) {
  const ModelSpec& spec = model.spec;
  const std::vector<std::string> names = required_columns(spec);
  SetConfigurations out;
  std::vector<Column> set;
  for (const Setting& setting : parsed(settings, model, names)) {
    set.push_back(column_of(setting, spec));
    if (values_of(set.back()) > 1)
      out.varied.push_back(setting.column);
  }
  set = combined(set);
  const std::size_t rows = set.empty() ? 1 : values_of(set.front());
  const std::vector<const Column*> scales = moving_scales(set, spec);
  out.table.source = base ? base->table.source : "settings";
  out.table.lines.assign(rows, base ? base->table.lines.front() : 1);
  std::vector<std::string> missing;
  for (const std::string& name : names) {
    const auto given = std::find_if(set.begin(), set.end(),
                                    [&](const Column& column) { return column.name == name; });
    const Column* const known = base ? base->table.find(name) : nullptr;
    if (given != set.end()) {
      out.table.columns.push_back(*given);
    } else if (known != nullptr) {
      Column column = taken_rows(*known, std::vector<std::size_t>(rows, 0));
      if (move_along(scales, spec, base->table, column))
        out.moved.push_back(name);
      else
        out.assumed.push_back(name + "=" + column.text(0));
      out.table.columns.push_back(std::move(column));
    } else {
      missing.push_back(name);
    }
  }
  refuse_missing(missing, base);
  refuse_derived_values(out.table, set, spec);
  return out;
}

}  // namespace perfmodel
