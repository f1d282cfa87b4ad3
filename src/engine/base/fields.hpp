#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/json.hpp"
#include "base/text.hpp"
#include "perfmodel/error.hpp"

namespace perfmodel {

// One description of a struct provides its JSON writer, its reader, its JSON schema and, through
// the schema, what `perfmodel help json` lists:
//
//     void describe(Fields& f, NoiseFloor& x) {
//       f("rows", x.rows, "that share their configuration with another");
//       f("mape_percent", x.mape_percent, "mean |t - m| / t in percent", kNotNegative);
//     }

/// Rule of a field, besides its type. Rules are combined by |.
struct FieldRule {
  bool stands = true;          ///< whether this object has the field
  bool stands_always = true;   ///< whether all objects of its kind have it
  bool may_lack = false;       ///< a file without the field is valid
  bool only_nonempty = false;  ///< not written if the value is empty
  bool is_name = false;        ///< a text that is not empty
  double low = -std::numeric_limits<double>::infinity();  ///< of a number
  double high = std::numeric_limits<double>::infinity();
  bool open = false;  ///< low and high themselves are not allowed

  constexpr FieldRule operator|(const FieldRule& other) const {
    return {stands && other.stands,     stands_always && other.stands_always,
            may_lack || other.may_lack, only_nonempty || other.only_nonempty,
            is_name || other.is_name,   std::max(low, other.low),
            std::min(high, other.high), open || other.open};
  }
};

/// An optional value, list or text that is only written if it is not empty.
inline constexpr FieldRule kSparse{.stands_always = false, .may_lack = true, .only_nonempty = true};
/// Always written, but missing in documents of older versions, which leave the value unchanged.
inline constexpr FieldRule kNewer{.stands_always = false, .may_lack = true};
inline constexpr FieldRule kName{.is_name = true};
inline constexpr FieldRule kPositive{.low = 0, .open = true};
inline constexpr FieldRule kNotNegative{.low = 0};
inline constexpr FieldRule kShare{.low = 0, .high = 1};
inline constexpr FieldRule kInnerShare{.low = 0, .high = 1, .open = true};

/// Some of the objects have the field; this one if `stands`, and then it is required.
constexpr FieldRule only_if(bool stands) {
  return {.stands = stands, .stands_always = false};
}

class Fields;

/// An object whose field names are data, in their order.
template <class T>
using ByName = std::vector<std::pair<std::string, T>>;

namespace fields {

/// A type that defines its own JSON, schema and, optionally, read().
template <class T>
concept View = requires(const T value) {
  { value.json() } -> std::same_as<Json>;
  { value.schema() } -> std::same_as<Json>;
};

template <class T>
concept Enumeration = requires {
  texts_of(T{});
};

template <class T>
concept Struct = requires(Fields& f, T& value) {
  describe(f, value);
};

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_map = false;
template <class T>
inline constexpr bool is_map<ByName<T>> = true;
template <class T>
inline constexpr bool is_array = false;
template <class T, std::size_t n>
inline constexpr bool is_array<std::array<T, n>> = true;

/// {"type": type}
Json schema_of_type(const Json& type);
/// The schema of a value or null.
Json or_null(Json schema);
Json list_of(Json item);
/// An object with fields of any name.
Json map_of(Json value);
/// The object; if it has no fields, one of numbers and texts whose names are data.
Json named_or_map(Json object);

}  // namespace fields

/// An object of a document that is written, read, or described by its schema.
///
/// Const and temporary values are derived from others: they are written, but not read. An empty
/// optional value is written as null, unless a rule omits its field.
class Fields {
 public:
  /// Writes a new object.
  explicit Fields(const void* context = nullptr) : context_(context) {}
  /// Reads the object at this place.
  explicit Fields(JsonCursor node, const void* context = nullptr)
      : context_(context), node_(std::move(node)) {}
  static Fields to_describe(const void* context);

  bool writes() const { return !node_ && !describes_; }
  bool reads() const { return node_.has_value(); }

  /// One field; `meaning` is for people, in Markdown. Throws InputError with the path of an invalid
  /// value.
  template <class Value>
  void operator()(const std::string& name, Value&& value, const std::string& meaning = {},
                  const FieldRule& rule = {}) {
    using T = std::remove_cvref_t<Value>;
    if (describes_) {
      if constexpr (fields::is_optional<T>) {
        if (rule.only_nonempty)  // such a field is never null
          return add_to_schema(name, schema_of<typename T::value_type>(), meaning, rule);
      }
      if constexpr (fields::View<T>)
        add_to_schema(name, value.schema(), meaning, rule);
      else
        add_to_schema(name, schema_of<T>(), meaning, rule);
    } else if (writes()) {
      if (rule.stands && !(rule.only_nonempty && is_empty(value)))
        object_[name] = json_of(value);
    } else if constexpr (!std::is_const_v<std::remove_reference_t<Value>> &&
                         (std::is_lvalue_reference_v<Value> || fields::View<T>)) {
      if (const std::optional<JsonCursor> node = place_of(name, rule)) {
        if constexpr (fields::is_optional<T>) {
          if (rule.only_nonempty)
            return read(*node, value.emplace(), rule);
        }
        read(*node, value, rule);
      }
    }
  }

  /// A field that is an object without a type of its own, described by `inner`.
  template <class Describe>
  void object(const std::string& name, const std::string& meaning, const FieldRule& rule,
              const Describe& inner) {
    (*this)(name, Object<Describe>{inner, context_}, meaning, rule);
  }
  template <class Describe>
  void object(const std::string& name, const std::string& meaning, const Describe& inner) {
    object(name, meaning, {}, inner);
  }

  /// A field that is a list of objects; `inner` describes each, given its index. Const lists are
  /// not read, and a default item stands for theirs in the schema.
  template <class Items, class Describe>
  void list(const std::string& name, Items& items, const std::string& meaning,
            const Describe& inner, const FieldRule& rule = {}) {
    if constexpr (!std::is_const_v<Items>)
      if (!writes())
        items.resize(describes_             ? 1
                     : place_of(name, rule) ? node_->member(name).items().size()
                                            : 0);
    (*this)(name, Objects<Items, Describe>{items, inner, context_}, meaning, rule);
  }

  /// The value in `optional`, whose fields are among those of this object, and the rule that they
  /// stand only if there is one. `telltale`: a field by which a reader recognises them.
  template <class T>
  std::pair<T&, FieldRule> part(std::optional<T>& optional, const std::string& telltale) {
    static T none{};  // in place of a missing value, which is neither written nor read
    if (describes_ || (reads() && has(telltale)))
      optional.emplace();
    return {optional ? *optional : none, only_if(optional.has_value())};
  }

  /// The fields `schema` and `schema_version`. Throws InputError if the document read is of another
  /// kind (not a `noun`) or newer than `newest`.
  void document(const std::string& schema, const std::string& title, std::uint64_t version = 1,
                std::uint64_t newest = 1, const std::string& noun = {});

  // If the object is read.
  bool has(const std::string& name) const { return node_->optional_member(name).has_value(); }
  const JsonCursor& node() const { return *node_; }
  [[noreturn]] void fail(const std::string& what) const { node_->fail(what); }
  /// Throws InputError if the object has a field that was not read before.
  void refuse_unknown() const;

  /// An object that descriptions of parts need; it must outlive this one.
  void set_context(const void* context) { context_ = context; }
  template <class T>
  const T& context() const {
    return *static_cast<const T*>(context_);
  }

  const Json& json() const { return object_; }  ///< the object written, or its schema

  template <class T>
  Json json_of(const T& value) const {
    if constexpr (fields::View<T>)
      return value.json();
    else if constexpr (fields::Enumeration<T>)
      return to_text(value);
    else if constexpr (fields::Struct<T> || fields::Struct<const T>)
      return described(value);
    else if constexpr (fields::is_optional<T>)
      return value ? json_of(*value) : Json();
    else if constexpr (std::same_as<T, std::variant<double, std::string>>)
      return std::visit([this](const auto& held) { return json_of(held); }, value);
    else if constexpr (std::same_as<T, double>)
      return number(value);
    else if constexpr (std::same_as<T, Json> || std::same_as<T, bool> || std::integral<T> ||
                       std::convertible_to<T, std::string_view>)
      return value;
    else if constexpr (fields::is_map<T>)
      return json_of_map(value);
    else
      return json_of_list(value);
  }

  template <class T>
  void read(const JsonCursor& node, T& value, const FieldRule& rule = {}) const {
    if constexpr (fields::View<T>) {
      if constexpr (requires { value.read(node); })
        value.read(node);
    } else if constexpr (fields::Enumeration<T>) {
      value = read_enumerator<T>(node);
    } else if constexpr (fields::Struct<T>) {
      Fields f(node, context_);
      describe(f, value);
    } else if constexpr (fields::is_optional<T>) {
      if (node.is_null())
        value.reset();
      else
        read(node, value.emplace(), rule);
    } else if constexpr (std::same_as<T, std::variant<double, std::string>>) {
      if (node.is_text())
        value = node.text();
      else
        value = node.number();
    } else if constexpr (std::same_as<T, std::string>) {
      value = rule.is_name ? node.name() : node.text();
    } else if constexpr (std::same_as<T, double>) {
      value = number_at(node, rule);
    } else if constexpr (std::same_as<T, bool>) {
      value = node.boolean();
    } else if constexpr (std::integral<T>) {
      value = static_cast<T>(node.count());
    } else if constexpr (fields::is_map<T>) {
      for (const std::string& name : node.names())
        read(node.member(name),
             value.emplace_back(name, typename T::value_type::second_type{}).second, rule);
    } else {
      read_list(node, value, rule);
    }
  }

  template <class T>
  Json schema_of() const {
    if constexpr (fields::View<T>) {
      return T::schema();
    } else if constexpr (fields::Enumeration<T>) {
      Json names = Json::array();
      for (const auto& [enumerator, text] : texts_of(T{}))
        names.push_back(text);
      return Json{{"enum", names}};
    } else if constexpr (fields::Struct<T> || fields::Struct<const T>) {
      Fields f = to_describe(context_);
      T sample{};
      describe(f, sample);
      return f.object_;
    } else if constexpr (fields::is_optional<T>) {
      return fields::or_null(schema_of<typename T::value_type>());
    } else if constexpr (std::same_as<T, std::variant<double, std::string>>) {
      return fields::schema_of_type(Json::array({"number", "string"}));
    } else if constexpr (std::same_as<T, double>) {
      return fields::schema_of_type("number");
    } else if constexpr (std::same_as<T, bool>) {
      return fields::schema_of_type("boolean");
    } else if constexpr (std::integral<T>) {
      return Json{{"type", "integer"}, {"minimum", 0}};
    } else if constexpr (std::same_as<T, Json>) {
      return Json::object();
    } else if constexpr (std::convertible_to<T, std::string_view>) {
      return fields::schema_of_type("string");
    } else if constexpr (fields::is_map<T>) {
      return fields::map_of(schema_of<typename T::value_type::second_type>());
    } else {
      return fields::list_of(schema_of<typename T::value_type>());
    }
  }

 private:
  template <class Describe>
  struct Object {
    const Describe& inner;
    const void* context;

    Json json() const { return through(Fields(context)); }
    void read(const JsonCursor& node) const { through(Fields(node, context)); }
    Json schema() const { return fields::named_or_map(through(to_describe(context))); }
    Json through(Fields f) const {
      inner(f);
      return f.object_;
    }
  };

  template <class Items, class Describe>
  struct Objects {
    Items& items;
    const Describe& inner;
    const void* context;

    Json json() const {
      Json out = Json::array();
      for (std::size_t k = 0; k < items.size(); ++k)
        out.push_back(through(Fields(context), items[k], k));
      return out;
    }
    void read(const JsonCursor& node) const requires(!std::is_const_v<Items>) {
      const std::vector<JsonCursor> nodes = node.items();
      for (std::size_t k = 0; k < nodes.size(); ++k)
        through(Fields(nodes[k], context), items[k], k);
    }
    Json schema() const {
      if constexpr (std::is_const_v<Items>)
        return fields::list_of(through(to_describe(context), typename Items::value_type{}, 0));
      else
        return fields::list_of(through(to_describe(context), items[0], 0));
    }
    template <class Item>
    Json through(Fields f, Item&& item, std::size_t k) const {
      inner(f, item, k);
      return f.object_;
    }
  };

  const void* context_;
  std::optional<JsonCursor> node_;  ///< if the object is read
  bool describes_ = false;
  Json object_ = Json::object();
  std::vector<std::string> asked_;  ///< names of the fields read

  template <class T>
  static bool is_empty(const T& value) {
    if constexpr (fields::is_optional<T>)
      return !value;
    else if constexpr (requires { value.empty(); })
      return value.empty();
    else
      return false;
  }

  /// Descriptions take values that can be read, but writing does not modify them.
  template <class T>
  Json described(const T& value) const {
    Fields f(context_);
    if constexpr (fields::Struct<const T>)
      describe(f, value);
    else
      describe(f, const_cast<T&>(value));
    return f.object_;
  }

  template <class T>
  Json json_of_list(const T& values) const {
    Json out = Json::array();
    for (const auto& value : values)
      out.push_back(json_of(static_cast<const typename T::value_type&>(value)));
    return out;
  }

  template <class T>
  Json json_of_map(const ByName<T>& values) const {
    Json out = Json::object();
    for (const auto& [name, value] : values)
      out[name] = json_of(value);
    return out;
  }

  template <class T>
  void read_list(const JsonCursor& node, T& values, const FieldRule& rule) const {
    const std::vector<JsonCursor> items = node.items();
    using Count = decltype(values.size());  // Eigen's is signed
    if constexpr (fields::is_array<T>) {
      if (items.size() != values.size())
        node.fail("expected " + std::to_string(values.size()) + " values");
    } else {
      values.resize(static_cast<Count>(items.size()));
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
      typename T::value_type value{};
      read(items[i], value, rule);
      values[static_cast<Count>(i)] = std::move(value);
    }
  }

  template <class T>
  T read_enumerator(const JsonCursor& node) const {
    const std::string text = node.text();
    std::vector<std::string> names;
    for (const auto& [enumerator, name] : texts_of(T{})) {
      if (text == name)
        return enumerator;
      names.emplace_back(name);
    }
    node.fail(not_one_of(text, names));
  }

  std::optional<JsonCursor> place_of(const std::string& name, const FieldRule& rule);
  static double number_at(const JsonCursor& node, const FieldRule& rule);
  void add_to_schema(const std::string& name, Json schema, const std::string& meaning,
                     const FieldRule& rule);
};

/// The JSON of a struct that has a description.
template <class T>
Json json_of(const T& value, const void* context = nullptr) {
  return Fields(context).json_of(value);
}

/// Reads a struct that has a description.
template <class T>
T read_json(const JsonCursor& node, const void* context = nullptr) {
  T out{};
  Fields(context).read(node, out);
  return out;
}

/// A number that is null if it is not finite.
struct OrNull {
  double& value;

  OrNull(double& number) : value(number) {}
  Json json() const { return finite(value); }
  void read(const JsonCursor& node) {
    value = node.is_null() ? std::numeric_limits<double>::quiet_NaN() : node.number();
  }
  static Json schema();
};

/// As OrNull, but not read.
struct Finite {
  double value = 0;

  Json json() const { return finite(value); }
  static Json schema() { return OrNull::schema(); }
};

/// One of two texts.
struct Either {
  bool& value;
  const char* no;
  const char* yes;

  Json json() const { return value ? yes : no; }
  void read(const JsonCursor& node) const;
  Json schema() const { return Json{{"enum", Json::array({no, yes})}}; }
};

/// Values with names from the data.
template <class T>
struct Named {
  std::vector<std::string> names;
  T* values = nullptr;  ///< one per name

  Json json() const {
    Json out = Json::object();
    for (std::size_t i = 0; i < names.size(); ++i)
      out[names[i]] = Fields().json_of(values[i]);
    return out;
  }
  void read(const JsonCursor& node) requires(!std::is_const_v<T>) {
    for (std::size_t i = 0; i < names.size(); ++i)
      Fields().read(node.member(names[i]), values[i]);
  }
  static Json schema() { return fields::map_of(Fields().schema_of<std::remove_const_t<T>>()); }
};

/// [low, high]
struct Ends {
  double& low;
  double& high;

  Json json() const { return Json::array({number(low), number(high)}); }
  void read(const JsonCursor& node);
  static Json schema();
};

}  // namespace perfmodel
