#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perfmodel {

/// A value in a JSON document that knows its path, so that every error (an InputError) can name it:
/// "model.json: constants.extrinsic[0].q: expected a number, not null".
class JsonCursor {
 public:
  /// Parses a whole document. Errors name line and column of invalid JSON, numbers too large for a
  /// double and fields that occur twice in an object. `is_line`: the bytes are a line of a file and
  /// `source` is its place, "runs.jsonl:7", so that errors of invalid JSON add only the column.
  static JsonCursor parse(std::string source, std::string_view bytes, bool is_line = false);

  JsonCursor member(const std::string& name) const;
  /// Empty if the object has no such field.
  std::optional<JsonCursor> optional_member(const std::string& name) const;
  std::vector<JsonCursor> items() const;
  std::vector<std::string> names() const;  ///< names of the fields of an object, else empty
  /// The fields of an object in the order of the document.
  std::vector<std::pair<std::string, JsonCursor>> fields() const;

  bool is_null() const;
  bool is_text() const;
  bool is_number() const;
  bool is_array() const;
  bool is_object() const;
  /// A number, truth value or text as the cell of a table, which is blank for null.
  std::string cell() const;
  std::string text() const;
  std::string name() const;  ///< a text that is not empty
  double number() const;
  bool boolean() const;
  std::uint64_t count() const;

  [[noreturn]] void fail(const std::string& what) const;

 private:
  std::shared_ptr<const nlohmann::ordered_json> document_;
  std::string source_;
  const nlohmann::ordered_json* node_;
  std::string path_;

  JsonCursor(std::shared_ptr<const nlohmann::ordered_json> document, std::string source,
             const nlohmann::ordered_json& node, std::string path);
  std::string kind() const;
};

// Redundant fields of a document must agree with the numbers that they were computed from. They are
// not used, but whoever edits the numbers alone would leave a contradictory file. The checks throw
// InputError, which names the field.

/// Throws an error about a redundant field, with the advice to correct or remove it.
[[noreturn]] void fail_contradiction(const JsonCursor& node, const std::string& problem);

/// Checks that a number equals `expected` within a tolerance relative to `scale`; if `expected` is
/// nan, nothing is checked.
void check_number(const JsonCursor& node, double expected, double scale);

/// Checks the text in the field `formula`, if there is one.
void check_formula(const JsonCursor& parent, const std::string& expected);

/// A value of a document to be written: an object, which keeps the order of its fields, a list, or
/// a scalar as its text. nlohmann/json can do all this, but takes seconds to compile in each of
/// many files; only json.cpp includes it, for quoting.
class Json {
 public:
  Json() : text_("null") {}
  Json(std::nullptr_t) : Json() {}
  Json(bool value) : text_(value ? "true" : "false") {}
  Json(double value);
  template <std::integral Integer>
  Json(Integer value) : kind_(Kind::number), text_(std::to_string(value)) {}
  /// Invalid UTF-8, as in names of files, is replaced.
  Json(std::string_view text);
  Json(const std::string& text) : Json(std::string_view(text)) {}
  Json(const char* text) : Json(std::string_view(text)) {}
  template <class Value>
  Json(const std::vector<Value>& values)
      : kind_(Kind::array),
        items_(std::make_shared<std::vector<Json>>(values.begin(), values.end())) {}
  /// An object if each item is a pair of a name and a value, else a list.
  Json(std::initializer_list<Json> items);

  static Json array(std::initializer_list<Json> items = {});
  static Json object();

  /// The field of this name, created if missing; null becomes an object.
  Json& operator[](const std::string& name);
  void push_back(Json item);

  bool is_number() const { return kind_ == Kind::number; }
  bool is_array() const { return kind_ == Kind::array; }
  bool is_object() const { return kind_ == Kind::object; }
  bool is_structured() const { return is_array() || is_object(); }

  const std::string& text() const { return text_; }  ///< of a scalar, as it is written
  const std::vector<std::string>& names() const { return names_; }  ///< quoted names of fields
  const std::vector<Json>& items() const;

 private:
  enum class Kind { literal, number, string, array, object };
  Kind kind_ = Kind::literal;
  std::string text_;
  std::vector<std::string> names_;
  /// Shared between copies until one changes, as braces make many copies. Null: no items.
  std::shared_ptr<std::vector<Json>> items_;

  bool is_field() const;
  std::vector<Json>& own_items();
};

/// A number of a document. JSON has no representation of infinity and nan, for which InputError is
/// thrown: only data far from 1 lead there.
Json number(double value);

/// A number, or null if it is not finite, for results that may legitimately be undefined.
Json finite(double value);

/// The document with each value on one line if it fits into 100 columns, else indented.
std::string document_text(const Json& document);

/// The whole document on one line, with a final newline.
std::string line_text(const Json& document);

}  // namespace perfmodel
