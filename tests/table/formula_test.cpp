#include "table/formula.hpp"

#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/message_of.hpp"

using namespace perfmodel;
using Catch::Matchers::Message;

namespace {

double value_of(const std::string& text, double a, double b) {
  TextCodes codes;
  const double values[] = {a, b};
  return Formula(text, {"a", "b"}, codes, "here")(values);
}

}  // namespace

TEST_CASE("a formula computes with the names it is given, from left to right as it is written",
          "[formula]") {
  CHECK(value_of("a * b^2", 3, 4) == 48);
  CHECK(value_of("a <= 3 && b >= 4", 3, 4) == 1);
  CHECK(value_of("a == 3 && b != 4", 3, 4) == 0);
  CHECK(value_of("!(a > b)", 3, 4) == 1);
  CHECK(value_of("ceil(a / b) + 10 * floor(b / a)", 3, 4) == 11);
  CHECK(value_of("ceil(a) - floor(b)", 3, 4) == -1);
  CHECK(value_of("floor(a * 1 / b)", 49, 49) == 1);
  CHECK(value_of("floor(a * 1 / 49)", 49, 0) == 1);
}

TEST_CASE("a formula names an unknown function and those that there are", "[formula]") {
  const std::string known =
      "there are 'abs', 'acos', 'acosh', 'asin', 'asinh', 'atan', 'atan2', 'atanh', 'avg', 'ceil', "
      "'cos', 'cosh', 'exp', 'floor', 'ln', 'log', 'log10', 'log2', 'max', 'min', 'rint', 'sign', "
      "'sin', 'sinh', 'sqrt', 'sum', 'tan' and 'tanh'";
  CHECK_THROWS_MATCHES(value_of("2 * ceiling (a)", 3, 4), UsageError,
                       Message("here: '2 * ceiling (a)': unknown function 'ceiling'; " + known +
                               "; a column of this name is written `ceiling (a)`"));
  CHECK_THROWS_MATCHES(Formula::names_in("b(2)", "here"), UsageError,
                       Message("here: 'b(2)': unknown function 'b'; " + known));
  TextCodes codes;
  codes.add_column("a", {"round(x)"});
  const double values[] = {codes.code("round(x)")};
  CHECK(Formula("a == 'round(x)' && (1e3) > 2", {"a"}, codes, "here")(values) == 1);
}

TEST_CASE("a formula that would assign is refused", "[formula]") {
  CHECK_THROWS_MATCHES(value_of("a = 8", 3, 4), UsageError,
                       Message("here: 'a = 8': '=' does not compare; write =="));
  CHECK_THROWS_MATCHES(Formula::names_in("a < 2 && b=3", "here"), UsageError,
                       Message("here: 'a < 2 && b=3': '=' does not compare; write =="));
  TextCodes codes;
  codes.add_column("a");
  const double values[] = {codes.code("x=y")};
  CHECK(Formula("a == 'x=y'", {"a"}, codes, "here")(values) == 1);
}

TEST_CASE("the names in a formula are found without knowing any", "[formula]") {
  CHECK(Formula::names_in("b * sqrt(a) + b", "here") == std::vector<std::string>{"a", "b"});
  CHECK_THROWS_MATCHES(Formula::names_in("a * (b", "here"), UsageError,
                       Message("here: Missing parenthesis at position 7 of 'a * (b'"));
}

TEST_CASE("an error says what is wrong with a formula, and where", "[formula]") {
  const auto error = [](const std::string& text) {
    return test::message_of<UsageError>([&] { value_of(text, 3, 4); })
        .substr(("here: " + quoted_formula(text) + ": ").size());
  };
  CHECK(error("a ** 2") == "Unexpected '*' at position 4");
  CHECK(error("a *") == "Unexpected end of expression at position 4");
  CHECK(error("(a + b") == "Missing parenthesis at position 7");
  CHECK(error("a + b)") == "Unexpected parenthesis ')' at position 6");
  CHECK(error("2 a") == "An operator is missing before 'a' at position 3");
  CHECK(error("2a") == "An operator is missing before 'a' at position 2");
  CHECK(error("1.2.3") == "An operator is missing before '.3' at position 4");
  CHECK(error("max(a b)") ==
        "An operator or a parenthesis is missing before 'b' at position 7; a "
        "column of this name is written `a b`");
  CHECK(error("a + $") == "Unexpected '$' at position 5");
  CHECK(error("a && || b") == "Unexpected '||' at position 6");
  CHECK(error("a == '\u00e9\u00e9' + \u00e9") ==
        "Unexpected '\u00e9' at position 13; a column of "
        "this name is written `\u00e9`");
  CHECK(error("--a") == "Unexpected '-' at position 2");
  CHECK(error("a ? b") == "':' is missing at position 6");
  CHECK(error("a ? b , 2") == "Unexpected ',' at position 7");
  CHECK(error("1e400 * a") == "Too large a number '1e400' at position 1");
  CHECK(error("2 + sin(a, b)") == "Too many arguments of sin() at position 5");
  CHECK(error("atan2(a)") == "Too few arguments of atan2() at position 1");
  CHECK(error("sum()") == "Too few arguments of sum() at position 1");
  CHECK(error("a, b") == "expected one expression, without commas");
  CHECK(error("a == 'x") == "a quote is not closed");
  CHECK(error("`a") == "a backquote is not closed");
  CHECK(error(" ") == "it is empty");
  CHECK(error("3 + alpha") == "there is no 'alpha'; there are 'a' and 'b'");
}

TEST_CASE("a formula is nested only so deep", "[formula]") {
  const auto nested = [](std::size_t levels, const std::string& open, const std::string& close) {
    std::string text;
    for (std::size_t level = 0; level < levels; ++level)
      text += open;
    text += "a";
    for (std::size_t level = 0; level < levels; ++level)
      text += close;
    return text;
  };
  CHECK(value_of(nested(499, "(", ")"), 3, 4) == 3);
  CHECK(value_of(nested(499, "1^", ""), 3, 4) == 1);
  for (const auto& [open, close] : std::vector<std::pair<std::string, std::string>>{
           {"(", ")"}, {"1^", ""}, {"-(", ")"}, {"sin(", ")"}, {"a ? 1 : ", ""}, {"a ? ", ": 1"}}) {
    CAPTURE(open);
    for (const std::size_t levels : {500U, 100000U}) {
      CHECK_THROWS_WITH(value_of(nested(levels, open, close), 3, 4),
                        Catch::Matchers::Contains("Nested more than 500 levels deep"));
    }
  }
}

TEST_CASE("an error about a formula echoes at most a line of it", "[formula]") {
  const auto length_of_message = [](const std::string& text) {
    const std::string message =
        test::message_of<UsageError>([&] { Formula::names_in(text, "here"); });
    REQUIRE(message != "(none)");
    CHECK(printable_word(message) == message);
    return display_width(message);
  };
  const std::string sum = [] {
    std::string text = "a";
    for (int i = 0; i < 1000; ++i)
      text += "\n + \x1b" + std::string("a");
    return text;
  }();
  CHECK(length_of_message(sum + " + (b") < 200);                  // a parenthesis is missing
  CHECK(length_of_message(sum + " = 8") < 200);                   // assigns
  CHECK(length_of_message(sum + " $") < 200);                     // no token
  CHECK(length_of_message(sum + ", a") < 200);                    // two expressions
  CHECK(length_of_message("1 " + std::string(5000, 'a')) < 250);  // the token is long
  CHECK(length_of_message("a \"" + std::string(5000, '\x7f')) < 200);
  CHECK(length_of_message(std::string(5000, 'f') + "(2)") < 400);  // with what functions there are
  CHECK_THROWS_MATCHES(Formula::names_in(std::string(100, '1') + " = a", "here"), UsageError,
                       Message("here: '" + std::string(29, '1') + "\u2026" + std::string(26, '1') +
                               " = a': '=' does not compare; write =="));
}
