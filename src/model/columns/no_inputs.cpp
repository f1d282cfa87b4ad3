#include "model/columns/no_inputs.hpp"

#include <algorithm>

#include "model/columns/column_parts.hpp"

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

}  // namespace perfmodel
