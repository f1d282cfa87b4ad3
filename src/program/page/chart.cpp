#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/text.hpp"
#include "page/figures.hpp"

namespace perfmodel::page {
namespace {

constexpr std::size_t kFewest = 3;  // on a logarithmic axis, so that its spacing is visible
constexpr double kBareEnd = 0.15;   // larger unlabelled shares at an end get a label of their own
constexpr double kAtEnd = 0.05;
constexpr int kMostEndDigits = 2;
constexpr double kRounding = 1e-9;

/// Returns a label with enough digits to distinguish neighbouring ticks.
std::string linear_label(double value, double step) {
  const double size = std::max(std::abs(value), step);
  const int needed = 1 + static_cast<int>(std::floor(std::log10(size) + 1e-9) -
                                          std::floor(std::log10(step) + 1e-9));
  return fmt::format("{:.{}g}", value, std::clamp(needed, 6, 17));
}

std::vector<Tick> linear_ticks(const Range& range, std::size_t most) {
  // n steps can have n + 1 ends inside the range.
  const double step = round_step(range.high - range.low, most - 1);
  std::vector<Tick> ticks;
  for (double i = std::ceil(range.low / step); i * step <= range.high && ticks.size() < most; ++i) {
    const double value = i == 0 ? 0 : i * step;
    ticks.push_back({value, linear_label(value, step)});
  }
  return ticks;
}

/// Returns digit * 10^exponent, correctly rounded by parsing it.
double written(int digit, int exponent) {
  return parse_number(std::to_string(digit) + "e" + std::to_string(exponent)).value_or(0);
}

/// Returns ticks at the digits times every `stride`-th power of ten.
std::vector<Tick> decade_ticks(const Range& range, const std::vector<int>& digits, int stride) {
  const int first = static_cast<int>(std::floor(std::log10(range.low)));
  const int last = static_cast<int>(std::ceil(std::log10(range.high)));
  std::vector<Tick> ticks;
  for (int exponent = first; exponent <= last; ++exponent) {
    if (exponent % stride != 0)
      continue;
    for (const int digit : digits) {
      const double value = written(digit, exponent);
      if (range.contains(value))
        ticks.push_back({value, short_number(value)});
    }
  }
  return ticks;
}

std::vector<Tick> logarithmic_ticks(const Range& range, std::size_t most) {
  for (const auto& digits :
       std::vector<std::vector<int>>{{1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 5}, {1, 3}, {1}}) {
    const std::vector<Tick> ticks = decade_ticks(range, digits, 1);
    if (ticks.size() < kFewest)
      break;
    if (ticks.size() <= most)
      return ticks;
  }
  for (const int stride : {2, 5, 10, 20, 50, 100, 200}) {
    const std::vector<Tick> ticks = decade_ticks(range, {1}, stride);
    if (ticks.size() < kFewest)
      break;
    if (ticks.size() <= most)
      return ticks;
  }
  return linear_ticks(range, most);
}

/// Returns a round value just inside an end, with as few digits as possible.
std::optional<Tick> end_tick(const Range& range, double end) {
  const int exponent = end == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::abs(end))));
  for (int digits = 1; digits <= kMostEndDigits; ++digits) {
    const int unit = exponent - digits + 1;
    const double units = end / written(1, unit);
    const double inside =
        end == range.low ? std::ceil(units - kRounding) : std::floor(units + kRounding);
    const double value = written(static_cast<int>(inside), unit);
    if (range.contains(value) && std::abs(range.position(value) - range.position(end)) < kAtEnd)
      return Tick{value, short_number(value)};
  }
  return std::nullopt;
}

/// Adds a tick at each end without a label nearby.
std::vector<Tick> with_ends(const Range& range, std::vector<Tick> ticks) {
  const auto is_bare = [&](double end, const Tick& nearest) {
    return std::abs(range.position(nearest.value) - range.position(end)) > kBareEnd;
  };
  if (ticks.empty())
    return ticks;
  if (is_bare(range.low, ticks.front()))
    if (const auto tick = end_tick(range, range.low))
      ticks.insert(ticks.begin(), *tick);
  if (is_bare(range.high, ticks.back()))
    if (const auto tick = end_tick(range, range.high))
      ticks.push_back(*tick);
  return ticks;
}

constexpr double kLeft = 74;
constexpr double kRight = 16;
constexpr double kTop = 12;
constexpr double kBottom = 48;
constexpr double kTickText = 7.5;  // approximate width of a character
constexpr std::size_t kShades = 5;

std::string line_between(double x1, double y1, double x2, double y2, const std::string& style) {
  return empty_element("line", attribute("class", style) + attribute("x1", coordinate(x1)) +
                                   attribute("y1", coordinate(y1)) +
                                   attribute("x2", coordinate(x2)) +
                                   attribute("y2", coordinate(y2))) +
         "\n";
}

/// Draws the ticks, omitting labels that would overlap the previous one.
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

/// Returns 0 for one point, up to kShades - 1 for the fullest cell, in equal steps of the
/// logarithm.
std::size_t shade_of(std::size_t count, std::size_t most) {
  if (most < 2)
    return 0;
  const double share = std::log(static_cast<double>(count)) / std::log(static_cast<double>(most));
  return std::min(kShades - 1, static_cast<std::size_t>(share * static_cast<double>(kShades)));
}

}  // namespace

std::vector<Tick> ticks_of(const Range& range, std::size_t most) {
  return with_ends(range, range.spacing == Spacing::logarithmic ? logarithmic_ticks(range, most)
                                                                : linear_ticks(range, most));
}

double Axis::at(double value) const {
  const double position = range_.position(std::clamp(value, range_.low, range_.high));
  return at_low_ + (at_high_ - at_low_) * position;
}

AxisText time_axis(const std::string& title, const Range& range, const Unit& unit) {
  const TimeUnit shown = readable_unit(range.value(0.5), unit);
  std::vector<Tick> ticks =
      ticks_of({range.low * shown.factor, range.high * shown.factor, range.spacing}, kMostTicks);
  for (Tick& tick : ticks)
    tick.value /= shown.factor;
  return {with_unit(title, shown.name), ticks};
}

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

std::string rectangle(double x, double y, double width, double height, const std::string& style,
                      const std::string& title) {
  return element("rect",
                 attribute("class", style) + attribute("x", coordinate(x)) +
                     attribute("y", coordinate(y)) + attribute("width", coordinate(width)) +
                     attribute("height", coordinate(height)),
                 title.empty() ? "" : element("title", "", escaped_markup(title))) +
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

std::string Chart::line_through(const std::vector<Point>& points) const {
  std::string steps;
  for (const Point& point : points)
    steps += (steps.empty() ? "M" : "L") + place(x_, y_, point);
  return steps;
}

void Chart::add_line(const std::vector<Point>& points, const std::string& style) {
  if (points.size() > 1)
    content_ += path(style, line_through(points));
}

void Chart::add_area(const std::vector<Point>& corners, const std::string& style) {
  content_ += path(style, line_through(corners) + "z");
}

void Chart::add_rectangle(const Point& low, const Point& high, const std::string& style,
                          const std::string& title) {
  const double x = x_.at(low.x);
  const double y = y_.at(high.y);
  content_ += rectangle(x, y, x_.at(high.x) - x, y_.at(low.y) - y, style, title);
}

std::string Chart::circle_attributes(const Point& at, const std::string& style,
                                     const std::string& radius) const {
  return attribute("class", style) + attribute("cx", coordinate(x_.at(at.x))) +
         attribute("cy", coordinate(y_.at(at.y))) + attribute("r", radius);
}

void Chart::add_mark(const Point& at, const std::string& style, const std::string& title) {
  content_ += element("circle", circle_attributes(at, style, "4.5"),
                      element("title", "", escaped_markup(title))) +
              "\n";
}

void Chart::add_circles(const std::vector<Point>& points, const std::string& style) {
  for (const Point& point : points)
    content_ += empty_element("circle", circle_attributes(point, style, "3")) + "\n";
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
