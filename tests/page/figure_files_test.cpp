#include "page/page.hpp"

#include <string>

#include "support/catch.hpp"
#include "support/markup.hpp"

using namespace perfmodel;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kPage =
    "<p>before</p><svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 400 200\" role=\"img\" "
    "aria-labelledby=\"parity-title parity-desc\">\n<title id=\"parity-title\">Time (s)</title>\n"
    "<desc id=\"parity-desc\">d</desc>\n"
    "<line class=\"grid\" x1=\"10\" y1=\"20\" x2=\"30\" y2=\"40\"/>\n"
    "<path class=\"band\" d=\"M1 2L3 4H5V6h-2z\"/>\n"
    "<text x=\"100\" y=\"50\" text-anchor=\"end\">a &lt; (\u00b5s) \u4e2d</text>\n</svg>"
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 40 20\" role=\"img\" "
    "aria-labelledby=\"scale-1-title scale-1-desc\"><circle class=\"middle\" cx=\"20\" cy=\"10\" "
    "r=\"4\"/></svg>";

}  // namespace

TEST_CASE("each figure of a page becomes an SVG of its own", "[html][figures]") {
  const auto files = figures::figures_of_page(kPage);
  REQUIRE(files.size() == 2);
  CHECK(files[0].name == "parity");
  CHECK(files[1].name == "scale-1");
  for (const figures::FigureFile& file : files) {
    const std::string svg = file.svg.substr(file.svg.find("<svg"));
    CHECK(test::markup_problem(svg).empty());
    CHECK(svg.find("var(") == std::string::npos);
  }
  // The rules of figures, on light paper, and no others.
  CHECK_THAT(files[0].svg, ContainsSubstring("<style>\ntext { fill: #1c2430; font:") &&
                               ContainsSubstring(".band { fill: #0072b226; }") &&
                               ContainsSubstring("width=\"400\" height=\"200\"") &&
                               !ContainsSubstring(".card") && !ContainsSubstring("var("));
  CHECK(files[1].svg.ends_with("r=\"4\"/></svg>\n"));
}
