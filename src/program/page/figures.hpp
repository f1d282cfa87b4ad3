#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "page/page_content.hpp"
#include "report/markup.hpp"

namespace perfmodel::page {

/// Usual number of ticks of an axis, at most.
inline constexpr std::size_t kMostTicks = 6;

struct Tick {
  double value = 0;
  std::string label;
};

/// Returns at most `most` (>= 3) round values in the range, and another at each end that is far
/// from all of them. Linear: multiples of 1, 2 or 5 times a power of ten. Logarithmic: as many of
/// 1, 2, ..., 9 times powers of ten as fit, or linear ticks if fewer than three lie in the range.
std::vector<Tick> ticks_of(const Range& range, std::size_t most);

/// Maps a range to coordinates, from left to right or from bottom to top.
class Axis {
 public:
  Axis(const Range& range, double at_low, double at_high)
      : range_(range), at_low_(at_low), at_high_(at_high) {}

  /// Returns the coordinate of a value, clamped to the ends of the range.
  double at(double value) const;

 private:
  Range range_;
  double at_low_;
  double at_high_;
};

/// Id and texts of a figure, also for screen readers.
struct FigureText {
  std::string id;           ///< unique within the page
  std::string title;        ///< one line
  std::string description;  ///< what the figure shows
};

struct AxisText {
  std::string title;
  std::vector<Tick> ticks;
};

/// Returns an SVG drawing with title and description; colours are CSS classes of the page.
std::string drawing(const FigureText& text, double width, double height,
                    const std::string& content);

/// Returns an SVG text; `anchor` is start, middle or end.
std::string text_at(double x, double y, const std::string& anchor, const std::string& text);

/// Returns an SVG rectangle; an empty title means no tooltip.
std::string rectangle(double x, double y, double width, double height, const std::string& style,
                      const std::string& title);

/// Size of a chart; the text size is the same in all charts.
struct ChartSize {
  double width = 440;
  double height = 300;
};

/// Size of charts among many others.
inline constexpr ChartSize kSmallChart{300, 200};

/// Chart of two axes with ticks and a grid. Content is given in data coordinates and clipped at the
/// ends of the axes.
class Chart {
 public:
  Chart(const Range& x, const AxisText& x_text, const Range& y, const AxisText& y_text,
        ChartSize size = {});

  /// Adds dots of a style, or the cells of a grid in five shades.
  void add_cloud(const Cloud& cloud, const std::string& style);
  void add_line(const std::vector<Point>& points, const std::string& style);
  void add_area(const std::vector<Point>& corners, const std::string& style);
  void add_rectangle(const Point& low, const Point& high, const std::string& style,
                     const std::string& title);
  /// Adds a circle with a tooltip.
  void add_mark(const Point& at, const std::string& style, const std::string& title);
  /// Adds circles without tooltips.
  void add_circles(const std::vector<Point>& points, const std::string& style);
  /// Adds a vertical or horizontal line across the whole chart.
  void add_vertical(double x, const std::string& style);
  void add_horizontal(double y, const std::string& style);

  std::string svg(const FigureText& text) const;

 private:
  ChartSize size_;
  Axis x_;
  Axis y_;
  std::string frame_;    ///< grid, ticks and titles
  std::string content_;  ///< everything added so far

  std::string line_through(const std::vector<Point>& points) const;
  std::string circle_attributes(const Point& at, const std::string& style,
                                const std::string& radius) const;
};

/// Returns ticks and title of an axis of times, in the most readable unit.
AxisText time_axis(const std::string& title, const Range& range, const Unit& unit);

/// Of the axis of scale_figure().
Range range_of_times(const ScaleCurve& curve);

// Each function returns a <figure> element with its caption; empty if there is nothing to draw.

/// Predicted times against measured ones.
std::string parity_figure(const Content& content);

/// Errors in percent against the predicted times.
std::string residual_figure(const Content& content);

/// Histogram of the errors.
std::string histogram_figure(const Content& content);

/// Breakdown of the predicted time of the shown configuration.
std::string share_figure(const Content& content);

/// Legend common to the scale figures, as plain text; empty if there are none.
std::string scale_legend(const Content& content);

/// Time along one extrinsic column; `number` makes the id unique within a page.
std::string scale_figure(const Content& content, const ScaleCurve& curve, std::size_t number);

/// Speedup along an extrinsic column, with the ideal line.
std::string speedup_figure(const Content& content, const ScaleCurve& curve, std::size_t number);

/// One small figure per level, if one typical time is meaningless.
std::string group_figures(const Content& content);

/// One small figure per input: errors along it.
std::string error_figures(const Content& content);

}  // namespace perfmodel::page
