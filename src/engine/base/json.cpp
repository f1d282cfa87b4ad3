#include "base/json.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <unordered_set>

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

/// "3:5", the line and the column of an offset.
std::string place_of(std::size_t offset, std::string_view bytes) {
  const std::string_view before = bytes.substr(0, offset);
  const auto line_start = before.rfind('\n');
  return fmt::format("{}:{}", 1 + std::count(before.begin(), before.end(), '\n'),
                     line_start == before.npos ? offset + 1 : offset - line_start);
}

/// Builds a document in linear time, which the parser with a callback does not: it searches the
/// open array after every item.
class DocumentBuilder {
 public:
  using Document = nlohmann::ordered_json;

  DocumentBuilder(const std::string& source, std::string_view bytes, bool is_line)
      : source_(source), bytes_(bytes), is_line_(is_line) {}

  Document build() && {
    Document::sax_parse(bytes_, this);
    return std::move(root_);
  }

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(std::int64_t value) { return add(value); }
  bool number_unsigned(std::uint64_t value) { return add(value); }
  bool number_float(double value, const std::string&) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(Document::binary_t&) { return false; }  // occurs in no text
  bool start_object(std::size_t) { return open(Document::object()); }
  bool start_array(std::size_t) { return open(Document::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    if (!open_.back().names.insert(name).second)
      throw InputError(fmt::format("{}: the field '{}' stands twice in one object", source_, name));
    name_ = std::move(name);
    return true;
  }

  template <class Exception>
  [[noreturn]] bool parse_error(std::size_t position, const std::string&, const Exception& error) {
    // "[json.exception.parse_error.101] parse error at line 3, column 5: syntax error while ..."
    // "[json.exception.out_of_range.406] number overflow parsing '1e999'"
    const std::string_view message = error.what();
    const bool is_overflow = error.id == 406;
    const std::string_view words = message.substr(message.find(is_overflow ? "] " : ": ") + 2);
    const std::size_t offset = std::min(position == 0 ? 0 : position - 1, bytes_.size());
    throw InputError(fmt::format("{}:{}: {}{}", source_,
                                 is_line_ ? std::to_string(offset + 1) : place_of(offset, bytes_),
                                 is_overflow ? "" : "not JSON: ", words));
  }

 private:
  struct Open {
    Document* node;
    std::unordered_set<std::string> names{};  ///< of the fields of an object
  };

  const std::string& source_;
  std::string_view bytes_;
  bool is_line_;
  Document root_;
  std::vector<Open> open_;
  std::string name_;  ///< of the field whose value follows

  Document& place(Document value) {
    if (open_.empty())
      return root_ = std::move(value);
    Document& parent = *open_.back().node;
    if (parent.is_array())
      return parent.emplace_back(std::move(value));
    // As a vector, since the map would search the name.
    auto& fields =
        static_cast<Document::object_t::Container&>(parent.get_ref<Document::object_t&>());
    return fields.emplace_back(std::move(name_), std::move(value)).second;
  }
  bool add(Document value) {
    place(std::move(value));
    return true;
  }
  bool open(Document value) {
    open_.push_back({&place(std::move(value))});
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }
};

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
  const bool is_old = found.starts_with("t = ");  // as older versions call every target
  if (found == expected || (is_old && expected.ends_with(found.substr(1))))
    return;
  const auto place = static_cast<std::size_t>(
      std::mismatch(found.begin(), found.end(), expected.begin(), expected.end()).first -
      found.begin());
  fail_contradiction(*node, fmt::format("{} contradicts the constants, which give {}",
                                        around(found, place), around(expected, place)));
}

JsonCursor JsonCursor::parse(std::string source, std::string_view bytes, bool is_line) {
  const auto document = std::make_shared<const nlohmann::ordered_json>(
      DocumentBuilder(source, bytes, is_line).build());
  return {document, std::move(source), *document, {}};
}

JsonCursor::JsonCursor(std::shared_ptr<const nlohmann::ordered_json> document, std::string source,
                       const nlohmann::ordered_json& node, std::string path)
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

std::vector<std::pair<std::string, JsonCursor>> JsonCursor::fields() const {
  if (!node_->is_object())
    fail("expected an object, not " + kind());
  std::vector<std::pair<std::string, JsonCursor>> out;
  for (const auto& [name, value] : node_->items())
    out.emplace_back(
        name, JsonCursor(document_, source_, value, path_.empty() ? name : path_ + "." + name));
  return out;
}

bool JsonCursor::is_null() const {
  return node_->is_null();
}

bool JsonCursor::is_text() const {
  return node_->is_string();
}

bool JsonCursor::is_number() const {
  return node_->is_number();
}

bool JsonCursor::is_array() const {
  return node_->is_array();
}

bool JsonCursor::is_object() const {
  return node_->is_object();
}

std::string JsonCursor::cell() const {
  if (is_null())
    return "";
  if (node_->is_number_float())
    return to_text(number());
  return is_number() || node_->is_boolean() ? node_->dump() : text();
}

std::string JsonCursor::kind() const {
  switch (node_->type()) {
    case nlohmann::ordered_json::value_t::null:
      return "null";
    case nlohmann::ordered_json::value_t::object:
      return "an object";
    case nlohmann::ordered_json::value_t::array:
      return "an array";
    case nlohmann::ordered_json::value_t::string:
      return "a text";
    case nlohmann::ordered_json::value_t::boolean:
      return "true or false";
    default:
      return "a number";
  }
}

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
