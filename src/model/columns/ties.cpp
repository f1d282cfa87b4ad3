#include "model/columns/ties.hpp"

#include <algorithm>
#include <map>

#include "model/columns/facts/column_part.hpp"
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

/// Which of the columns that give a scale moves with it.
const Factor& partner(const Identity& identity, const ModelSpec& spec) {
  const auto& factors = identity.factors;
  const auto found = std::find_if(factors.begin(), factors.end(), [&](const Factor& factor) {
    return !is_extrinsic_input(spec, factor.column);
  });
  return found == factors.end() ? factors.front() : *found;
}

/// By which power of the scale each column moves.
std::map<std::string, int> moves_with(const std::string& scale,
                                      const std::vector<Identity>& identities,
                                      const ModelSpec& spec) {
  std::map<std::string, int> powers{{scale, 1}};
  for (const Identity& identity : identities)
    if (identity.column == scale && !identity.factors.empty()) {
      const Factor& moved = partner(identity, spec);
      powers[moved.column] = moved.power;
    }
  for (const Identity& identity : identities) {
    int power = 0;
    for (const Factor& factor : identity.factors)
      if (const auto moved = powers.find(factor.column); moved != powers.end())
        power += factor.power * moved->second;
    if (power != 0 && !powers.contains(identity.column))
      powers[identity.column] = power;
  }
  powers.erase(scale);
  return powers;
}

}  // namespace

std::vector<Tie> ties_of(const Table& table, const ModelSpec& spec) {
  const std::vector<Identity> identities = find_identities(table, numeric_parts(table, spec));
  std::vector<Tie> ties;
  for (const NumericInput& input : spec.extrinsic)
    if (!spec.is_derived(input.column))
      for (const auto& [column, power] : moves_with(input.column, identities, spec))
        ties.push_back({input.column, column, power});
  return ties;
}

}  // namespace perfmodel
