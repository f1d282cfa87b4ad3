#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace perfmodel {

/// A value of a document that is written: an object, which keeps the order of its fields, a list,
/// or the text of anything else. nlohmann/json, which has all this, takes seconds to compile in
/// each of many files; only json_layout.cpp includes it, for what is quoted.
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

}  // namespace perfmodel
