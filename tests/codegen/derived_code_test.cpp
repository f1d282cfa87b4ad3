#include "codegen/formula_code.hpp"

#include <sstream>

#include "base/text.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/export.hpp"
#include "support/catch.hpp"
#include "support/shell.hpp"
#include "table/formula.hpp"

using namespace perfmodel;

namespace {

/// Every operator and function, and what their precedence decides.
const std::vector<std::string> formulas = {
    "2^3^2 + a",
    "-a^2 * 2",
    "a * -b",
    "2^-b^2",
    "a - b - 1",
    "a / b / 2",
    "a - (b - 1)",
    "a / (b * 2)",
    "!(a > b) * 3 + !a",
    "1 < a < 2.5",
    "a == 3 != b",
    "a >= b || a < 2 && b < 2",
    "(a >= b || a < 2) && b < 2",
    "a <= b ? a + 1 : b == 1 ? 7 : 8",
    "a ? b > 2 ? 3 : 4 : 5",
    "1 + (a < b) / 2",
    "+a - +b",
    "1e3 * .5 + 5. * 1.25e-2 * a",
    "min(a, b, 2) + max(a, b, 2.5) + min(a)",
    "sum(a, b, 3) - avg(a, b, 3)",
    "abs(b - a) + sign(b - a) + sign(0)",
    "rint(a / 2) + rint(-a / 2)",
    "ceil(-a / 2) + ceil(a / 2)",
    "floor(-a / 2) + floor(a / 2)",
    "sqrt(a) + exp(b / 3)",
    "ln(a) + log(b) + log2(a) + log10(b)",
    "sin(a) + cos(b) + tan(a)",
    "asin(b / 9) + acos(b / 9) + atan(a)",
    "atan2(a, -b)",
    "sinh(a) + cosh(b) + tanh(a)",
    "asinh(a) + acosh(b) + atanh(b / 9)",
    "_pi * a + _e ^ b",
};

struct Pair {
  double a;
  double b;
};
const std::vector<Pair> pairs = {{1, 1}, {3, 2}, {2.5, 3}, {4, 1.5}};

/// Prints the values of all formulas for all pairs, each line `before` + value + `after`.
std::string printing(const Dialect& dialect, const std::string& before, const std::string& after) {
  std::string out;
  for (const auto& [a, b] : pairs) {
    const auto operand_of = [&, of_a = a, of_b = b](const std::string& name) {
      return dialect.number(name == "a" ? of_a : of_b);
    };
    for (const std::string& formula : formulas)
      out += before + derived_code({"x", formula, {"a", "b"}}, dialect, operand_of) + after + "\n";
  }
  return out;
}

std::string own_name(const std::string& name) {
  return name;
}

void check_lines(const std::string& text) {
  std::istringstream lines(text);
  for (const auto& [a, b] : pairs) {
    for (const std::string& formula : formulas) {
      CAPTURE(formula, a, b);
      TextCodes codes;
      const double values[] = {a, b};
      const double expected = Formula(formula, {"a", "b"}, codes, "here")(values);
      std::string line;
      REQUIRE(std::getline(lines, line));
      const auto value = parse_number(line);
      REQUIRE(value);
      CHECK(*value == Catch::Approx(expected).epsilon(1e-13));
    }
  }
}

}  // namespace

TEST_CASE("formulas of derived columns have the same values in Python",
          "[model][show][derive][needs-python]") {
  const auto printed =
      test::output_of_python("import numpy as np\n" + printing(dialect_of(FormulaLanguage::python),
                                                               "print(repr(float(", ")))"));
  REQUIRE(printed);
  check_lines(*printed);
}

TEST_CASE("formulas of derived columns have the same values in C",
          "[model][show][derive][needs-cc]") {
  const auto printed = test::output_of_c(
      "#include <math.h>\n",
      printing(dialect_of(FormulaLanguage::c), "printf(\"%.17g\\n\", ", ");"), "-std=c99");
  REQUIRE(printed);
  check_lines(*printed);
}

TEST_CASE("formulas of derived columns are written with a spreadsheet's functions",
          "[model][show][derive]") {
  const auto code = [&](const std::string& formula) {
    return derived_code({"x", formula, {"a", "b"}}, dialect_of(FormulaLanguage::spreadsheet),
                        own_name);
  };
  // A spreadsheet takes -a^2 for (-a)^2, and 2^3^2 for (2^3)^2.
  CHECK(code("-a^2") == "(-(a^2))");
  CHECK(code("2^3^2") == "(2^(3^2))");
  CHECK(code("atan2(a, b)") == "ATAN2(b,a)");
  CHECK(code("a > 2 && !b ? ln(a) : rint(b)") ==
        "IF(IF(AND(IF(a>2,1,0)<>0,IF(b=0,1,0)<>0),1,0)<>0,LN(a),INT(b+0.5))");
}

TEST_CASE("a formula too long for other languages is named", "[model][show][derive]") {
  std::string longest = "a";
  for (int i = 0; i < 499; ++i)
    longest += " + a";
  for (const Dialect* dialect :
       {&dialect_of(FormulaLanguage::python), &dialect_of(FormulaLanguage::c),
        &dialect_of(FormulaLanguage::spreadsheet)}) {
    CHECK_NOTHROW(derived_code({"x", longest, {"a"}}, *dialect, own_name));
    for (const std::string& longer : {longest + " + a", "(" + longest + ")"}) {
      CHECK_THROWS_MATCHES(
          derived_code({"x", longer, {"a"}}, *dialect, own_name), InputError,
          Catch::Matchers::Message(quoted_formula(longer) +
                                   " cannot be written in another language: it is too long"));
    }
  }
}
