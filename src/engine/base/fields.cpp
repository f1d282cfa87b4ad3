#include "base/fields.hpp"

#include <fmt/core.h>
#include <cmath>

namespace perfmodel {
namespace fields {

Json schema_of_type(const Json& type) {
  return Json{{"type", type}};
}

Json or_null(Json schema) {
  return Json{{"anyOf", Json::array({std::move(schema), schema_of_type("null")})}};
}

Json list_of(Json item) {
  return {{"type", "array"}, {"items", std::move(item)}};
}

Json map_of(Json value) {
  return {{"type", "object"}, {"additionalProperties", std::move(value)}};
}

Json named_or_map(Json object) {
  return object["properties"].items().empty()
             ? map_of(schema_of_type(Json::array({"number", "string"})))
             : object;
}

}  // namespace fields

namespace {

bool allows(const FieldRule& rule, double value) {
  return rule.open ? value > rule.low && value < rule.high
                   : value >= rule.low && value <= rule.high;
}

/// "a number > 0", "a number from 0 to 1"
std::string allowed_text(const FieldRule& rule) {
  const std::string low = to_text(rule.low);
  const std::string high = to_text(rule.high);
  if (!std::isfinite(rule.high))
    return fmt::format("a number {} {}", rule.open ? ">" : ">=", low);
  return rule.open ? fmt::format("a number between {} and {}", low, high)
                   : fmt::format("a number from {} to {}", low, high);
}

}  // namespace

Fields Fields::to_describe(const void* context) {
  Fields out(context);
  out.describes_ = true;
  out.object_ = {{"type", "object"}, {"properties", Json::object()}, {"required", Json::array()}};
  return out;
}

void Fields::document(const std::string& schema, const std::string& title, std::uint64_t version,
                      std::uint64_t newest, const std::string& noun) {
  if (describes_) {
    object_["$schema"] = "https://json-schema.org/draft/2020-12/schema";
    object_["title"] = title;
    add_to_schema("schema", Json{{"const", schema}}, "", {});
    add_to_schema("schema_version", fields::schema_of_type("integer"), "",
                  {.low = 1, .high = static_cast<double>(newest)});
  } else if (writes()) {
    object_["schema"] = schema;
    object_["schema_version"] = version;
  } else {
    const JsonCursor name = *place_of("schema", {});
    if (name.text() != schema)
      name.fail(fmt::format("'{}' is not '{}'{}{}", name.text(), schema,
                            noun.empty() ? "" : ": this is not a ", noun));
    const JsonCursor found = *place_of("schema_version", {});
    if (found.count() == 0)
      found.fail("there is no version 0");
    if (found.count() > newest)
      found.fail(fmt::format("{} is newer than this program can read ({}); use a newer perfmodel{}",
                             found.count(), newest,
                             noun == "model file" ? ", or fit the model again with this one" : ""));
  }
}

void Fields::refuse_unknown() const {
  for (const std::string& name : node_->names())
    if (!contains(asked_, name))
      fail(fmt::format("unknown field '{}'{}", name, did_you_mean_one_of(name, asked_)));
}

std::optional<JsonCursor> Fields::place_of(const std::string& name, const FieldRule& rule) {
  asked_.push_back(name);
  if (!rule.stands)
    return std::nullopt;
  return rule.may_lack ? node_->optional_member(name) : std::optional(node_->member(name));
}

double Fields::number_at(const JsonCursor& node, const FieldRule& rule) {
  const double value = node.number();
  if (!allows(rule, value))
    node.fail("expected " + allowed_text(rule));
  return value;
}

void Fields::add_to_schema(const std::string& name, Json schema, const std::string& meaning,
                           const FieldRule& rule) {
  if (!meaning.empty())
    schema["description"] = meaning;
  if (std::isfinite(rule.low))
    schema[rule.open ? "exclusiveMinimum" : "minimum"] = rule.low;
  if (std::isfinite(rule.high))
    schema[rule.open ? "exclusiveMaximum" : "maximum"] = rule.high;
  if (rule.is_name)
    schema["minLength"] = 1;
  if (const std::size_t open = name.find('<'); open != std::string::npos) {
    schema["title"] = name;  // <...> stands for a name from the data
    object_["patternProperties"]["^" + name.substr(0, open)] = std::move(schema);
    return;
  }
  object_["properties"][name] = std::move(schema);
  if (rule.stands_always)
    object_["required"].push_back(name);
}

void Either::read(const JsonCursor& node) const {
  value = node.text() == yes;
  if (!value && node.text() != no)
    node.fail(not_one_of(node.text(), std::vector<std::string>{no, yes}));
}

Json OrNull::schema() {
  return fields::schema_of_type(Json::array({"number", "null"}));
}

void Ends::read(const JsonCursor& node) {
  const std::vector<JsonCursor> ends = node.items();
  if (ends.size() != 2)
    node.fail("expected two numbers, the lowest and the highest value");
  low = ends[0].number();
  high = ends[1].number();
}

Json Ends::schema() {
  Json out = fields::list_of(fields::schema_of_type("number"));
  out["minItems"] = 2;
  out["maxItems"] = 2;
  return out;
}

}  // namespace perfmodel
