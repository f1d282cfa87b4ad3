#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace perfmodel {

/// A place in a JSON document that knows its path, so that every complaint can name it:
/// "model.json: constants.extrinsic[0].q: expected a number, not null". Complaints are InputErrors.
class JsonCursor {
 public:
  /// The whole of the document in `bytes`, which lives as long as any place in it. Complains with
  /// line and column of what is not JSON, of a number too large for a double and of a field that
  /// stands twice in its object.
  static JsonCursor parse(std::string source, std::string_view bytes);

  JsonCursor member(const std::string& name) const;
  /// Nothing where the field is null.
  std::optional<JsonCursor> nullable_member(const std::string& name) const;
  /// Nothing where the object has no such field.
  std::optional<JsonCursor> optional_member(const std::string& name) const;
  std::vector<JsonCursor> items() const;
  std::vector<std::string> names() const;  ///< of the fields of an object; none of anything else

  bool is_text() const;
  bool is_boolean() const;
  std::string text() const;
  std::string name() const;  ///< a text that is not empty
  double number() const;
  bool boolean() const;
  std::uint64_t count() const;

  [[noreturn]] void fail(const std::string& what) const;

 private:
  std::shared_ptr<const nlohmann::json> document_;
  std::string source_;
  const nlohmann::json* node_;
  std::string path_;

  JsonCursor(std::shared_ptr<const nlohmann::json> document, std::string source,
             const nlohmann::json& node, std::string path);
  std::string kind() const;
};

// What a document says beside the numbers it is computed from has to agree with them: nothing is
// computed from these fields, so that one who edits the numbers alone would leave a file that says
// two things. All throw InputError, which names the field.

/// What an error about such a field ends with.
extern const std::string correct_or_remove;

/// A number as large as `scale` says; where it cannot be computed nothing contradicts it.
void check_number(const JsonCursor& node, double expected, double scale);

/// The text in the field `formula`; a field that is missing contradicts nothing.
void check_formula(const JsonCursor& parent, const std::string& expected);

/// A value of a document that is written: an object, which keeps the order of its fields, a list,
/// or the text of anything else. nlohmann/json, which has all this, takes seconds to compile in
/// each of many files; only json.cpp includes it, for what is quoted.
class Json {
 public:
  Json() : text_("null") {}
  Json(std::nullptr_t) : Json() {}
  Json(bool value) : text_(value ? "true" : "false") {}
  Json(double value);
  template <std::integral Integer>
  Json(Integer value) : kind_(Kind::number), text_(std::to_string(value)) {}
  /// A name of a file need not be UTF-8; a document is.
  Json(std::string_view text);
  Json(const std::string& text) : Json(std::string_view(text)) {}
  Json(const char* text) : Json(std::string_view(text)) {}
  template <class Value>
  Json(const std::vector<Value>& values)
      : kind_(Kind::array),
        items_(std::make_shared<std::vector<Json>>(values.begin(), values.end())) {}
  /// An object where each is a pair of a name and a value, else a list.
  Json(std::initializer_list<Json> items);

  static Json array(std::initializer_list<Json> items = {});
  static Json object();

  /// The field of this name, made where there is none; null becomes an object.
  Json& operator[](const std::string& name);
  Json& operator[](std::size_t index) { return own_items()[index]; }
  void push_back(Json item);
  void erase(const std::string& name);

  bool is_number() const { return kind_ == Kind::number; }
  bool is_array() const { return kind_ == Kind::array; }
  bool is_object() const { return kind_ == Kind::object; }
  bool is_structured() const { return is_array() || is_object(); }

  const std::string& text() const { return text_; }  ///< of a scalar, as it is written
  const std::vector<std::string>& names() const { return names_; }  ///< of an object, quoted
  const std::vector<Json>& items() const;

 private:
  enum class Kind { literal, number, string, array, object };
  Kind kind_ = Kind::literal;
  std::string text_;
  std::vector<std::string> names_;
  /// Shared between copies, which braces make many of, until one changes; null where there are
  /// none.
  std::shared_ptr<std::vector<Json>> items_;

  bool is_field() const;
  std::vector<Json>& own_items();
};

/// A value for a document. JSON has none for what is not finite. Throws InputError for that: only
/// data far from 1 lead there.
Json number(double value);

/// The same, null where it is not finite: of documents that say what was computed.
Json finite(double value);

/// What fits into a line of 100 stands on one; the rest is indented. Good to read and to compare.
std::string document_text(const Json& document);

/// The whole document on one line, with a newline at its end.
std::string line_text(const Json& document);

/// One document of a file that has one per line.
struct JsonLine {
  std::size_t number = 0;  ///< from 1
  std::string_view text;   ///< without its newline
};

struct JsonLines {
  std::vector<JsonLine> lines;  ///< whole ones
  std::string_view torn;        ///< what stands behind the last newline: a write that was cut short
};

/// The lines of `bytes`, which live as long as any of them; whether they are JSON, nobody looks.
JsonLines json_lines(std::string_view bytes);

}  // namespace perfmodel
