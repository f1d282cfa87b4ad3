#pragma once

#include <string>
#include <vector>

#include "analysis/page/cloud.hpp"
#include "io/html/axis.hpp"

namespace perfmodel::page {

/// What every figure has, for those who do not see it too.
struct FigureText {
  std::string id;           ///< of the page
  std::string title;        ///< one line
  std::string description;  ///< what is to be seen
};

struct AxisText {
  std::string title;
  std::vector<Tick> ticks;
};

/// A drawing of a given size with its title and description; colours are classes of the page.
std::string drawing(const FigureText& text, double width, double height,
                    const std::string& content);

/// Text at a place; `anchor` is start, middle or end.
std::string text_at(double x, double y, const std::string& anchor, const std::string& text);

/// How large a chart is; its text is as large in all of them.
struct ChartSize {
  double width = 440;
  double height = 300;
};

/// Of figures beside many others.
inline constexpr ChartSize kSmallChart{300, 200};

/// Two axes with ticks and a grid; what is drawn on them is given in their values and cut off at
/// their ends.
class Chart {
 public:
  Chart(const Range& x, const AxisText& x_text, const Range& y, const AxisText& y_text,
        ChartSize size = {});

  /// Dots of a style, or the cells of a grid in five shades.
  void add_cloud(const Cloud& cloud, const std::string& style = "dots");
  void add_line(const std::vector<Point>& points, const std::string& style);
  /// The area between two lines over the same x.
  void add_band(const std::vector<Point>& lower, const std::vector<Point>& upper,
                const std::string& style);
  void add_rectangle(const Point& low, const Point& high, const std::string& style,
                     const std::string& title);
  /// A circle that says what it is when pointed at.
  void add_mark(const Point& at, const std::string& style, const std::string& title);
  /// Circles that say nothing.
  void add_circles(const std::vector<Point>& points, const std::string& style);
  /// A vertical or horizontal line through the whole chart.
  void add_vertical(double x, const std::string& style);
  void add_horizontal(double y, const std::string& style);

  std::string svg(const FigureText& text) const;

 private:
  ChartSize size_;
  Axis x_;
  Axis y_;
  std::string frame_;    ///< grid, ticks and titles
  std::string content_;  ///< what was added
};

}  // namespace perfmodel::page
