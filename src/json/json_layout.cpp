#include "json/json_layout.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

std::string quoted_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// "\"name\": " of a field, nothing of an item of a list.
std::string head_of(const Json& node, std::size_t item) {
  return node.is_object() ? node.names()[item] + ": " : "";
}

std::string one_line(const Json& node) {
  if (!node.is_structured())
    return node.text();
  std::string text;
  for (std::size_t i = 0; i < node.items().size(); ++i)
    text += (i == 0 ? "" : ", ") + head_of(node, i) + one_line(node.items()[i]);
  return node.is_object() ? "{" + text + "}" : "[" + text + "]";
}

/// Long lists of numbers fill their lines.
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
  if (node.is_array() &&
      std::all_of(items.begin(), items.end(), [](const Json& item) { return item.is_number(); })) {
    return "[\n" + filled(node, indentation + 2, line_length) + "\n" +
           std::string(indentation, ' ') + "]";
  }
  const std::string inner(indentation + 2, ' ');
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string head = inner + head_of(node, i);
    text += (i == 0 ? "" : ",\n") + head + layout(items[i], indentation + 2, head.size());
  }
  const std::string outer(indentation, ' ');
  return node.is_object() ? "{\n" + text + "\n" + outer + "}" : "[\n" + text + "\n" + outer + "]";
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

void Json::erase(const std::string& name) {
  const auto found = std::find(names_.begin(), names_.end(), quoted_text(name));
  if (found == names_.end())
    return;
  own_items().erase(own_items().begin() + (found - names_.begin()));
  names_.erase(found);
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
