#pragma once

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "base/text.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {

using Json = nlohmann::ordered_json;  // keeps the order of the fields

/// A value for a document. nlohmann would write what is not finite as null. Throws InputError for
/// that: only data far from 1 lead there.
inline Json number(double value) {
  if (!std::isfinite(value)) {
    throw InputError(
        "the result holds figures that are too large for a number; write the times and the "
        "columns in units in which they are nearer to 1");
  }
  return value + 0.0;  // no negative zero: its text, -0, would read back as the integer 0
}

/// A name of a file need not be UTF-8; a document is.
inline std::string quoted_text(const Json& text) {
  return text.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Shortest texts of numbers ("4", not "4.0"), the rest as nlohmann has it.
inline std::string scalar_text(const Json& scalar) {
  return scalar.is_number_float() ? to_text(scalar.get<double>()) : quoted_text(scalar);
}

inline std::string one_line(const Json& node) {
  if (!node.is_structured()) {
    return scalar_text(node);
  }
  std::string text;
  for (const auto& [key, value] : node.items()) {
    text += text.empty() ? "" : ", ";
    text += node.is_object() ? quoted_text(Json(key)) + ": " + one_line(value) : one_line(value);
  }
  return node.is_object() ? "{" + text + "}" : "[" + text + "]";
}

/// Long lists of numbers fill their lines.
inline std::string filled(const Json& numbers, std::size_t indentation, std::size_t line_length) {
  const std::string inner(indentation, ' ');
  std::string text;
  std::string line;
  for (const auto& value : numbers) {
    const std::string item = scalar_text(value);
    if (!line.empty() && indentation + line.size() + item.size() + 3 > line_length) {
      text += inner + line + ",\n";
      line.clear();
    }
    line += (line.empty() ? "" : ", ") + item;
  }
  return text + inner + line;
}

/// What fits into a line of 100 stands on one; the rest is indented. Good to read and to compare.
inline std::string layout(const Json& node, std::size_t indentation, std::size_t used) {
  constexpr std::size_t line_length = 100;
  std::string line = one_line(node);
  const bool top = used == 0;
  if (!node.is_structured() || node.empty() || (!top && used + line.size() < line_length)) {
    return line;
  }
  if (node.is_array() &&
      std::all_of(node.begin(), node.end(), [](const Json& item) { return item.is_number(); })) {
    return "[\n" + filled(node, indentation + 2, line_length) + "\n" +
           std::string(indentation, ' ') + "]";
  }
  const std::string inner(indentation + 2, ' ');
  std::string text;
  for (const auto& [key, value] : node.items()) {
    const std::string head = inner + (node.is_object() ? quoted_text(Json(key)) + ": " : "");
    text += (text.empty() ? "" : ",\n") + head + layout(value, indentation + 2, head.size());
  }
  const std::string outer(indentation, ' ');
  return node.is_object() ? "{\n" + text + "\n" + outer + "}" : "[\n" + text + "\n" + outer + "]";
}

inline std::string document_text(const Json& document) {
  return layout(document, 0, 0) + "\n";
}

}  // namespace perfmodel
