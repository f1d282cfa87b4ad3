#include "model/columns/ties.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "model/columns/facts/column_part.hpp"
#include "model/columns/facts/products.hpp"
#include "model/columns/left_out/identities.hpp"

namespace perfmodel {
namespace {

std::vector<ColumnPart> numeric_parts(const Table& table, const ModelSpec& spec) {
  std::vector<ColumnPart> parts;
  const auto add = [&](const std::vector<NumericInput>& inputs, Part part) {
    for (const NumericInput& input : inputs) {
      const Column& column = table.at(input.column);
      if (!spec.is_derived(input.column))
        parts.push_back({.column = &column, .part = part, .facts = facts_of(column)});
    }
  };
  add(spec.intrinsic, Part::intrinsic);
  add(spec.extrinsic, Part::extrinsic);
  return parts;
}

bool is_extrinsic_input(const ModelSpec& spec, const std::string& column) {
  return std::any_of(
      spec.extrinsic.begin(), spec.extrinsic.end(),
      [&](const NumericInput& input) { return input.column == column; });
}

/// Which column that follows from none moves where the scale does, with its power in the scale.
std::optional<Factor> moved_origin(const std::vector<Factor>& origins, const ModelSpec& spec) {
  std::optional<Factor> found;
  for (const Factor& origin : origins) {
    // By a root of the scale whole numbers would not move.
    if (std::abs(origin.power) != 1)
      continue;
    if (!is_extrinsic_input(spec, origin.column))
      return origin;
    if (!found)
      found = origin;
  }
  return found;
}

}  // namespace

std::vector<Tie> ties_of(const Table& table, const ModelSpec& spec) {
  const std::vector<ColumnPart> parts = numeric_parts(table, spec);
  std::vector<ColumnProduct> products;
  for (Identity& identity : find_identities(table, parts))
    products.push_back({std::move(identity.column), std::move(identity.factors)});
  const MovingColumns moving(products);
  std::vector<Tie> ties;
  for (const NumericInput& input : spec.extrinsic) {
    const std::string& scale = input.column;
    const auto origin = moved_origin(moving.origins(scale), spec);
    if (spec.is_derived(scale) || !origin)
      continue;
    for (const ColumnPart& part : parts) {
      const std::string& column = part.column->name;
      const int power = origin->power * moving.power(column, origin->column);
      if (power != 0 && column != scale)
        ties.push_back({scale, column, power});
    }
  }
  return ties;
}

}  // namespace perfmodel
