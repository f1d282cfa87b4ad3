#include "fit/result/inputs_json.hpp"

#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "json/contradiction.hpp"
#include "model/columns/level_order.hpp"

namespace perfmodel {

namespace {

constexpr const char* kAbsent = "absent";
constexpr const char* kApart = "apart";
constexpr const char* kShifted = "shifted";

ZeroValue read_zero(const JsonCursor& node) {
  ZeroValue out;
  const JsonCursor counts = node.member("counts");
  const std::string text = counts.text();
  if (text != kAbsent && text != kApart && text != kShifted)
    counts.fail("'" + text + "' is not one of " +
                quoted_list(std::vector<std::string>{kAbsent, kApart, kShifted}));
  out.apart = text == kApart;
  const JsonCursor unit = node.member("unit");
  out.unit = unit.number();
  if (!(out.unit > 0))
    unit.fail("expected a number > 0");
  return out;
}

}  // namespace

void add_zero_to_json(const NumericInput& input, bool in_products, Json& item) {
  if (!input.zero)
    return;
  item["zero"] = {{"counts", !in_products        ? kAbsent
                             : input.zero->apart ? kApart
                                                 : kShifted},
                  {"unit", number(input.zero->unit)}};
}

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
  if (const auto zero = item.optional_member("zero"))
    input.zero = read_zero(*zero);
  if (!(input.allows(input.low) && input.low <= input.high))
    range.fail(input.zero ? "expected 0 <= lowest <= highest" : "expected 0 < lowest <= highest");
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
