#include "data/formula.hpp"

#include "base/printable.hpp"
#include "base/readable.hpp"
#include "perfmodel/base/error.hpp"
#include "support/catch.hpp"

using namespace perfmodel;
using Catch::Matchers::Message;

namespace {

double value_of(const std::string& text, double a, double b) {
  TextCodes codes;
  const double values[] = {a, b};
  return Formula(text, {"a", "b"}, codes, "here")(values);
}

}  // namespace

TEST_CASE("a formula computes with the names it is given", "[formula]") {
  CHECK(value_of("a * b^2", 3, 4) == 48);
  CHECK(value_of("a <= 3 && b >= 4", 3, 4) == 1);
  CHECK(value_of("a == 3 && b != 4", 3, 4) == 0);
  CHECK(value_of("!(a > b)", 3, 4) == 1);
  CHECK(value_of("ceil(a / b) + 10 * floor(b / a)", 3, 4) == 11);
  CHECK(value_of("ceil(a) - floor(b)", 3, 4) == -1);
}

TEST_CASE("a formula computes from left to right, as it is written", "[formula]") {
  CHECK(value_of("floor(a * 1 / b)", 49, 49) == 1);
  CHECK(value_of("floor(a * 1 / 49)", 49, 0) == 1);
}

TEST_CASE("a formula names an unknown function and those that there are", "[formula]") {
  const std::string known =
      "there are 'abs', 'acos', 'acosh', 'asin', 'asinh', 'atan', 'atan2', 'atanh', 'avg', 'ceil', "
      "'cos', 'cosh', 'exp', 'floor', 'ln', 'log', 'log10', 'log2', 'max', 'min', 'rint', 'sign', "
      "'sin', 'sinh', 'sqrt', 'sum', 'tan' and 'tanh'";
  CHECK_THROWS_MATCHES(value_of("2 * ceiling (a)", 3, 4), UsageError,
                       Message("here: '2 * ceiling (a)': unknown function 'ceiling'; " + known));
  CHECK_THROWS_MATCHES(Formula::names_in("b(2)", "here"), UsageError,
                       Message("here: 'b(2)': unknown function 'b'; " + known));
  TextCodes codes;
  const double values[] = {codes.code("round(x)")};
  CHECK(Formula("a == 'round(x)' && (1e3) > 2", {"a"}, codes, "here")(values) == 1);
}

TEST_CASE("a formula that would assign is refused", "[formula]") {
  CHECK_THROWS_MATCHES(value_of("a = 8", 3, 4), UsageError,
                       Message("here: 'a = 8': '=' does not compare; write =="));
  CHECK_THROWS_MATCHES(Formula::names_in("a < 2 && b=3", "here"), UsageError,
                       Message("here: 'a < 2 && b=3': '=' does not compare; write =="));
  TextCodes codes;
  const double values[] = {codes.code("x=y")};
  CHECK(Formula("a == 'x=y'", {"a"}, codes, "here")(values) == 1);
}

TEST_CASE("the names in a formula are found without knowing any", "[formula]") {
  CHECK(Formula::names_in("b * sqrt(a) + b", "here") == std::vector<std::string>{"a", "b"});
  CHECK_THROWS_MATCHES(Formula::names_in("a * (b", "here"), UsageError,
                       Message("here: Missing parenthesis at position 7 of 'a * (b'"));
}

TEST_CASE("an error about a formula echoes at most a line of it", "[formula]") {
  const auto length_of_message = [](const std::string& text) {
    std::string message;
    try {
      Formula::names_in(text, "here");
    } catch (const UsageError& error) {
      message = error.what();
    }
    REQUIRE_FALSE(message.empty());
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
