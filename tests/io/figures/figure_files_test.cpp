#include "io/figures/figure_files.hpp"

#include <regex>
#include <string>

#include "base/text.hpp"
#include "io/figures/pdf_text.hpp"
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

/// Every entry of the table points to its object, and the stream is as long as it says.
void check_structure(const std::string& pdf) {
  REQUIRE(pdf.starts_with("%PDF-1.4\n"));
  const std::size_t start = pdf.rfind("startxref\n");
  const auto table = static_cast<std::size_t>(
      std::stoul(pdf.substr(start + 10, pdf.find('\n', start + 10) - start - 10)));
  REQUIRE(pdf.compare(table, 5, "xref\n") == 0);
  std::size_t entry = pdf.find("f \n", table) + 3;
  for (int object = 1; pdf.compare(entry, 7, "trailer") != 0; ++object, entry += 20) {
    const std::string head = std::to_string(object) + " 0 obj\n";
    CHECK(pdf.compare(std::stoul(pdf.substr(entry, 10)), head.size(), head) == 0);
  }
  const std::size_t length = pdf.find("/Length ") + 8;
  const std::size_t stream = pdf.find("stream\n", length) + 7;
  CHECK(pdf.compare(stream + std::stoul(pdf.substr(length, 10)), 10, "\nendstream") == 0);
}

}  // namespace

TEST_CASE("each figure of a page becomes an SVG and a PDF of its own", "[html][figures]") {
  const auto files = figures::figures_of_page(kPage);
  REQUIRE(files.size() == 2);
  CHECK(files[0].name == "parity");
  CHECK(files[1].name == "scale-1");
  for (const figures::FigureFile& file : files) {
    const std::string svg = file.svg.substr(file.svg.find("<svg"));
    CHECK(test::markup_problem(svg).empty());
    CHECK(svg.find("var(") == std::string::npos);
    check_structure(file.pdf);
  }
  // The rules that it needs, and no others.
  CHECK_THAT(files[0].svg, ContainsSubstring(".grid {") && ContainsSubstring("text {") &&
                               ContainsSubstring("width=\"400\" height=\"200\"") &&
                               !ContainsSubstring(".middle {"));
}

TEST_CASE("a PDF has the places, colours and letters of its figure", "[html][figures]") {
  const std::string pdf = figures::figures_of_page(kPage)[0].pdf;
  CHECK_THAT(pdf, ContainsSubstring("/MediaBox [0 0 300 150]"));
  CHECK_THAT(pdf, ContainsSubstring("0.75 0 0 -0.75 0 150 cm\n"));
  CHECK_THAT(pdf, ContainsSubstring("10 20 m\n30 40 l\nS\n"));
  CHECK_THAT(pdf, ContainsSubstring("1 2 m\n3 4 l\n5 4 l\n5 6 l\n3 6 l\nh\nf\n"));
  // The band is #0072b2 with an opacity of 0x26.
  const double blue = 0xb2 / 255.0;
  CHECK_THAT(pdf, ContainsSubstring(" " + to_text(blue) + " rg\n"));
  CHECK_THAT(pdf, ContainsSubstring("/ca " + to_text(0x26 / 255.0) + " "));
  CHECK_THAT(pdf, ContainsSubstring("(a < \\(\xb5s\\) ?) Tj"));
  CHECK_THAT(pdf, ContainsSubstring("/Title (Time \\(s\\))"));
  // Ends at 100: the letters of Helvetica are as wide as Adobe's table of it says.
  CHECK(figures::helvetica_width("a <") == Catch::Approx(0.556 + 0.278 + 0.584));
  CHECK(figures::helvetica_width("Wi") == Catch::Approx(0.944 + 0.222));
}
