#include <fmt/format.h>
#include <set>
#include <string>
#include <vector>

#include "roles/column_facts.hpp"
#include "roles/roles.hpp"
#include "table/formula.hpp"

namespace perfmodel {
namespace {

constexpr std::string_view kBlanks = " \t";
/// Shorter names, such as F beside a column f, are no typing errors.
constexpr std::size_t kShortestMisspelt = 3;

/// Throws UsageError unless the column has levels and the constant is one of the formula.
void check_per_level(const Table& table, const RoleRequest& request, const ConstantPerLevel& per,
                     const std::vector<std::string>& constants) {
  const std::string where = fmt::format("--per {}", shell_word(per.column + ":" + per.constant));
  const Column* const column = table.find(per.column);
  if (column == nullptr)
    throw UsageError(fmt::format("{}: {}", where, table.no_column(per.column)));
  if (column->is_numeric() && !contains(request.categorical, per.column))
    throw UsageError(
        fmt::format("{}: '{}' is a column of numbers; if they are levels, pass --categorical {}",
                    where, per.column, shell_word(per.column)));
  if (!contains(constants, per.constant))
    throw UsageError(fmt::format("{}: the formula has no constant '{}'{}", where, per.constant,
                                 did_you_mean_one_of(per.constant, constants)));
}

/// Throws UsageError for a constant that may be meant as a column.
void refuse_misspelt(const std::string& formula, const std::string& name,
                     const std::vector<std::string>& columns, const std::string& where) {
  const bool has_to_be_column = Formula::parsed(formula, where).columns.contains(name);
  const bool is_near = name.size() >= kShortestMisspelt && nearest(name, columns);
  if (!has_to_be_column && !is_near && hint_for_unquoted(formula, columns, name).empty())
    return;
  const std::string hint = hint_for_name(formula, name, columns);
  throw UsageError(fmt::format("{}: '{}' is no column{}{}", where, name, hint,
                               hint.ends_with('?') && !has_to_be_column
                                   ? " A constant needs a name that differs more from those of "
                                     "columns"
                                   : ""));
}

/// Throws UsageError for texts that are no levels of the runs, whatever models are fitted to.
void refuse_texts(const Table& table, const RoleRequest& request,
                  const std::vector<std::string>& constants) {
  TextCodes codes;
  for (const Column& column : table.columns)
    if (contains(request.categorical, column.name) ||
        (!column.is_numeric() && !facts_of(column).mostly_numbers()))
      codes.add_column(column.name, column.levels);
  std::vector<std::string> names = table.names();
  names.insert(names.end(), constants.begin(), constants.end());
  const Formula checked(request.formula->text, names, codes, "--formula");
}

}  // namespace

OwnFormula parse_own_formula(const std::string& text) {
  const std::string where = fmt::format("--formula {}", quoted_formula(text));
  const auto equals = without_quoted(text).find('=');
  OwnFormula out;
  if (equals != std::string::npos) {
    out.target = name_as_written(std::string(trimmed(text.substr(0, equals), kBlanks)));
    out.text = trimmed(text.substr(equals + 1), kBlanks);
  }
  if (out.target.empty() || out.text.empty() || out.text.front() == '=')
    throw UsageError(where + ": expected COLUMN = FORMULA, such as 't = a / gpus + C'");
  Formula::names_in(out.text, where);
  return out;
}

ConstantPerLevel parse_per_level(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == text.size())
    throw UsageError(fmt::format("--per '{}': expected COLUMN:CONSTANT, such as device:F", text));
  return {name_as_written(text.substr(0, colon)), text.substr(colon + 1)};
}

RoleRequest with_formula_columns(const Table& table, RoleRequest request) {
  const OwnFormula& own = request.formula.value();
  const std::string where = fmt::format("--formula {}", quoted_formula(own.text));
  const std::vector<std::string> columns = table.names();
  std::set<std::string> inputs;
  std::vector<std::string> constants;
  for (const std::string& name : Formula::names_in(own.text, where)) {
    if (contains(columns, name)) {
      inputs.insert(name);
      continue;
    }
    constants.push_back(name);
    refuse_misspelt(own.text, name, columns, where);
  }
  refuse_texts(table, request, constants);
  if (constants.empty())
    throw UsageError(
        fmt::format("{}: all its names are columns, so there is no constant to fit; its values are "
                    "those of --derive",
                    where));
  if (inputs.contains(own.target))
    throw UsageError(fmt::format(
        "{}: '{}' is the measured time, which is unknown for configurations to be predicted", where,
        own.target));
  if (!contains(columns, own.target))
    throw UsageError(fmt::format("{}: {}", where, table.no_column(own.target)));
  inputs.insert(request.categorical.begin(), request.categorical.end());
  for (const ConstantPerLevel& per : own.per) {
    check_per_level(table, request, per, constants);
    inputs.insert(per.column);
  }
  for (const std::string& name : request.extrinsic.value_or(std::vector<std::string>()))
    if (contains(columns, name) && !inputs.contains(name))
      throw UsageError(
          fmt::format("--extrinsic {}: the formula does not contain '{}'", shell_word(name), name));
  for (const std::string& name : request.ignore)
    if (inputs.contains(name))
      throw UsageError(
          fmt::format("--ignore {}: the formula contains '{}'", shell_word(name), name));
  for (const std::string& name : columns)
    if (name != own.target && !inputs.contains(name) && !contains(request.ignore, name))
      request.ignore.push_back(name);
  request.target = own.target;
  return request;
}

}  // namespace perfmodel
