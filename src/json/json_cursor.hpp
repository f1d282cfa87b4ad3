#pragma once

#include <cstddef>
#include <cstdint>
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

}  // namespace perfmodel
