#include "io/html/chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/readable.hpp"
#include "io/html/markup.hpp"

namespace perfmodel::page {
namespace {

constexpr double kLeft = 74;
constexpr double kRight = 16;
constexpr double kTop = 12;
constexpr double kBottom = 48;
constexpr double kTickText = 7.5;  // width of a character, about
constexpr std::size_t kShades = 5;

std::string line_between(double x1, double y1, double x2, double y2, const std::string& style) {
  return empty_element("line", attribute("class", style) + attribute("x1", coordinate(x1)) +
                                   attribute("y1", coordinate(y1)) +
                                   attribute("x2", coordinate(x2)) +
                                   attribute("y2", coordinate(y2))) +
         "\n";
}

/// The ticks, without the labels that would run into the one before.
std::string ticks_below(const Axis& x, const std::vector<Tick>& ticks, ChartSize size) {
  const double base = size.height - kBottom;
  std::string out;
  double free_from = 0;
  for (const Tick& tick : ticks) {
    const double at = x.at(tick.value);
    out += line_between(at, kTop, at, base, "grid");
    const double half = kTickText * static_cast<double>(display_width(tick.label)) / 2;
    if (at - half >= free_from && at + half <= size.width) {
      out += text_at(at, base + 18, "middle", tick.label);
      free_from = at + half + kTickText;
    }
  }
  return out;
}

std::string ticks_beside(const Axis& y, const std::vector<Tick>& ticks, ChartSize size) {
  std::string out;
  for (const Tick& tick : ticks) {
    const double at = y.at(tick.value);
    out += line_between(kLeft, at, size.width - kRight, at, "grid") +
           text_at(kLeft - 8, at + 4, "end", tick.label);
  }
  return out;
}

std::string title_beside(const std::string& title, ChartSize size) {
  const double middle = (kTop + size.height - kBottom) / 2;
  return element("text",
                 attribute("transform", "translate(14 " + coordinate(middle) + ") rotate(-90)") +
                     attribute("text-anchor", "middle"),
                 escaped_markup(title)) +
         "\n";
}

std::string titled(const std::string& title, const Range& range) {
  return title + (range.spacing == Spacing::logarithmic ? ", log" : "");
}

std::string place(const Axis& x, const Axis& y, const Point& point) {
  return coordinate(x.at(point.x)) + " " + coordinate(y.at(point.y));
}

std::string path(const std::string& style, const std::string& steps) {
  return empty_element("path", attribute("class", style) + attribute("d", steps)) + "\n";
}

/// 0 for one point, up to shades - 1 for the fullest cell, in equal steps of the logarithm.
std::size_t shade_of(std::size_t count, std::size_t most) {
  if (most < 2)
    return 0;
  const double share = std::log(static_cast<double>(count)) / std::log(static_cast<double>(most));
  return std::min(kShades - 1, static_cast<std::size_t>(share * static_cast<double>(kShades)));
}

}  // namespace

std::string drawing(const FigureText& text, double width, double height,
                    const std::string& content) {
  const std::string title = text.id + "-title";
  const std::string description = text.id + "-desc";
  return element(
      "svg",
      attribute("xmlns", "http://www.w3.org/2000/svg") +
          attribute("viewBox", "0 0 " + coordinate(width) + " " + coordinate(height)) +
          attribute("role", "img") + attribute("aria-labelledby", title + " " + description),
      "\n" + element("title", attribute("id", title), escaped_markup(text.title)) + "\n" +
          element("desc", attribute("id", description), escaped_markup(text.description)) + "\n" +
          content);
}

std::string text_at(double x, double y, const std::string& anchor, const std::string& text) {
  return element("text",
                 attribute("x", coordinate(x)) + attribute("y", coordinate(y)) +
                     attribute("text-anchor", anchor),
                 escaped_markup(text)) +
         "\n";
}

Chart::Chart(const Range& x, const AxisText& x_text, const Range& y, const AxisText& y_text,
             ChartSize size)
    : size_(size), x_(x, kLeft, size.width - kRight), y_(y, size.height - kBottom, kTop) {
  frame_ = ticks_below(x_, x_text.ticks, size) + ticks_beside(y_, y_text.ticks, size) +
           text_at((kLeft + size.width - kRight) / 2, size.height - 8, "middle",
                   titled(x_text.title, x)) +
           title_beside(titled(y_text.title, y), size);
}

void Chart::add_cloud(const Cloud& cloud, const std::string& style) {
  std::string dots;
  for (const Point& point : cloud.points)
    dots += "M" + place(x_, y_, point) + "h0";
  if (!dots.empty())
    content_ += path(style, dots);

  std::size_t most = 0;
  for (const Cell& cell : cloud.cells)
    most = std::max(most, cell.count);
  std::array<std::string, kShades> steps;
  for (const Cell& cell : cloud.cells) {
    const double low = x_.at(cell.x_low);
    const double base = y_.at(cell.y_low);
    steps[shade_of(cell.count, most)] +=
        "M" + coordinate(low) + " " + coordinate(base) + "H" + coordinate(x_.at(cell.x_high)) +
        "V" + coordinate(y_.at(cell.y_high)) + "H" + coordinate(low) + "z";
  }
  for (std::size_t shade = 0; shade < kShades; ++shade)
    if (!steps[shade].empty())
      content_ += path("cell shade" + std::to_string(shade + 1), steps[shade]);
}

void Chart::add_line(const std::vector<Point>& points, const std::string& style) {
  std::string steps;
  for (const Point& point : points)
    steps += (steps.empty() ? "M" : "L") + place(x_, y_, point);
  if (points.size() > 1)
    content_ += path(style, steps);
}

void Chart::add_band(const std::vector<Point>& lower, const std::vector<Point>& upper,
                     const std::string& style) {
  std::string steps;
  for (const Point& point : lower)
    steps += (steps.empty() ? "M" : "L") + place(x_, y_, point);
  for (auto point = upper.rbegin(); point != upper.rend(); ++point)
    steps += "L" + place(x_, y_, *point);
  if (lower.size() > 1)
    content_ += path(style, steps + "z");
}

void Chart::add_rectangle(const Point& low, const Point& high, const std::string& style,
                          const std::string& title) {
  const double x = x_.at(low.x);
  const double y = y_.at(high.y);
  content_ += element("rect",
                      attribute("class", style) + attribute("x", coordinate(x)) +
                          attribute("y", coordinate(y)) +
                          attribute("width", coordinate(x_.at(high.x) - x)) +
                          attribute("height", coordinate(y_.at(low.y) - y)),
                      title.empty() ? "" : element("title", "", escaped_markup(title))) +
              "\n";
}

void Chart::add_mark(const Point& at, const std::string& style, const std::string& title) {
  content_ += element("circle",
                      attribute("class", style) + attribute("cx", coordinate(x_.at(at.x))) +
                          attribute("cy", coordinate(y_.at(at.y))) + attribute("r", "4.5"),
                      element("title", "", escaped_markup(title))) +
              "\n";
}

void Chart::add_circles(const std::vector<Point>& points, const std::string& style) {
  for (const Point& point : points) {
    content_ +=
        empty_element("circle",
                      attribute("class", style) + attribute("cx", coordinate(x_.at(point.x))) +
                          attribute("cy", coordinate(y_.at(point.y))) + attribute("r", "3")) +
        "\n";
  }
}

void Chart::add_vertical(double x, const std::string& style) {
  content_ += line_between(x_.at(x), kTop, x_.at(x), size_.height - kBottom, style);
}

void Chart::add_horizontal(double y, const std::string& style) {
  content_ += line_between(kLeft, y_.at(y), size_.width - kRight, y_.at(y), style);
}

std::string Chart::svg(const FigureText& text) const {
  return drawing(text, size_.width, size_.height, frame_ + content_);
}

}  // namespace perfmodel::page
