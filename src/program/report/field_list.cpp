#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/text.hpp"
#include "report/documents.hpp"

namespace perfmodel {

// The fields of a document for people, from its JSON schema.

namespace {

const Json* member(const Json& object, const std::string& name) {
  const auto found = std::ranges::find(object.names(), '"' + name + '"');
  return found == object.names().end() ? nullptr
                                       : &object.items()[to_size(found - object.names().begin())];
}

/// A text of the schema; empty if there is none.
std::string text_of(const Json* text) {
  return text == nullptr || text->is_structured()
             ? ""
             : JsonCursor::parse("schema", text->text()).text();
}

/// "list of number", "text or null"
std::string words_of(const Json& schema) {
  std::vector<std::string> words;
  const Json* const type = member(schema, "type");
  if (const Json* const names = member(schema, "enum")) {
    for (const Json& name : names->items())
      words.push_back(name.text());
  } else if (const Json* const choices = member(schema, "anyOf")) {
    for (const Json& choice : choices->items())
      if (const std::string word = words_of(choice); words.empty() || words.back() != word)
        words.push_back(word);
  } else if (type == nullptr) {
    words = {"anything"};
  } else if (type->is_array()) {
    for (const Json& each : type->items())
      words.push_back(words_of(Json{{"type", each}}));
  } else if (const Json* const values = member(schema, "additionalProperties")) {
    words = {words_of(*values) + " by name"};
  } else if (const Json* const items = member(schema, "items")) {
    words = {"list of " + words_of(*items)};
  } else {
    const std::string name = text_of(type);
    words = {name == "string" ? "text" : name};
  }
  return joined(words, " or ");
}

/// What stands in a list, or in place of null.
const Json& inner_of(const Json& schema) {
  const Json* const choices = member(schema, "anyOf");
  if (choices != nullptr && text_of(member(choices->items().back(), "type")) == "null")
    return inner_of(choices->items().front());
  const Json* const items = member(schema, "items");
  return items == nullptr ? schema : inner_of(*items);
}

/// A meaning without its Markdown; of a link to another page, the page stays.
std::string plain(std::string text) {
  std::ranges::replace(text, '`', '\'');
  for (std::size_t link = text.find("]("); link != std::string::npos; link = text.find("](")) {
    const std::size_t end = text.find(')', link);
    const std::string target = text.substr(link + 2, end - link - 2);
    const std::string page = target.substr(0, target.find('#'));
    text.replace(link, end + 1 - link, page.empty() ? "" : " (docs/" + page + ")");
    text.erase(text.rfind('[', link), 1);
  }
  return text;
}

std::string row(const std::string& path, const std::string& words, std::size_t words_begin = 36) {
  constexpr std::size_t width = 100;
  std::string out = "  " + path;
  if (out.size() + 1 > words_begin)
    out += "\n";
  out.resize(out.ends_with('\n') ? out.size() + words_begin : words_begin, ' ');
  return out +
         joined(lines_within(words, width - words_begin, 2), "\n" + std::string(words_begin, ' ')) +
         "\n";
}

class FieldList {
 public:
  /// Adds the fields of an object, whose paths begin with `prefix`.
  void add(const Json& object, const std::string& prefix = "");
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::map<std::string, std::string> places_;  ///< of each kind of object the first

  void add_field(const std::string& path, const Json& schema, bool is_optional);
  void descend(const Json& schema, const std::string& path);
  std::optional<std::string> earlier(const Json& object, const std::string& path);
};

void FieldList::add(const Json& object, const std::string& prefix) {
  const Json none = Json::object();
  const auto fields_in = [&](const char* name) -> const Json& {
    const Json* const found = member(object, name);
    return found == nullptr ? none : *found;
  };
  const Json& required = fields_in("required");
  const Json& properties = fields_in("properties");
  for (std::size_t k = 0; k < properties.names().size(); ++k) {
    const std::string& quoted = properties.names()[k];
    const std::string name = quoted.substr(1, quoted.size() - 2);
    if (!name.starts_with("schema"))
      add_field(prefix + name, properties.items()[k],
                std::ranges::none_of(required.items(),
                                     [&](const Json& each) { return each.text() == quoted; }));
  }
  for (const Json& schema : fields_in("patternProperties").items())
    add_field(prefix + text_of(member(schema, "title")), schema, false);
}

void FieldList::add_field(const std::string& path, const Json& schema, bool is_optional) {
  const std::string meaning = plain(text_of(member(schema, "description")));
  const std::optional<std::string> same = earlier(inner_of(schema), path);
  text_ += row(path, words_of(schema) + (is_optional ? ", optional" : "") +
                         (meaning.empty() ? "" : ": " + meaning) +
                         (same ? "; fields as of " + *same : ""));
  if (!same && member(inner_of(schema), "$schema") == nullptr)  // no document within a document
    descend(schema, path);
}

void FieldList::descend(const Json& schema, const std::string& path) {
  if (const Json* const choices = member(schema, "anyOf")) {
    for (const Json& choice : choices->items()) {
      const std::string title = text_of(member(choice, "title"));
      descend(choice, path + (title.empty() ? "" : "(" + title + ")"));
    }
  } else if (const Json* const items = member(schema, "items")) {
    descend(*items, path + "[]");
  } else if (const Json* const values = member(schema, "additionalProperties")) {
    descend(*values, path + ".*");
  } else {
    add(schema, path + ".");
  }
}

/// Where an object with the same fields was added; without one, this is its place.
std::optional<std::string> FieldList::earlier(const Json& object, const std::string& path) {
  constexpr std::size_t few = 2;  // these are sooner read than looked up
  const Json* const fields = member(object, "properties");
  const Json* const required = member(object, "required");
  if (fields == nullptr || required == nullptr || fields->items().size() <= few)
    return std::nullopt;
  const auto [place, is_new] = places_.emplace(line_text(*fields) + line_text(*required), path);
  return is_new ? std::nullopt : std::optional(place->second);
}

}  // namespace

std::string document_list() {
  std::string out;
  for (const auto& [name, schema] : json_schemas())
    out += row(name, text_of(member(schema, "title")), 16);
  return out;
}

std::string field_list(const Json& schema) {
  FieldList fields;
  fields.add(schema);
  std::string out = text_of(member(schema, "title")) + "\n\n" + fields.text();
  if (const Json* const others = member(schema, "$defs")) {
    FieldList line;
    line.add(*member(*others, "line"));
    out += "\nEach further line:\n\n" + line.text();
  }
  return out +
         "\nx[] is an item of a list, x.* a value named in the data; x(FORM) has the fields of "
         "that form.\n"
         "What several documents have in common: docs/json.md\n";
}

}  // namespace perfmodel
