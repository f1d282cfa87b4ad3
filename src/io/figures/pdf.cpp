#include "io/figures/pdf.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "base/text.hpp"
#include "io/figures/pdf_text.hpp"
#include "io/html/markup.hpp"

namespace perfmodel::figures {
namespace {

constexpr double kPointsOfAPixel = 0.75;
/// How far out the handles of a quarter of a circle lie.
constexpr double kQuarter = 0.5522847498307936;

std::string at(double x, double y) {
  return coordinate(x) + " " + coordinate(y) + " ";
}

/// What is behind a blank, a comma or a letter of a path.
std::vector<double> numbers_in(std::string_view text) {
  std::vector<double> out;
  for (std::size_t begin = text.find_first_not_of(" ,"); begin != std::string_view::npos;
       begin = text.find_first_not_of(" ,", begin)) {
    const std::size_t end = std::min(text.find_first_of(" ,", begin), text.size());
    out.push_back(parse_number(std::string(text.substr(begin, end - begin))).value_or(0));
    begin = end;
  }
  return out;
}

/// M, L, H, V, h and z, the steps that figures are drawn with.
std::string path_steps(std::string_view d) {
  std::string out;
  double x = 0;
  double y = 0;
  while (!d.empty()) {
    const char step = d[0];
    const std::size_t end = std::min(d.find_first_of("MLHVhz", 1), d.size());
    const std::vector<double> values = numbers_in(d.substr(1, end - 1));
    d.remove_prefix(end);
    if (step == 'z') {
      out += "h\n";
      continue;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (step == 'H' || step == 'h')
        x = values[i] + (step == 'h' ? x : 0);
      else if (step == 'V')
        y = values[i];
      else if (i % 2 == 0)
        x = values[i];
      else
        y = values[i];
      if ((step != 'M' && step != 'L') || i % 2 == 1)
        out += at(x, y) + (step == 'M' && i == 1 ? "m\n" : "l\n");
    }
  }
  return out;
}

std::string circle_steps(double x, double y, double r) {
  const double k = kQuarter * r;
  return at(x + r, y) + "m\n" + at(x + r, y + k) + at(x + k, y + r) + at(x, y + r) + "c\n" +
         at(x - k, y + r) + at(x - r, y + k) + at(x - r, y) + "c\n" + at(x - r, y - k) +
         at(x - k, y - r) + at(x, y - r) + "c\n" + at(x + k, y - r) + at(x + r, y - k) +
         at(x + r, y) + "c\nh\n";
}

std::string steps_of(const MarkupElement& element) {
  const auto number = [&](const char* name) { return element.number(name); };
  if (element.name == "line")
    return at(number("x1"), number("y1")) + "m\n" + at(number("x2"), number("y2")) + "l\n";
  if (element.name == "rect")
    return at(number("x"), number("y")) + at(number("width"), number("height")) + "re\n";
  if (element.name == "circle")
    return circle_steps(number("cx"), number("cy"), number("r"));
  return element.name == "path" ? path_steps(element.attribute("d")) : "";
}

/// Red, green, blue and opacity, from "#rrggbb" or "#rrggbbaa"; nothing of "none".
std::optional<std::array<double, 4>> colour_of(const std::string& text) {
  if (!text.starts_with("#"))
    return std::nullopt;
  std::array<double, 4> out = {0, 0, 0, 1};
  for (std::size_t i = 0; i < 4 && 2 * i + 2 < text.size(); ++i)
    out[i] = std::stoi(text.substr(2 * i + 1, 2), nullptr, 16) / 255.0;
  return out;
}

std::string set_colour(const std::array<double, 4>& colour, const std::string& operation) {
  return to_text(colour[0]) + " " + to_text(colour[1]) + " " + to_text(colour[2]) + " " +
         operation + "\n";
}

/// The drawing, and the opacities that it uses.
class PageContent {
 public:
  explicit PageContent(const StyleRules& rules) : rules_(rules) {}

  void add(const MarkupElement& element) {
    const Properties style = rules_.of(element);
    if (element.name == "text")
      add_text(element, style);
    else
      add_shape(steps_of(element), style, element.name != "line");
  }
  const std::string& text() const { return text_; }
  const std::vector<std::string>& opacities() const { return opacities_; }

 private:
  const StyleRules& rules_;
  std::string text_;
  std::vector<std::string> opacities_;  ///< as entries of graphics states

  static std::string property(const Properties& style, const std::string& name,
                              const std::string& otherwise) {
    const auto found = style.find(name);
    return found == style.end() ? otherwise : found->second;
  }
  static double number(const Properties& style, const std::string& name, double otherwise) {
    return parse_number(property(style, name, "")).value_or(otherwise);
  }

  void set_opacity(double fill, double stroke) {
    const std::string state = "/ca " + to_text(fill) + " /CA " + to_text(stroke);
    std::size_t i = 0;
    while (i < opacities_.size() && opacities_[i] != state)
      ++i;
    if (i == opacities_.size())
      opacities_.push_back(state);
    text_ += "/G" + std::to_string(i) + " gs\n";
  }

  void add_shape(const std::string& steps, const Properties& style, bool has_inside) {
    const auto fill = colour_of(has_inside ? property(style, "fill", "#000000") : "none");
    const auto stroke = colour_of(property(style, "stroke", "none"));
    if (steps.empty() || (!fill && !stroke))
      return;
    text_ += "q\n";
    set_opacity(fill ? (*fill)[3] * number(style, "fill-opacity", 1) : 1,
                stroke ? (*stroke)[3] * number(style, "stroke-opacity", 1) : 1);
    if (fill)
      text_ += set_colour(*fill, "rg");
    if (stroke) {
      text_ += set_colour(*stroke, "RG") + to_text(number(style, "stroke-width", 1)) + " w\n";
      if (property(style, "stroke-linecap", "") == "round")
        text_ += "1 J\n";
      if (const std::string dashes = property(style, "stroke-dasharray", ""); !dashes.empty())
        text_ += "[" + dashes + "] 0 d\n";
    }
    text_ += steps + (fill && stroke ? "B\n" : fill ? "f\n" : "S\n") + "Q\n";
  }

  void add_text(const MarkupElement& element, const Properties& style) {
    double size = 13;
    for (const std::string& name : {std::string("font"), std::string("font-size")}) {
      const std::string font = property(style, name, "");
      const std::size_t unit = font.find("px");
      const std::size_t begin = unit == std::string::npos ? 0 : font.rfind(' ', unit) + 1;
      if (unit != std::string::npos)
        size = parse_number(font.substr(begin, unit - begin)).value_or(size);
    }
    const std::string text = in_helvetica(element.text);
    const double width = helvetica_width(text) * size;
    const std::string anchor = element.attribute("text-anchor");
    const double shift = anchor == "end" ? -width : anchor == "middle" ? -width / 2 : 0;
    double x = element.number("x");
    double y = element.number("y");
    const std::string transform = element.attribute("transform");
    const bool is_upright = transform.starts_with("translate(");
    if (is_upright) {  // "translate(16 180) rotate(-90)"
      const auto place = numbers_in(transform.substr(10, transform.find(')') - 10));
      x = place.at(0);
      y = place.at(1) - shift;
    } else {
      x += shift;
    }
    const auto fill = colour_of(property(style, "fill", "#000000"));
    if (!fill)
      return;
    text_ += "q\n";
    set_opacity((*fill)[3] * number(style, "fill-opacity", 1), 1);
    text_ += set_colour(*fill, "rg") + "BT\n/F " + to_text(size) + " Tf\n" +
             (is_upright ? "0 -1 -1 0 " : "1 0 0 -1 ") + at(x, y) + "Tm\n(" + pdf_literal(text) +
             ") Tj\nET\nQ\n";
  }
};

/// The objects of a document and where they stand.
std::string document_of_objects(const std::vector<std::string>& objects) {
  std::string out = "%PDF-1.4\n%\xE2\xE3\xCF\xD3\n";
  std::string table = "xref\n0 " + std::to_string(objects.size() + 1) + "\n0000000000 65535 f \n";
  for (std::size_t i = 0; i < objects.size(); ++i) {
    std::array<char, 32> place{};
    std::snprintf(place.data(), place.size(), "%010zu 00000 n \n", out.size());
    table += place.data();
    out += std::to_string(i + 1) + " 0 obj\n" + objects[i] + "\nendobj\n";
  }
  return out + table + "trailer\n<< /Size " + std::to_string(objects.size() + 1) +
         " /Root 1 0 R /Info 6 0 R >>\nstartxref\n" + std::to_string(out.size()) + "\n%%EOF\n";
}

}  // namespace

std::string pdf_of(const std::vector<MarkupElement>& elements, const StyleRules& rules) {
  const std::vector<double> view = numbers_in(elements.front().attribute("viewBox"));
  const std::string width = coordinate(view.at(2) * kPointsOfAPixel);
  const std::string height = coordinate(view.at(3) * kPointsOfAPixel);
  const std::string scale = to_text(kPointsOfAPixel);
  PageContent content(rules);
  std::string title;
  for (const MarkupElement& element : elements) {
    content.add(element);
    if (element.name == "title" && title.empty())
      title = in_helvetica(element.text);
  }
  std::string states;
  for (std::size_t i = 0; i < content.opacities().size(); ++i)
    states += "/G" + std::to_string(i) + " << " + content.opacities()[i] + " >> ";
  // The origin of a figure is at its top, that of the page at its foot.
  const std::string stream = scale + " 0 0 -" + scale + " 0 " + height + " cm\n" + content.text();
  return document_of_objects(
      {"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
       "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 " + width + " " + height +
           "] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> /ExtGState << " + states +
           ">> >> >>",
       "<< /Length " + std::to_string(stream.size()) + " >>\nstream\n" + stream + "\nendstream",
       "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
       "<< /Title (" + pdf_literal(title) + ") >>"});
}

}  // namespace perfmodel::figures
