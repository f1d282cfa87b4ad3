#pragma once

#include <vector>

#include "io/json_cursor.hpp"
#include "io/json_layout.hpp"
#include "perfmodel/model/derived.hpp"

namespace perfmodel {

inline Json derived_to_json(const std::vector<DerivedColumn>& derived) {
  Json out = Json::array();
  for (const DerivedColumn& item : derived)
    out.push_back({{"column", item.column}, {"formula", item.formula}});
  return out;
}

/// Nothing where the model has none.
inline std::vector<DerivedColumn> read_derived(const JsonCursor& root) {
  std::vector<DerivedColumn> out;
  const auto node = root.optional_member("derived");
  if (!node)
    return out;
  for (const JsonCursor& item : node->items()) {
    const std::string formula = item.member("formula").text();
    try {
      out.push_back(make_derived(item.member("column").name(), formula, "'" + formula + "'"));
    } catch (const UsageError& error) {
      item.fail(error.what());  // a bad file, not wrong usage
    }
  }
  return out;
}

}  // namespace perfmodel
