#include "base/json.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "perfmodel/error.hpp"

namespace perfmodel {
namespace {

/// Processors differ in the last digits, which powers of a small part of the time amplify.
constexpr double kTolerance = 1e-6;

/// An excerpt of a formula that begins shortly before `place`.
std::string around(const std::string& formula, std::size_t place) {
  constexpr std::size_t before = 20;
  constexpr std::size_t longest = 60;
  const std::size_t begin = place > before ? place - before : 0;
  return fmt::format("{}{}{}", begin > 0 ? "..." : "", quoted_cell(formula.substr(begin, longest)),
                     formula.size() > begin + longest ? "..." : "");
}

}  // namespace

void fail_contradiction(const JsonCursor& node, const std::string& problem) {
  node.fail(problem + "; correct the one that is wrong, or remove this field");
}

void check_number(const JsonCursor& node, double expected, double scale) {
  const double found = node.number();
  if (std::abs(found - expected) > kTolerance * scale)
    fail_contradiction(node, fmt::format("{} contradicts the constants, which give {}",
                                         to_text(found), to_text(expected)));
}

void check_formula(const JsonCursor& parent, const std::string& expected) {
  const std::optional<JsonCursor> node = parent.optional_member("formula");
  if (!node)
    return;
  const std::string found = node->text();
  if (found == expected)
    return;
  const auto place = static_cast<std::size_t>(
      std::mismatch(found.begin(), found.end(), expected.begin(), expected.end()).first -
      found.begin());
  fail_contradiction(*node, fmt::format("{} contradicts the constants, which give {}",
                                        around(found, place), around(expected, place)));
}

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
        throw InputError(
            fmt::format("{}: the field '{}' stands twice in one object", source, name));
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
    throw InputError(fmt::format("{}:{}:{}: not JSON: {}", source, line, column,
                                 colon == message.npos ? message : message.substr(colon + 2)));
  } catch (const nlohmann::json::out_of_range& error) {
    // "[json.exception.out_of_range.406] number overflow parsing '1e999'"
    const std::string_view message = error.what();
    const auto bracket = message.find("] ");
    throw InputError(fmt::format("{}: {}", source,
                                 bracket == message.npos ? message : message.substr(bracket + 2)));
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
    throw InputError(fmt::format("{}: the field {} is missing", source_, path));
  return {document_, source_, *found, path};
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
  for (std::size_t i = 0; i < node_->size(); ++i)
    items.push_back(JsonCursor(document_, source_, (*node_)[i], fmt::format("{}[{}]", path_, i)));
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
  throw InputError(fmt::format("{}: {}{}{}", source_, path_, path_.empty() ? "" : ": ", what));
}

std::vector<std::string> JsonCursor::names() const {
  std::vector<std::string> out;
  if (node_->is_object())
    for (const auto& [name, value] : node_->items())
      out.push_back(name);
  return out;
}

bool JsonCursor::is_null() const {
  return node_->is_null();
}

bool JsonCursor::is_text() const {
  return node_->is_string();
}

bool JsonCursor::is_array() const {
  return node_->is_array();
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
namespace {

std::string quoted_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// "\"name\": " for a field, empty for an item of a list.
std::string head_of(const Json& node, std::size_t item) {
  return node.is_object() ? node.names()[item] + ": " : "";
}

std::string in_brackets(const Json& node, const std::string& items) {
  return node.is_object() ? "{" + items + "}" : "[" + items + "]";
}

std::string one_line(const Json& node) {
  if (!node.is_structured())
    return node.text();
  std::string text;
  for (std::size_t i = 0; i < node.items().size(); ++i)
    text += (i == 0 ? "" : ", ") + head_of(node, i) + one_line(node.items()[i]);
  return in_brackets(node, text);
}

/// Fills lines with the numbers of a long list.
std::string filled(const Json& numbers, std::size_t indentation, std::size_t line_length) {
  const std::string inner(indentation, ' ');
  std::string text;
  std::string line;
  for (const Json& item : numbers.items()) {
    if (!line.empty() && indentation + line.size() + item.text().size() + 3 > line_length) {
      text += inner + line + ",\n";
      line.clear();
    }
    line += (line.empty() ? "" : ", ") + item.text();
  }
  return text + inner + line;
}

std::string layout(const Json& node, std::size_t indentation, std::size_t used) {
  constexpr std::size_t line_length = 100;
  std::string line = one_line(node);
  const bool top = used == 0;
  const std::vector<Json>& items = node.items();
  if (items.empty() || (!top && used + line.size() < line_length))
    return line;
  const std::string inner(indentation + 2, ' ');
  std::string text;
  if (node.is_array() && std::ranges::all_of(items, &Json::is_number))
    text = filled(node, indentation + 2, line_length);
  else
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::string head = inner + head_of(node, i);
      text += (i == 0 ? "" : ",\n") + head + layout(items[i], indentation + 2, head.size());
    }
  return in_brackets(node, fmt::format("\n{}\n{:{}}", text, "", indentation));
}

}  // namespace

Json::Json(double value) : kind_(Kind::number), text_(to_text(value)) {}

Json::Json(std::string_view text) : kind_(Kind::string), text_(quoted_text(text)) {}

Json::Json(std::initializer_list<Json> items) : Json(array(items)) {
  if (!std::all_of(items.begin(), items.end(), [](const Json& item) { return item.is_field(); }))
    return;
  *this = object();
  for (const Json& field : items) {
    names_.push_back(field.items()[0].text_);
    own_items().push_back(field.items()[1]);
  }
}

Json Json::array(std::initializer_list<Json> items) {
  Json out;
  out.kind_ = Kind::array;
  out.items_ = std::make_shared<std::vector<Json>>(items);
  return out;
}

Json Json::object() {
  Json out;
  out.kind_ = Kind::object;
  return out;
}

bool Json::is_field() const {
  return is_array() && items().size() == 2 && items()[0].kind_ == Kind::string;
}

const std::vector<Json>& Json::items() const {
  static const std::vector<Json> none;
  return items_ ? *items_ : none;
}

std::vector<Json>& Json::own_items() {
  if (!items_ || items_.use_count() > 1)
    items_ = std::make_shared<std::vector<Json>>(items());
  return *items_;
}

Json& Json::operator[](const std::string& name) {
  kind_ = Kind::object;
  const std::string quoted = quoted_text(name);
  const auto found = std::find(names_.begin(), names_.end(), quoted);
  if (found != names_.end())
    return own_items()[static_cast<std::size_t>(found - names_.begin())];
  names_.push_back(quoted);
  return own_items().emplace_back();
}

void Json::push_back(Json item) {
  kind_ = Kind::array;
  own_items().push_back(std::move(item));
}

Json number(double value) {
  if (!std::isfinite(value)) {
    throw InputError(
        "the result holds figures that are too large for a number; write the times and the "
        "columns in units in which they are nearer to 1");
  }
  return value + 0.0;  // no negative zero: its text, -0, would read back as the integer 0
}

Json finite(double value) {
  return std::isfinite(value) ? number(value) : Json();
}

std::string document_text(const Json& document) {
  return layout(document, 0, 0) + "\n";
}

std::string line_text(const Json& document) {
  return one_line(document) + "\n";
}

}  // namespace perfmodel
