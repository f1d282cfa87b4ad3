#include "fit/result/inputs_json.hpp"

#include <utility>

#include "base/text.hpp"
#include "json/contradiction.hpp"
#include "model/columns/level_order.hpp"

namespace perfmodel {

std::string InputsReader::column(const JsonCursor& item) {
  const JsonCursor node = item.member("column");
  std::string name = node.name();
  if (!columns_.insert(name).second)
    node.fail("the column '" + name + "' already has a part in the model");
  return name;
}

NumericInput InputsReader::numeric_input(const JsonCursor& item) {
  NumericInput input;
  input.column = column(item);
  const JsonCursor range = item.member("range");
  const std::vector<JsonCursor> ends = range.items();
  if (ends.size() != 2)
    range.fail("expected two numbers, the lowest and the highest value");
  input.low = ends[0].number();
  input.high = ends[1].number();
  if (!(0 < input.low && input.low <= input.high))
    range.fail("expected 0 < lowest <= highest");
  return input;
}

void InputsReader::add_level(const JsonCursor& item, const JsonCursor& name, bool derived,
                             std::set<std::string>& levels) {
  const std::string level = name.text();
  if (!levels.insert(level).second)
    item.fail("the level '" + level + "' stands twice");
  // The levels of a column that is computed are its values.
  if (derived && !parse_number(level))
    name.fail("'" + level + "' is not a number, and the column is derived");
}

std::vector<std::string> InputsReader::sorted_levels(const JsonCursor& item,
                                                     const std::set<std::string>& levels) {
  if (levels.empty())
    item.member("levels").fail("expected at least one level");
  std::vector<std::string> out(levels.begin(), levels.end());
  sort_levels(out);
  return out;
}

}  // namespace perfmodel
