#include "json/contradiction.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.hpp"

namespace perfmodel {
namespace {

/// Room for another processor's last digits, which the power of a small part of the time amplifies.
constexpr double kTolerance = 1e-6;

/// The part of a formula that begins shortly before a place in it.
std::string around(const std::string& formula, std::size_t place) {
  constexpr std::size_t before = 20;
  constexpr std::size_t longest = 60;
  const std::size_t begin = place > before ? place - before : 0;
  return (begin > 0 ? "..." : "") + quoted_cell(formula.substr(begin, longest)) +
         (formula.size() > begin + longest ? "..." : "");
}

}  // namespace

const std::string correct_or_remove = "; correct the one that is wrong, or remove this field";

void check_number(const JsonCursor& node, double expected, double scale) {
  const double found = node.number();
  if (std::abs(found - expected) > kTolerance * scale) {
    node.fail(to_text(found) + " contradicts the constants, which give " + to_text(expected) +
              correct_or_remove);
  }
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
             around(expected, place) + correct_or_remove);
}

}  // namespace perfmodel
