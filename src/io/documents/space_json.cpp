#include "io/documents/space_json.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "io/file/input_file.hpp"
#include "json/json_cursor.hpp"

namespace perfmodel {
namespace {

constexpr std::uint64_t space_schema_version = 1;

void refuse_unknown(const nlohmann::json& node, const JsonCursor& place,
                    const std::vector<std::string>& known) {
  for (const auto& [name, value] : node.items()) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::string hint = did_you_mean(name, known);
      place.fail("unknown field '" + name + "'" +
                 (hint.empty() ? "; there are " + quoted_list(known) : hint));
    }
  }
}

void read_values(const nlohmann::json& node, const JsonCursor& place, plan::SpaceColumn& column) {
  const auto items = place.items();
  if (items.empty()) {
    place.fail("expected at least one value");
  }
  const bool texts = node.front().is_string();
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (texts) {
      const std::string level = items[i].text();
      if (std::find(column.levels.begin(), column.levels.end(), level) != column.levels.end()) {
        items[i].fail("'" + level + "' stands twice");
      }
      column.levels.push_back(level);
    } else {
      const double value = items[i].number();
      if (std::find(column.values.begin(), column.values.end(), value) != column.values.end()) {
        items[i].fail(to_text(value) + " stands twice");
      }
      column.values.push_back(value);
    }
  }
}

void read_range(const nlohmann::json& node, const JsonCursor& place, plan::SpaceColumn& column) {
  const auto range = place.member("range");
  const auto ends = range.items();
  if (ends.size() != 2) {
    range.fail("expected two numbers, the lowest and the highest value");
  }
  column.low = ends[0].number();
  column.high = ends[1].number();
  if (!(column.low < column.high)) {
    range.fail("expected lowest < highest");
  }
  if (node.contains("scale")) {
    const auto scale = place.member("scale");
    if (scale.text() != "log" && scale.text() != "linear") {
      scale.fail("'" + scale.text() + "' is not one of 'linear' and 'log'");
    }
    column.logarithmic = scale.text() == "log";
  }
  if (column.logarithmic && column.low <= 0) {
    range.fail("a logarithmic range has to be > 0");
  }
  if (node.contains("whole")) {
    if (!node["whole"].is_boolean()) {
      place.member("whole").fail("expected true or false");
    }
    column.whole = node["whole"].get<bool>();
    if (column.whole &&
        (column.low != std::floor(column.low) || column.high != std::floor(column.high))) {
      range.fail("expected whole numbers");
    }
  }
}

plan::SpaceColumn read_column(const nlohmann::json& node, const JsonCursor& place) {
  plan::SpaceColumn column;
  column.name = place.member("column").name();
  refuse_unknown(node, place, {"column", "values", "range", "scale", "whole"});
  if (node.contains("values") == node.contains("range")) {
    place.fail("expected either 'values' or 'range'");
  }
  if (node.contains("values")) {
    if (node.contains("scale") || node.contains("whole")) {
      place.fail("'scale' and 'whole' go with 'range'");
    }
    read_values(node["values"], place.member("values"), column);
  } else {
    read_range(node, place, column);
  }
  return column;
}

void check_schema(const JsonCursor& root) {
  const auto schema = root.member("schema");
  if (schema.text() != "perfmodel/space") {
    schema.fail("'" + schema.text() + "' is not 'perfmodel/space': this is not a space");
  }
  const auto version = root.member("schema_version");
  if (version.count() != space_schema_version) {
    version.fail(std::to_string(version.count()) + " is not " +
                 std::to_string(space_schema_version) + ", the one version this program knows");
  }
}

}  // namespace

plan::Space read_space(const std::string& path) {
  plan::Space space;
  space.source = display_name(path);
  const nlohmann::json document = parse_json(space.source, read_file(path));
  const JsonCursor root(space.source, document);
  check_schema(root);
  refuse_unknown(document, root,
                 {"schema", "schema_version", "description", "columns", "extrinsic", "where"});
  const auto columns = root.member("columns").items();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    space.columns.push_back(read_column(document["columns"][i], columns[i]));
    const std::string& name = space.columns.back().name;
    for (std::size_t before = 0; before < i; ++before) {
      if (space.columns[before].name == name) {
        columns[i].fail("the column '" + name + "' stands twice");
      }
    }
  }
  if (space.columns.empty()) {
    root.member("columns").fail("expected at least one column");
  }
  if (document.contains("extrinsic")) {
    const auto names = space.names();
    for (const auto& item : root.member("extrinsic").items()) {
      if (std::find(names.begin(), names.end(), item.text()) == names.end()) {
        item.fail("there is no column '" + item.text() + "'" + did_you_mean(item.text(), names));
      }
      space.extrinsic.push_back(item.text());
    }
  }
  if (document.contains("where")) {
    const auto where = root.member("where");
    if (document["where"].is_string()) {
      space.where.push_back(where.text());
    } else {
      for (const auto& item : where.items()) {
        space.where.push_back(item.text());
      }
    }
  }
  return space;
}

}  // namespace perfmodel
