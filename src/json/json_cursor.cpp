#include "json/json_cursor.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

nlohmann::json parsed(const std::string& source, std::string_view bytes) {
  std::vector<std::vector<std::string>> names_of_open_objects;
  const auto refuse_repeated_names = [&](int, nlohmann::json::parse_event_t event,
                                         nlohmann::json& parsed) {
    using Event = nlohmann::json::parse_event_t;
    if (event == Event::object_start) {
      names_of_open_objects.emplace_back();
    } else if (event == Event::object_end) {
      names_of_open_objects.pop_back();
    } else if (event == Event::key) {
      auto& names = names_of_open_objects.back();
      auto name = parsed.get<std::string>();
      if (std::find(names.begin(), names.end(), name) != names.end())
        throw InputError(source + ": the field '" + name + "' stands twice in one object");
      names.push_back(std::move(name));
    }
    return true;
  };
  try {
    return nlohmann::json::parse(bytes, refuse_repeated_names);
  } catch (const nlohmann::json::parse_error& error) {
    // "[json.exception.parse_error.101] parse error at line 3, column 5: syntax error while ..."
    const std::string_view message = error.what();
    const auto colon = message.find(": ");
    const std::size_t offset = std::min(error.byte == 0 ? 0 : error.byte - 1, bytes.size());
    const std::string_view before = bytes.substr(0, offset);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto line_start = before.rfind('\n');
    const auto column = line_start == std::string_view::npos ? offset + 1 : offset - line_start;
    throw InputError(
        source + ":" + std::to_string(line) + ":" + std::to_string(column) + ": not JSON: " +
        std::string(colon == std::string_view::npos ? message : message.substr(colon + 2)));
  } catch (const nlohmann::json::out_of_range& error) {
    // "[json.exception.out_of_range.406] number overflow parsing '1e999'"
    const std::string_view message = error.what();
    const auto bracket = message.find("] ");
    throw InputError(
        source + ": " +
        std::string(bracket == std::string_view::npos ? message : message.substr(bracket + 2)));
  }
}

}  // namespace

JsonCursor JsonCursor::parse(std::string source, std::string_view bytes) {
  const auto document = std::make_shared<const nlohmann::json>(parsed(source, bytes));
  return {document, std::move(source), *document, {}};
}

JsonCursor::JsonCursor(std::shared_ptr<const nlohmann::json> document, std::string source,
                       const nlohmann::json& node, std::string path)
    : document_(std::move(document)),
      source_(std::move(source)),
      node_(&node),
      path_(std::move(path)) {}

JsonCursor JsonCursor::member(const std::string& name) const {
  const std::string path = path_.empty() ? name : path_ + "." + name;
  if (!node_->is_object())
    fail("expected an object, not " + kind());
  const auto found = node_->find(name);
  if (found == node_->end())
    throw InputError(source_ + ": the field " + path + " is missing");
  return {document_, source_, *found, path};
}

std::optional<JsonCursor> JsonCursor::nullable_member(const std::string& name) const {
  auto found = member(name);
  return found.node_->is_null() ? std::nullopt : std::optional(std::move(found));
}

std::optional<JsonCursor> JsonCursor::optional_member(const std::string& name) const {
  if (node_->is_object() && !node_->contains(name))
    return std::nullopt;
  return member(name);
}

std::vector<JsonCursor> JsonCursor::items() const {
  if (!node_->is_array())
    fail("expected an array, not " + kind());
  std::vector<JsonCursor> items;
  for (std::size_t i = 0; i < node_->size(); ++i) {
    items.push_back(
        JsonCursor(document_, source_, (*node_)[i], path_ + "[" + std::to_string(i) + "]"));
  }
  return items;
}

std::string JsonCursor::text() const {
  if (!node_->is_string())
    fail("expected a text, not " + kind());
  return node_->get<std::string>();
}

std::string JsonCursor::name() const {
  std::string name = text();
  if (name.empty())
    fail("expected a name, not an empty text");
  return name;
}

double JsonCursor::number() const {
  if (!node_->is_number())
    fail("expected a number, not " + kind());
  return node_->get<double>();
}

bool JsonCursor::boolean() const {
  if (!node_->is_boolean())
    fail("expected true or false, not " + kind());
  return node_->get<bool>();
}

std::uint64_t JsonCursor::count() const {
  if (!node_->is_number_unsigned())
    fail("expected a whole number >= 0, not " + (node_->is_number() ? node_->dump() : kind()));
  return node_->get<std::uint64_t>();
}

void JsonCursor::fail(const std::string& what) const {
  throw InputError(source_ + ": " + (path_.empty() ? "" : path_ + ": ") + what);
}

std::vector<std::string> JsonCursor::names() const {
  std::vector<std::string> out;
  if (node_->is_object())
    for (const auto& [name, value] : node_->items())
      out.push_back(name);
  return out;
}

bool JsonCursor::is_boolean() const {
  return node_->is_boolean();
}

bool JsonCursor::is_text() const {
  return node_->is_string();
}

std::string JsonCursor::kind() const {
  switch (node_->type()) {
    case nlohmann::json::value_t::null:
      return "null";
    case nlohmann::json::value_t::object:
      return "an object";
    case nlohmann::json::value_t::array:
      return "an array";
    case nlohmann::json::value_t::string:
      return "a text";
    case nlohmann::json::value_t::boolean:
      return "true or false";
    default:
      return "a number";
  }
}
}  // namespace perfmodel
