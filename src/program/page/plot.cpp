#include "page/plot.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "page/figures.hpp"

namespace perfmodel::page {
namespace {

constexpr std::size_t kColumns = 60;  // of cells; ticks of times stand left of them
constexpr std::size_t kLines = 18;
constexpr std::size_t kMargin = 11;
constexpr double kManyTimes = 20;
constexpr std::size_t kTicks = 5;

/// As the C library chooses the locale, but also where that locale is not installed.
bool terminal_takes_unicode() {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (const std::string name = std::getenv(variable) ? std::getenv(variable) : ""; !name.empty())
      return name.ends_with("UTF-8") || name.ends_with("utf8");
  return false;
}

/// A line of `on` of every `period` dots.
struct Line {
  std::string name;
  char letter = '*';
  std::string sample;  ///< in braille
  std::size_t on = 1;
  std::size_t period = 1;
  std::vector<Point> points = {};
};

std::size_t dot_at(double position, std::size_t count) {
  const auto last = static_cast<double>(count - 1);
  return static_cast<std::size_t>(std::clamp(std::round(position * last), 0.0, last));
}

/// Cells of 2 x 4 dots, numbered as in Unicode's braille patterns, or of a letter.
class Canvas {
 public:
  Canvas(const Range& x, const Range& y) : x_(x), y_(y) {}

  /// Draws powers between the points.
  void draw(const Line& line) {
    for (std::size_t i = 0; i < 2 * kColumns; ++i) {
      const double at = x_.value(static_cast<double>(i) / (2 * kColumns - 1));
      const auto next = std::ranges::lower_bound(line.points, at, {}, &Point::x);
      if (i % line.period >= line.on || next == line.points.begin() || next == line.points.end())
        continue;
      const Point& before = *(next - 1);
      const double share = std::log(at / before.x) / std::log(next->x / before.x);
      const double y = before.y * std::pow(next->y / before.y, share);
      if (y_.contains(y))
        set(i, dot_at(1 - y_.position(y), 4 * kLines), line.letter);
    }
  }

  /// Marks cover lines.
  void mark(const Point& at, char letter) {
    if (x_.contains(at.x) && y_.contains(at.y))
      set(dot_at(x_.position(at.x), 2 * kColumns), dot_at(1 - y_.position(at.y), 4 * kLines),
          letter, true);
  }

  std::string line(std::size_t number, bool unicode) const {
    std::string out;
    for (std::size_t i = number * kColumns; i < (number + 1) * kColumns; ++i) {
      const auto [dots, letter] = cells_[i];
      if (unicode && dots > 0)  // U+2800 and the bits of the dots, as three bytes of UTF-8
        out += {'\xE2', static_cast<char>(0xA0 + dots / 64), static_cast<char>(0x80 + dots % 64)};
      else
        out += letter;
    }
    return out.substr(0, out.find_last_not_of(' ') + 1);
  }

 private:
  Range x_;
  Range y_;
  std::vector<std::pair<unsigned, char>> cells_ =
      std::vector<std::pair<unsigned, char>>(kColumns * kLines, {0, ' '});

  void set(std::size_t column, std::size_t line, char letter, bool covers = false) {
    constexpr std::array<std::array<unsigned, 4>, 2> bits = {{{1, 2, 4, 64}, {8, 16, 32, 128}}};
    auto& [dots, shown] = cells_[line / 4 * kColumns + column / 2];
    dots = covers ? 0 : dots | bits[column % 2][line % 4];
    shown = letter;
  }
};

Range axis_of(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value) || value <= 0; });
  const auto [low, high] = std::ranges::minmax(values);
  return range_of(values, high / low > kManyTimes ? Spacing::logarithmic : Spacing::linear);
}

/// The axis below, with its ticks and their labels.
std::string axis_below(const Range& x) {
  std::string axis = std::string(kMargin - 1, ' ') + "+" + std::string(kColumns, '-');
  std::string labels(kMargin + kColumns + 1, ' ');
  for (const Tick& tick : ticks_of(x, kTicks)) {
    const std::size_t place = kMargin + dot_at(x.position(tick.value), kColumns);
    const std::size_t begin = std::min(place, labels.size() - tick.label.size());
    if (labels.find_first_not_of(' ', begin - 1) != labels.npos)
      continue;
    axis[place] = '+';
    labels.replace(begin, tick.label.size(), tick.label);
  }
  return axis + "\n" + labels.substr(0, labels.find_last_not_of(' ') + 1) + "\n";
}

std::vector<Line> lines_of(const ScaleCurve& curve) {
  std::vector<Line> lines = {{"", '.', "", 1, 3},
                             {"band of new runs", '.', "⠄⠠⠀", 1, 3},
                             {"ideal", '-', "⠤⠄⠠", 3, 6},
                             {"predicted", '*', "⠤⠤⠤"}};
  for (const Forecast& point : curve.points) {
    lines[3].points.push_back({point.scale, point.time});
    if (point.interval) {
      lines[0].points.push_back({point.scale, point.interval->low});
      lines[1].points.push_back({point.scale, point.interval->high});
    }
  }
  for (const Forecast& point : curve.forecasts)
    lines[2].points.push_back({point.scale, point.time * point.efficiency});
  return lines;
}

}  // namespace

std::string picture_of(const ScaleCurve& curve, const std::string& target, const Unit& unit) {
  const bool unicode = terminal_takes_unicode();
  const std::vector<Line> lines = lines_of(curve);
  std::vector<Point> all = curve.runs.measured;
  all.insert(all.end(), curve.runs.adjusted.begin(), curve.runs.adjusted.end());
  for (const Line& line : lines)
    all.insert(all.end(), line.points.begin(), line.points.end());
  const Range x = axis_of(mapped(all, &Point::x));
  const Range y = axis_of(mapped(all, &Point::y));
  Canvas canvas(x, y);
  std::string legend = "  ";
  for (const Line& line : lines) {
    canvas.draw(line);
    if (!line.points.empty() && !line.name.empty())
      legend += (unicode ? line.sample : std::string(3, line.letter)) + " " + line.name + "  ";
  }
  for (const auto& [points, letter, name] : {std::tuple(&curve.runs.adjusted, 'x', "near runs  "),
                                             std::tuple(&curve.runs.measured, 'o', "runs")}) {
    for (const Point& point : *points)
      canvas.mark(point, letter);
    if (!points->empty())
      legend += std::string(1, letter) + " " + name;
  }
  const AxisText axis = time_axis(target, y, unit);
  std::vector<std::string> labels(kLines);
  for (const Tick& tick : axis.ticks)
    labels[dot_at(1 - y.position(tick.value), 4 * kLines) / 4] = tick.label;
  std::string out = axis.title + "\n";
  for (std::size_t line = 0; line < kLines; ++line)
    out += fmt::format("{:>{}} |{}\n", labels[line], kMargin - 2, canvas.line(line, unicode));
  return out + axis_below(x) + std::string(kMargin, ' ') +
         with_unit(curve.column, curve.measured.unit) + "\n" +
         legend.substr(0, legend.find_last_not_of(' ') + 1) + "\n";
}

}  // namespace perfmodel::page
