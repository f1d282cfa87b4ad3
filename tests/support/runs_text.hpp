#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/text.hpp"

namespace perfmodel::test {

/// What stands in a cell: whole numbers with all their digits, others with as many as read back to
/// them, texts as they are.
template <class Value>
std::string cell_text(const Value& value) {
  if constexpr (std::is_integral_v<Value>)
    return std::to_string(value);
  else if constexpr (std::is_floating_point_v<Value>)
    return to_text(value);
  else
    return std::string(value);
}

/// A line of CSV, with its end.
template <class First, class... Rest>
std::string csv_row(const First& first, const Rest&... rest) {
  return (cell_text(first) + ... + ("," + cell_text(rest))) + "\n";
}

/// The runs of a grid, the last column fastest: each has the values of two columns and, behind
/// them, what `last` makes of these.
template <class A, class B, class Last>
std::string csv_grid(std::string_view header, std::initializer_list<A> a,
                     std::initializer_list<B> b, const Last& last) {
  std::string text = std::string(header) + "\n";
  for (const A& x : a)
    for (const B& y : b)
      text += csv_row(x, y, last(x, y));
  return text;
}

/// The same of three columns.
template <class A, class B, class C, class Last>
std::string csv_grid(std::string_view header, std::initializer_list<A> a,
                     std::initializer_list<B> b, std::initializer_list<C> c, const Last& last) {
  std::string text = std::string(header) + "\n";
  for (const A& x : a)
    for (const B& y : b)
      for (const C& z : c)
        text += csv_row(x, y, z, last(x, y, z));
  return text;
}

/// A space of configurations with these columns, in JSON; `rest` are its further fields.
inline std::string space_of(const std::string& columns, const std::string& rest = "") {
  return R"({"schema": "perfmodel/space", "schema_version": 1, "columns": [)" + columns + "]" +
         rest + "}";
}

}  // namespace perfmodel::test
