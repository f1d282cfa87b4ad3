#include "model/columns/no_inputs.hpp"

#include <algorithm>
#include <set>

#include "model/columns/column_parts.hpp"
#include "model/columns/left_out/by_products.hpp"

namespace perfmodel {

NoInputs find_no_inputs(const Table& table, const std::string& target, const std::string& scale,
                        const std::vector<std::string>& ignore) {
  std::vector<ColumnPart> parts;
  for (const Column& column : table.columns) {
    ColumnPart part{.column = &column, .facts = facts_of(column)};
    part.by_flag = column.name == target || column.name == scale;
    if (column.name == target)
      part.part = Part::target;
    else if (column.name == scale)
      part.part = Part::extrinsic;
    else if (std::find(ignore.begin(), ignore.end(), column.name) != ignore.end())
      part.part = Part::ignored;
    else
      part.part = part.facts.constant ? Part::constant : Part::intrinsic;
    parts.push_back(part);
  }
  NoInputs found;
  found.columns = leave_out_no_inputs(table, parts);
  for (const LeftOut& item : found.columns)
    found.notices.push_back("Column '" + item.column + "' " + words_for(item) +
                            " and does not tell configurations apart.");
  return found;
}

std::vector<LeftOut> inputs_given_by_target(const Table& table, const ModelSpec& spec) {
  std::set<std::string> inputs;
  for (const auto* numbers : {&spec.intrinsic, &spec.extrinsic})
    for (const NumericInput& input : *numbers)
      inputs.insert(input.column);
  std::vector<ColumnPart> parts;
  for (const Column& column : table.columns) {
    ColumnPart part{.column = &column, .facts = facts_of(column)};
    part.part = column.name == spec.target     ? Part::target
                : inputs.contains(column.name) ? Part::intrinsic
                                               : Part::ignored;
    parts.push_back(std::move(part));
  }
  std::vector<LeftOut> out;
  for (const ByProduct& item : find_by_products(table, parts))
    if (!item.law.empty())
      out.push_back({item.column, LeftOut::Because::result, item.law, {}});
  return out;
}

}  // namespace perfmodel
