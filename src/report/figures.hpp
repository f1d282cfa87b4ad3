#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/ssgd.hpp"
#include "report/page_content.hpp"

namespace perfmodel {

/// A text as it may stand between tags and in quoted attributes of HTML and XML: & < > " ' become
/// references, and characters that XML does not have become blanks (a line break stays one), bytes
/// that are not UTF-8 question marks.
std::string escaped_markup(std::string_view text);

/// A place in a picture, to a hundredth of its unit: "12.5". Throws std::logic_error for what is no
/// place.
std::string coordinate(double value);

/// <name attributes>content</name>. Attributes and content are markup already.
std::string element(std::string_view name, std::string_view attributes, std::string_view content);

/// <name attributes/>, which HTML takes for elements of pictures and those that never have content.
std::string empty_element(std::string_view name, std::string_view attributes);

/// name="value" behind a blank, the value escaped.
std::string attribute(std::string_view name, std::string_view value);

}  // namespace perfmodel

namespace perfmodel::page {

struct Tick {
  double value = 0;
  std::string label;
};

/// At most `most` (at least 3) round values inside of the range, and one at each end that would be
/// far from any. Of a linear range multiples of 1, 2 or 5 times a power of ten; of a logarithmic
/// one as many of 1, 2, ..., 9 times the powers of ten as there is room for, or, where it spans too
/// little for three of them, as of a linear one.
std::vector<Tick> ticks_of(const Range& range, std::size_t most);

/// A range on the paper, from left to right or from bottom to top.
class Axis {
 public:
  Axis(const Range& range, double at_low, double at_high)
      : range_(range), at_low_(at_low), at_high_(at_high) {}

  const Range& range() const { return range_; }
  /// The place of a value; of values beyond the range that of its end.
  double at(double value) const;

 private:
  Range range_;
  double at_low_;
  double at_high_;
};

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

/// Ticks and title of an axis of times, in the unit that reads best there.
AxisText time_axis(const std::string& title, const Range& range, const std::string& unit,
                   std::size_t most_ticks);

// Each figure with its caption, as a <figure> element; empty where there is nothing to draw.

/// Predicted times against measured ones.
std::string parity_figure(const Content& content);

/// Errors in percent against the predicted times.
std::string residual_figure(const Content& content);

/// How many runs have which error.
std::string histogram_figure(const Content& content);

/// What adds up to the predicted time of the shown configuration.
std::string share_figure(const Content& content);

/// What the figures of the scales have in common, as plain text; empty where there are none.
std::string scale_legend(const Content& content);

/// The time along one extrinsic column; `number` tells the figures of a page apart.
std::string scale_figure(const Content& content, const ScaleCurve& curve, std::size_t number);

/// Speedup along it, with the ideal line.
std::string speedup_figure(const ScaleCurve& curve, std::size_t number);

/// A small figure per level where one typical time means nothing.
std::string group_figures(const Content& content);

/// A small figure per input: where the errors lie along it.
std::string error_figures(const Content& content);

}  // namespace perfmodel::page

namespace perfmodel {

/// The lanes of one iteration as a picture that browsers and text processors show; each span says
/// what it is when pointed at.
std::string timeline_svg(const ssgd::Timeline& timeline, const std::string& title);

}  // namespace perfmodel
