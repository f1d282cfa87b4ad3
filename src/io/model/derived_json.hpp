#pragma once

#include <vector>

#include "data/formula.hpp"
#include "json/json_cursor.hpp"
#include "json/json_layout.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/model/columns/derived.hpp"
#include "perfmodel/model/columns/spec.hpp"

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
      out.push_back(make_derived(item.member("column").name(), formula, quoted_formula(formula)));
    } catch (const UsageError& error) {
      item.fail(error.what());  // a bad file, not wrong usage
    }
  }
  return out;
}

inline Json sources_to_json(const std::vector<SourceColumn>& sources) {
  Json out = Json::array();
  for (const SourceColumn& source : sources)
    out.push_back({{"column", source.column}, {"typical", source.typical}});
  return out;
}

/// Nothing where the file does not tell.
inline std::vector<SourceColumn> read_sources(const JsonCursor& root) {
  std::vector<SourceColumn> out;
  if (const auto node = root.optional_member("derived_sources"))
    for (const JsonCursor& item : node->items())
      out.push_back({item.member("column").name(), item.member("typical").number()});
  return out;
}

}  // namespace perfmodel
