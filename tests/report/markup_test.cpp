#include "report/markup.hpp"

#include <limits>
#include <stdexcept>

#include "support/catch.hpp"

using namespace perfmodel;

TEST_CASE(
    "text cannot become markup, and characters that XML and HTML do not allow are not "
    "written",
    "[markup]") {
  CHECK(escaped_markup("<a href=\"x\">&'") == "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
  CHECK(escaped_markup("größer \u2264 4 \U0001F600") == "größer \u2264 4 \U0001F600");
  CHECK(escaped_markup("a\tb\x01\x7f") == "a b  ");
  CHECK(escaped_markup("two\nlines") == "two\nlines");
  CHECK(escaped_markup("\u0085|\uFFFE|\uFFFF|\uFFFD") == " | | |\uFFFD");
  CHECK(escaped_markup("caf\xe9 <") == "caf? &lt;");
}

TEST_CASE("places are short texts, and never nan", "[markup]") {
  CHECK(coordinate(12.5) == "12.5");
  CHECK(coordinate(100) == "100");
  CHECK(coordinate(1.0 / 3) == "0.33");
  CHECK(coordinate(-0.001) == "0");
  CHECK(coordinate(-3.25) == "-3.25");
  CHECK_THROWS_AS(coordinate(std::numeric_limits<double>::quiet_NaN()), std::logic_error);
  CHECK_THROWS_AS(coordinate(std::numeric_limits<double>::infinity()), std::logic_error);
}

TEST_CASE("elements are written with their attributes", "[markup]") {
  CHECK(empty_element("line", attribute("class", "a\"b")) == "<line class=\"a&quot;b\"/>");
  CHECK(element("p", attribute("id", "x"), "text") == "<p id=\"x\">text</p>");
  CHECK(element("p", "", "") == "<p></p>");
}
