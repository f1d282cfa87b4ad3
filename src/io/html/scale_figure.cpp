#include <algorithm>
#include <cmath>
#include <functional>

#include "analysis/wording/words.hpp"
#include "base/readable.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "io/html/chart.hpp"
#include "io/html/figures.hpp"
#include "io/html/markup.hpp"
#include "io/html/time_axis.hpp"

namespace perfmodel::page {
namespace {

constexpr double kLongScale = 1e6;
constexpr std::size_t kTicksOfAScale = 8;
constexpr std::size_t kTicksOfTimes = 6;
constexpr double kWidestBand = 100;  // times above or below the curve that a figure shows

/// Whole numbers in full, as long as they are short.
std::string scale_text(double scale) {
  return scale == std::round(scale) && scale < kLongScale ? to_text(scale) : short_number(scale);
}

/// Measured scales where there are few, and doublings beyond them.
std::vector<Tick> scale_ticks(const ScaleCurve& curve, const Range& range) {
  if (curve.scales.empty())
    return ticks_of(range, kTicksOfAScale);
  std::vector<Tick> ticks;
  for (const double scale : curve.scales)
    if (range.contains(scale))
      ticks.push_back({scale, scale_text(scale)});
  for (double scale = 2 * curve.scales.back(); scale <= range.high; scale *= 2)
    ticks.push_back({scale, scale_text(scale)});
  return ticks;
}

Range range_of_scales(const std::vector<Forecast>& points) {
  return range_of({points.front().scale, points.back().scale}, Spacing::logarithmic);
}

Range range_of_times(const ScaleCurve& curve) {
  std::vector<double> times;
  for (const Forecast& point : curve.points) {
    times.push_back(point.time);
    if (point.interval) {
      times.push_back(std::max(point.interval->low, point.time / kWidestBand));
      times.push_back(std::min(point.interval->high, point.time * kWidestBand));
    }
  }
  for (const auto* runs : {&curve.runs.measured, &curve.runs.adjusted})
    for (const Point& run : *runs)
      times.push_back(run.y);
  // The ends of intervals of the longest times there are may be no numbers.
  std::erase_if(times, [](double time) { return !std::isfinite(time) || time <= 0; });
  return range_of(times, Spacing::logarithmic);
}

std::vector<Point> points_of(const std::vector<Forecast>& forecasts,
                             const std::function<double(const Forecast&)>& y) {
  std::vector<Point> out;
  for (const Forecast& forecast : forecasts)
    out.push_back({forecast.scale, y(forecast)});
  return out;
}

double time_of_point(const Forecast& point) {
  return point.time;
}

/// Grey over what was not measured, up to the nearest point that was.
void draw_unmeasured(const std::vector<Forecast>& points, const Range& x, const Range& y,
                     Chart& chart) {
  for (std::size_t i = 0; i < points.size();) {
    if (points[i].measured) {
      ++i;
      continue;
    }
    const double from = i == 0 ? x.low : points[i - 1].scale;
    while (i < points.size() && !points[i].measured)
      ++i;
    const double to = i == points.size() ? x.high : points[i].scale;
    chart.add_rectangle({from, y.low}, {to, y.high}, "unmeasured", "");
  }
}

/// Solid between measured points, dashed elsewhere.
void draw_line(const std::vector<Forecast>& points, const std::function<double(const Forecast&)>& y,
               Chart& chart) {
  std::vector<Point> part;
  for (std::size_t i = 0; i < points.size(); ++i) {
    part.push_back({points[i].scale, y(points[i])});
    const auto is_solid = [&](std::size_t k) {
      return points[k].measured && points[k + 1].measured;
    };
    const bool ends = i + 1 == points.size() || (i > 0 && is_solid(i) != is_solid(i - 1));
    if (!ends)
      continue;
    if (part.size() > 1)
      chart.add_line(part, is_solid(i - 1) ? "curve" : "curve beyond");
    part = {part.back()};
  }
}

void draw_band(const std::vector<Forecast>& points, Chart& chart) {
  if (points.empty() || !points.front().interval)
    return;
  chart.add_band(points_of(points, [](const Forecast& p) { return p.interval->low; }),
                 points_of(points, [](const Forecast& p) { return p.interval->high; }), "band");
}

std::string point_text(const ScaleCurve& curve, const Forecast& point, const std::string& unit) {
  return curve.column + " = " + scale_text(point.scale) + ": " + time_text(point.time, unit) +
         (point.interval
              ? " (" + time_range_text(point.interval->low, point.interval->high, unit) + ")"
              : "") +
         (point.measured ? "" : ", not measured");
}

std::string count_text(std::size_t drawn, std::size_t all) {
  return drawn == all ? std::to_string(all) : std::to_string(drawn) + " of " + std::to_string(all);
}

std::string runs_text(const NearRuns& runs) {
  if (runs.all_measured == 0 && runs.all_adjusted == 0)
    return "No run is near, so none is drawn.";
  std::string text;
  if (runs.all_measured > 0)
    text += "Dots: " + count_text(runs.measured.size(), runs.all_measured) +
            (runs.all_measured == 1 ? " run" : " runs") + " of this configuration, as measured. ";
  if (runs.all_adjusted > 0)
    text += "Hollow: " + count_text(runs.adjusted.size(), runs.all_adjusted) +
            (runs.all_adjusted == 1 ? " run" : " runs") +
            " of configurations nearby, adjusted to this one by the model. ";
  text.pop_back();
  return text;
}

Chart time_chart(const Content& content, const ScaleCurve& curve, ChartSize size) {
  const std::string& unit = content.model.spec.unit;
  const bool is_small = size.width < ChartSize{}.width;
  const Range x = range_of_scales(curve.points);
  const Range y = range_of_times(curve);
  Chart chart(x, {curve.column, scale_ticks(curve, x)}, y,
              time_axis(is_small ? "time" : content.model.spec.target, y, unit, kTicksOfTimes),
              size);
  draw_unmeasured(curve.points, x, y, chart);
  draw_band(curve.points, chart);
  draw_line(curve.points, time_of_point, chart);
  for (const Forecast& point : curve.points) {
    const bool is_shown = point.scale == curve.shown;
    if (is_shown || (curve.whole && !is_small))
      chart.add_mark({point.scale, point.time}, is_shown ? "point shown" : "point",
                     point_text(curve, point, unit));
  }
  // On top: what was measured is not to be covered by what is predicted.
  chart.add_circles(curve.runs.adjusted, "hollow");
  chart.add_cloud({.x = x, .y = y, .points = curve.runs.measured, .cells = {}}, "dots near");
  return chart;
}

}  // namespace

std::string scale_legend(const Content& content) {
  if (content.curves.empty())
    return "";
  return std::string("The line is the time that the model predicts for the configuration of ") +
         content.typical.place + ", the ringed point, where the scale alone changes" +
         (std::any_of(content.curves.begin(), content.curves.end(),
                      [](const ScaleCurve& curve) { return !curve.moved.empty(); })
              ? " and what is tied to it moves along"
              : "") +
         ": on grey ground nothing was measured. " +
         (content.intervals
              ? "The band is the model's " + short_number(100 * content.intervals->level) +
                    " % interval for new times. "
              : "") +
         "Small dots are runs, blue ones points of the line.";
}

std::string scale_figure(const Content& content, const ScaleCurve& curve, std::size_t number) {
  const auto doubling =
      std::find_if(content.doublings.begin(), content.doublings.end(),
                   [&](const Doubling& candidate) { return candidate.column == curve.column; });
  const std::string answer = doubling == content.doublings.end()
                                 ? "the model gives no time at twice the scale"
                                 : doubling_in_words(*doubling);
  const std::string caption =
      "Time against " + curve.column + ": " + answer +
      ". Measured: " + to_text(curve.measured.low) + " .. " + to_text(curve.measured.high) + "." +
      (curve.moved.empty() ? "" : " Moving along: " + joined(curve.moved, ", ") + ".") + " " +
      runs_text(curve.runs);
  return "<figure>\n" +
         time_chart(content, curve, {})
             .svg({"scale-" + std::to_string(number), "Time against " + curve.column,
                   "The predicted time of the shown configuration on two logarithmic axes; " +
                       answer + "."}) +
         "\n" + element("figcaption", "", escaped_markup(caption)) + "\n</figure>\n";
}

std::string speedup_figure(const ScaleCurve& curve, std::size_t number) {
  const std::vector<Forecast>& points = curve.forecasts;
  if (points.size() < 2 || !scaling::counts_workers(curve.column))
    return "";
  const Range x = range_of_scales(points);
  std::vector<double> speedups = {points.front().scale, points.back().scale};
  for (const Forecast& point : points)
    speedups.push_back(point.speedup);
  const Range y = range_of(speedups, Spacing::logarithmic);
  std::vector<Tick> ticks;
  for (const Forecast& point : points)
    ticks.push_back({point.scale, scale_text(point.scale)});
  Chart chart(x, {curve.column, ticks}, y, {"speedup", ticks_of(y, kTicksOfTimes)});
  draw_unmeasured(points, x, y, chart);
  chart.add_line(
      {{points.front().scale, points.front().scale}, {points.back().scale, points.back().scale}},
      "dashed");
  const auto speedup = [](const Forecast& point) { return point.speedup; };
  draw_line(points, speedup, chart);
  for (const Forecast& point : points) {
    chart.add_mark(
        {point.scale, point.speedup}, point.scale == curve.shown ? "point shown" : "point",
        curve.column + " = " + scale_text(point.scale) + ": speedup " +
            short_number(point.speedup) + ", efficiency " + percent(100 * point.efficiency));
  }
  const std::string kind(scaling::to_text(curve.work.kind));
  const std::string caption = "Speedup along " + curve.column + " as the model predicts it, " +
                              kind + " scaling" + (curve.work.is_open ? " assumed" : "") + " (" +
                              curve.work.because + "), against " + curve.column + " = " +
                              short_number(points.front().scale) + "; the dashed line is ideal.";
  return "<figure>\n" +
         chart.svg({"speedup-" + std::to_string(number), "Speedup along " + curve.column,
                    "Predicted speedup and the ideal line on two logarithmic axes."}) +
         "\n" + element("figcaption", "", escaped_markup(caption)) + "\n</figure>\n";
}

std::string group_figures(const Content& content) {
  if (!content.groups)
    return "";
  std::string out;
  std::size_t number = 0;
  for (const RunGroup& group : content.groups->groups) {
    if (!group.curve)
      continue;
    const std::string title = content.groups->column + " = " + group.level;
    out += "<figure>\n" +
           time_chart(content, *group.curve, kSmallChart)
               .svg({"group-" + std::to_string(++number), title,
                     "The predicted time of the central run of " + title + " along " +
                         group.curve->column + "."}) +
           "\n" + element("figcaption", "", escaped_markup(title)) + "\n</figure>\n";
  }
  return out.empty() ? "" : "<div class=\"figures multiples\">\n" + out + "</div>\n";
}

}  // namespace perfmodel::page
