// What formulas compute: their values, those of many rows at once, and derivatives.

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "table/formula.hpp"

using namespace perfmodel;

namespace {

Formula formula_of(const std::string& text) {
  TextCodes codes;
  return {text, {"a", "b"}, codes, "here"};
}

double at(const std::string& text, double a, double b) {
  const double values[] = {a, b};
  return formula_of(text)(values);
}

}  // namespace

TEST_CASE("operators bind as in mathematics", "[formula]") {
  CHECK(at("2^3^2", 0, 0) == 512);
  CHECK(at("-a^2", 3, 0) == -9);
  CHECK(at("2^-b", 0, 1) == 0.5);
  CHECK(at("a - b - 1", 9, 3) == 5);
  CHECK(at("a / b * 2", 9, 3) == 6);
  CHECK(at("a - (b - 1)", 9, 3) == 7);
  CHECK(at("!a + 1", 0, 0) == 2);
  CHECK(at("1 < a < 2", 5, 0) == 1);  // (1 < a) < 2
  CHECK(at("a > 1 || b > 1 && b < 0", 2, 2) == 1);
  CHECK(at("a ? b ? 1 : 2 : 3", 1, 0) == 2);
  CHECK(at("a ? 1 : b ? 2 : 3", 0, 0) == 3);
  CHECK(at("(a ? 1 : 2) * 10", 0, 0) == 20);
}

TEST_CASE("functions have any number of arguments, and numbers are read in full", "[formula]") {
  CHECK(at("min(a, b, 2) + 10 * max(a, b) + 100 * min(7)", 5, 4) == 752);
  CHECK(at("sum(a, b, 1)", 5, 4) == 10);
  CHECK(at("avg(a, b, 3)", 5, 4) == 4);
  CHECK(at("atan2(a, b)", 1, -1) == std::atan2(1, -1));
  CHECK(at("max (a, b)", 5, 4) == 5);
  CHECK(at(".5 + 5. + 1e3 + 2.5E-1", 0, 0) == 1005.75);
  CHECK(at("0.1", 0, 0) == 0.1);
  CHECK(at("1e-400", 0, 0) == 0);
  CHECK(at("_pi", 0, 0) == std::acos(-1));
  CHECK(at("ln(_e)", 0, 0) == 1);
}

TEST_CASE("what is no number goes through", "[formula]") {
  CHECK(std::isnan(at("a + 1", std::nan(""), 0)));
  CHECK(at("a ? 1 : 2", std::nan(""), 0) == 1);
  CHECK(at("a == a", std::nan(""), 0) == 0);
  CHECK(std::isinf(at("1 / a", 0, 0)));
  CHECK(std::isnan(at("sqrt(a)", -1, 0)));
}

TEST_CASE("many rows have the values of each", "[formula]") {
  const auto rows = GENERATE(as<std::size_t>{}, 0, 1, 255, 256, 257, 1000);
  const Formula formula = formula_of("a > 20 && b != 1 ? ceil(a / 3) ^ b : min(a, -b, 2) + sin(b)");
  std::vector<std::vector<double>> columns(2);
  for (std::size_t row = 0; row < rows; ++row) {
    columns[0].push_back(static_cast<double>(row % 37));
    columns[1].push_back(static_cast<double>(row % 5) / 2);
  }
  const std::vector<double> values = formula.of_rows(columns, rows);
  REQUIRE(values.size() == rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const double of_row[] = {columns[0][row], columns[1][row]};
    REQUIRE(values[row] == formula(of_row));
  }
}

TEST_CASE("a formula deeper than usual is computed as well", "[formula]") {
  std::string deep = "a";
  for (int level = 0; level < 200; ++level)
    deep = "1 + (" + deep + ")";
  CHECK(at(deep, 5, 0) == 205);
  std::string wide = "a";
  for (int i = 0; i < 20000; ++i)
    wide += " + 1";
  CHECK(at(wide, 5, 0) == 20005);
}

TEST_CASE("derivatives agree with differences", "[formula][derivative]") {
  const std::string text = GENERATE(
      as<std::string>{}, "a", "b", "3", "-a", "a + b * a", "a - 2 * a * b", "a / (b + a)", "a^3",
      "2^a", "a^b", "a^a", "abs(b - a)", "sqrt(a)", "exp(a / b)", "ln(a) * log10(a) + log2(a)",
      "sin(a) + cos(a * b)", "tan(a)", "asin(a / 9) - acos(a / 9) * 2", "atan(a)",
      "atan2(a, b) + 2 * atan2(b, a)", "sinh(a) + cosh(a)", "tanh(a)", "asinh(a) + acosh(a)",
      "atanh(a / 9)", "min(a, b) + max(a, 1)", "sum(a, b, a)", "avg(a * a, b)", "a > b ? a * a : a",
      "a <= b ? a * a : a^3", "floor(a) + ceil(a) + rint(a) + sign(a)",
      "(a > 1) + !a + (a && b) + (a || b)");
  const Formula formula = formula_of(text);
  for (const auto& [a, b] : std::vector<std::pair<double, double>>{{2.3, 1.6}, {1.2, 3.4}}) {
    for (const std::size_t name : {0U, 1U}) {
      CAPTURE(text, a, b, name);
      const double step = 1e-6;
      double values[] = {a, b};
      std::vector<double> found;
      formula.slopes(values, std::array{name}, found);
      CHECK(found[0] == formula(values));
      values[name] += step;
      const double above = formula(values);
      values[name] -= 2 * step;
      const double below = formula(values);
      CHECK(found[1] == Catch::Approx((above - below) / (2 * step)).epsilon(1e-7).margin(1e-8));
    }
  }
}

TEST_CASE("what does not depend on a name has no slope by it", "[formula][derivative]") {
  const double values[] = {0.0, 2.0};
  const auto slope = [&](const std::string& text) {
    std::vector<double> found;
    formula_of(text).slopes(values, std::array{std::size_t{1}}, found);
    return found[1];
  };
  CHECK(slope("(1 / a) * 3 + b") == 1);
  CHECK(slope("a^3 * b") == 0);
  CHECK(slope("a ? b : 7") == 0);
  CHECK(slope("(-b)^2") == 4);
}
