#include "io/documents/space_json.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "io/file/input_file.hpp"
#include "json/json_cursor.hpp"

namespace perfmodel {
namespace {

constexpr std::uint64_t kSpaceSchemaVersion = 1;

void refuse_unknown(const JsonCursor& place, const std::vector<std::string>& known) {
  for (const std::string& name : place.names()) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::string hint = did_you_mean(name, known);
      place.fail("unknown field '" + name + "'" +
                 (hint.empty() ? "; there are " + quoted_list(known) : hint));
    }
  }
}

void read_values(const JsonCursor& place, plan::SpaceColumn& column) {
  const auto items = place.items();
  if (items.empty())
    place.fail("expected at least one value");
  const bool texts = items.front().is_text();
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (texts) {
      const std::string level = items[i].text();
      if (std::find(column.levels.begin(), column.levels.end(), level) != column.levels.end())
        items[i].fail("'" + level + "' stands twice");
      column.levels.push_back(level);
    } else {
      const double value = items[i].number();
      if (std::find(column.values.begin(), column.values.end(), value) != column.values.end())
        items[i].fail(to_text(value) + " stands twice");
      column.values.push_back(value);
    }
  }
}

void read_range(const JsonCursor& place, plan::SpaceColumn& column) {
  const auto range = place.member("range");
  const auto ends = range.items();
  if (ends.size() != 2)
    range.fail("expected two numbers, the lowest and the highest value");
  column.low = ends[0].number();
  column.high = ends[1].number();
  if (!(column.low < column.high))
    range.fail("expected lowest < highest");
  if (const auto scale = place.optional_member("scale")) {
    if (scale->text() != "log" && scale->text() != "linear")
      scale->fail("'" + scale->text() + "' is not one of 'linear' and 'log'");
    column.logarithmic = scale->text() == "log";
  }
  if (column.logarithmic && column.low <= 0)
    range.fail("a logarithmic range has to be > 0");
  if (const auto whole = place.optional_member("whole")) {
    if (!whole->is_boolean())
      whole->fail("expected true or false");
    column.whole = whole->boolean();
    if (column.whole &&
        (column.low != std::floor(column.low) || column.high != std::floor(column.high)))
      range.fail("expected whole numbers");
  }
}

plan::SpaceColumn read_column(const JsonCursor& place) {
  plan::SpaceColumn column;
  column.name = place.member("column").name();
  refuse_unknown(place, {"column", "values", "range", "scale", "whole"});
  const auto values = place.optional_member("values");
  if (values.has_value() == place.optional_member("range").has_value())
    place.fail("expected either 'values' or 'range'");
  if (values) {
    if (place.optional_member("scale") || place.optional_member("whole"))
      place.fail("'scale' and 'whole' go with 'range'");
    read_values(*values, column);
  } else {
    read_range(place, column);
  }
  return column;
}

void check_schema(const JsonCursor& root) {
  const auto schema = root.member("schema");
  if (schema.text() != "perfmodel/space")
    schema.fail("'" + schema.text() + "' is not 'perfmodel/space': this is not a space");
  const auto version = root.member("schema_version");
  if (version.count() != kSpaceSchemaVersion) {
    version.fail(std::to_string(version.count()) + " is not " +
                 std::to_string(kSpaceSchemaVersion) + ", the one version this program knows");
  }
}

}  // namespace

plan::Space read_space(const std::string& path) {
  plan::Space space;
  space.source = display_name(path);
  const JsonCursor root = JsonCursor::parse(space.source, read_file(path));
  check_schema(root);
  refuse_unknown(root,
                 {"schema", "schema_version", "description", "columns", "extrinsic", "where"});
  const auto columns = root.member("columns").items();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    space.columns.push_back(read_column(columns[i]));
    const std::string& name = space.columns.back().name;
    for (std::size_t before = 0; before < i; ++before)
      if (space.columns[before].name == name)
        columns[i].fail("the column '" + name + "' stands twice");
  }
  if (space.columns.empty())
    root.member("columns").fail("expected at least one column");
  if (const auto extrinsic = root.optional_member("extrinsic")) {
    const auto names = space.names();
    for (const auto& item : extrinsic->items()) {
      if (std::find(names.begin(), names.end(), item.text()) == names.end())
        item.fail("there is no column '" + item.text() + "'" + did_you_mean(item.text(), names));
      space.extrinsic.push_back(item.text());
    }
  }
  if (const auto where = root.optional_member("where")) {
    if (where->is_text())
      space.where.push_back(where->text());
    else
      for (const auto& item : where->items())
        space.where.push_back(item.text());
  }
  return space;
}

}  // namespace perfmodel
