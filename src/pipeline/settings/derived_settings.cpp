#include "pipeline/settings/derived_settings.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "data/formula.hpp"
#include "perfmodel/base/error.hpp"
#include "pipeline/settings/setting_columns.hpp"

namespace perfmodel {
namespace {

using Values = std::vector<double>;

/// "global_batch=0" of each set column that the derived one is computed from.
std::vector<std::string> settings_behind(const std::string& derived, std::size_t row,
                                         const std::vector<Column>& set, const ModelSpec& spec) {
  std::vector<std::string> out;
  const std::vector<DerivedColumn> all = needed_columns(spec.derived, {derived});
  for (const Column& column : set) {
    const auto uses = [&](const DerivedColumn& item) {
      return std::find(item.of.begin(), item.of.end(), column.name) != item.of.end();
    };
    if (std::any_of(all.begin(), all.end(), uses))
      out.push_back(column.name + "=" + column.text(row));
  }
  return out;
}

}  // namespace

void refuse_derived_values(const Table& configurations, const std::vector<Column>& set,
                           const ModelSpec& spec) {
  std::map<std::string, Values> known;
  for (const Column& column : configurations.columns)
    if (column.is_numeric())
      known[column.name] = column.numbers;
  for (const DerivedColumn& derived : spec.derived) {
    std::vector<Values> of;
    for (const std::string& name : derived.of)
      if (const auto found = known.find(name); found != known.end())
        of.push_back(found->second);
    if (of.size() < derived.of.size())
      continue;  // texts: the design complains
    TextCodes codes;
    const Formula formula(derived.formula, derived.of, codes, quoted_formula(derived.definition()));
    Values values = formula.of_rows(of, configurations.rows());
    const NumericInput* const input = input_called(spec, derived.column);
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (std::isfinite(values[row]) && (input == nullptr || input->allows(values[row])))
        continue;
      const auto settings = settings_behind(derived.column, row, set, spec);
      if (settings.empty())
        continue;  // not what was set: the design complains of the base
      throw UsageError(Field{"settings"} + " '" + joined(settings, " ") +
                       "': " + quoted_formula(derived.definition()) + " is " +
                       (std::isnan(values[row])   ? "no number"
                        : std::isinf(values[row]) ? "infinite"
                                                  : to_text(values[row])) +
                       " there" +
                       (input == nullptr ? ""
                        : input->zero    ? ", not >= 0"
                                         : ", not > 0"));
    }
    known[derived.column] = std::move(values);
  }
}

}  // namespace perfmodel
