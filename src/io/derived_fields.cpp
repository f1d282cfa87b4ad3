#include "io/derived_fields.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "perfmodel/base/text.hpp"
#include "perfmodel/model/generic_expression.hpp"
#include "perfmodel/model/multi_formula.hpp"

namespace perfmodel {
namespace {

constexpr auto advice = "; correct the one that is wrong, or remove this field";

/// Room for another processor's last digits, which the power of a small part of the time amplifies.
constexpr double tolerance = 1e-6;

void check_number(const JsonCursor& node, double expected, double scale) {
  const double found = node.number();
  // Where a number cannot be computed there is nothing to compare with.
  if (std::abs(found - expected) > tolerance * scale) {
    node.fail(to_text(found) + " contradicts the constants, which give " + to_text(expected) +
              advice);
  }
}

/// The part of a formula that begins shortly before a place in it.
std::string around(const std::string& formula, std::size_t place) {
  constexpr std::size_t before = 20;
  constexpr std::size_t longest = 60;
  const std::size_t begin = place > before ? place - before : 0;
  return (begin > 0 ? "..." : "") + quoted_cell(formula.substr(begin, longest)) +
         (formula.size() > begin + longest ? "..." : "");
}

void check_formula(const JsonCursor& parent, const std::string& expected) {
  const std::optional<JsonCursor> node = parent.optional_member("formula");
  if (!node)
    return;
  const std::string found = node->text();
  if (found == expected)
    return;
  const auto place = static_cast<std::size_t>(
      std::mismatch(found.begin(), found.end(), expected.begin(), expected.end()).first -
      found.begin());
  node->fail(around(found, place) + " contradicts the constants, which give " +
             around(expected, place) + advice);
}

void check_differences(const CategoricalInput& input, const JsonCursor& column) {
  std::map<std::string, double> coefficients;
  for (const JsonCursor& level : column.member("levels").items())
    coefficients[level.member("level").text()] = level.member("a").number();
  const double reference = coefficients.at(input.levels[0]);
  if (const auto node = column.optional_member("reference")) {
    if (node->text() != input.levels[0])
      node->fail("'" + node->text() + "' is not the first level, '" + input.levels[0] + "'" +
                 advice);
  }
  for (const JsonCursor& level : column.member("levels").items()) {
    if (const auto node = level.optional_member("difference")) {
      const double coefficient = level.member("a").number();
      check_number(*node, coefficient - reference,
                   std::max(std::abs(coefficient), std::abs(reference)));
    }
  }
}

/// The levels of a column that is computed are its values.
void check_levels_of_derived(const FittedModel& model, const JsonCursor& constants) {
  const std::vector<JsonCursor> columns = constants.member("categorical").items();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (!model.spec.is_derived(model.spec.categorical[c].column))
      continue;
    for (const JsonCursor& item : columns[c].member("levels").items()) {
      const JsonCursor level = model.multi ? item : item.member("level");
      if (!parse_number(level.text()))
        level.fail("'" + level.text() + "' is not a number, and the column is derived");
    }
  }
}

void check_scaling_powers(const FittedModel& model, const JsonCursor& root) {
  const auto node = root.optional_member("scaling_powers");
  if (!node)
    return;
  const std::vector<double> powers = scaling_powers(model);
  for (std::size_t j = 0; j < powers.size(); ++j) {
    if (const auto power = node->optional_member(model.spec.extrinsic[j].column))
      check_number(*power, powers[j], 1 + std::abs(powers[j]));
  }
}

}  // namespace

void check_derived_fields(const FittedModel& model, const JsonCursor& root) {
  const JsonCursor constants = root.member("constants");
  const JsonCursor expression = root.member("expression");
  check_levels_of_derived(model, constants);
  if (model.multi) {
    const MultiStructure& structure = model.multi->structure;
    check_formula(expression, multi_formula(model.spec, structure, model.constants));
    const std::vector<JsonCursor> terms = constants.member("terms").items();
    for (std::size_t k = 0; k < terms.size(); ++k)
      check_formula(terms[k], multi_term_text(model.spec, structure, model.constants, k));
  } else {
    check_formula(expression, generic_formula(model.spec));
    const std::vector<JsonCursor> columns = constants.member("categorical").items();
    for (std::size_t c = 0; c < columns.size(); ++c)
      check_differences(model.spec.categorical[c], columns[c]);
  }
  check_scaling_powers(model, root);
}

}  // namespace perfmodel
