#include <algorithm>
#include <cmath>

#include "analysis/wording/words.hpp"
#include "base/readable.hpp"
#include "io/html/chart.hpp"
#include "io/html/figures.hpp"
#include "io/html/markup.hpp"

namespace perfmodel::page {
namespace {

constexpr std::size_t kTicksOfAScale = 8;

std::vector<Point> scaled(const std::vector<Point>& points, double factor) {
  std::vector<Point> out = points;
  for (Point& point : out)
    point.y *= factor;
  return out;
}

/// Measured scales where there are few, and doublings beyond them.
std::vector<Tick> scale_ticks(const ScaleCurve& curve, const Range& range) {
  if (curve.scales.empty())
    return ticks_of(range, kTicksOfAScale);
  std::vector<Tick> ticks;
  for (const double scale : curve.scales)
    ticks.push_back({scale, short_number(scale)});
  for (double scale = 2 * curve.scales.back(); scale <= range.high; scale *= 2)
    ticks.push_back({scale, short_number(scale)});
  return ticks;
}

Range times_of(const ScaleCurve& curve) {
  std::vector<double> times;
  const auto add = [&](const std::vector<Point>& points) {
    for (const Point& point : points) {
      times.push_back(point.y);
      if (curve.factors) {
        times.push_back(point.y * curve.factors->low);
        times.push_back(point.y * curve.factors->high);
      }
    }
  };
  add(curve.within);
  add(curve.extrapolated);
  for (const ScaleGroup& group : curve.groups)
    times.insert(times.end(), {group.lower, group.upper});
  if (curve.near_runs)
    times.insert(times.end(), {curve.near_runs->y.low, curve.near_runs->y.high});
  // The ends of intervals of the longest times there are may be no numbers.
  std::erase_if(times, [](double time) { return !std::isfinite(time) || time <= 0; });
  return range_of(times, Spacing::logarithmic);
}

Range scales_of(const ScaleCurve& curve) {
  std::vector<double> scales = {curve.within.front().x, curve.within.back().x};
  if (!curve.extrapolated.empty())
    scales.push_back(curve.extrapolated.back().x);
  for (const ScaleGroup& group : curve.groups)
    scales.push_back(group.scale);
  return range_of(scales, Spacing::logarithmic);
}

void draw_groups(const ScaleCurve& curve, const std::string& unit, Chart& chart) {
  for (const ScaleGroup& group : curve.groups) {
    chart.add_line({{group.scale, group.lower}, {group.scale, group.upper}}, "whisker");
    chart.add_mark({group.scale, group.middle}, "middle",
                   curve.column + " = " + short_number(group.scale) + ": median " +
                       short_number(group.middle) + (unit.empty() ? "" : " " + unit) +
                       ", middle half " + short_number(group.lower) + " .. " +
                       short_number(group.upper) + ", " + std::to_string(group.rows) + " runs");
  }
}

std::string caption_of(const ScaleCurve& curve, const std::string& answer) {
  std::string text = "Time against " + curve.column + ": " + answer +
                     ". Measured: " + short_number(curve.measured.low) + " .. " +
                     short_number(curve.measured.high) + ".";
  const std::string configuration = " the typical configuration, other numbers within 10 %";
  if (!curve.near_runs)
    return text + " No run has" + configuration + ".";
  const std::size_t runs = curve.near_runs->inside;
  return text + (curve.near_runs->cells.empty() ? " Dots: " : " Shades: ") + std::to_string(runs) +
         (runs == 1 ? " run of" : " runs of") + configuration + ".";
}

}  // namespace

std::string scale_legend(const Content& content) {
  if (content.curves.empty())
    return "";
  return std::string(
             "In each figure the line is the time that the model predicts for the typical "
             "configuration: solid over the tinted range, which was measured, dashed where "
             "it is extrapolated. ") +
         (content.intervals ? "The band around it is the model's interval for new times. " : "") +
         "The uprights are all runs, whatever their configuration, by the ratio of their measured "
         "to their predicted time: the middle half and the median. Where they leave the line, the "
         "model does not scale as the runs do.";
}

std::string scale_figure(const Content& content, const ScaleCurve& curve, std::size_t number) {
  const std::string& unit = content.model.spec.unit;
  const Range x = scales_of(curve);
  const Range y = times_of(curve);
  Chart chart(
      x, {curve.column, scale_ticks(curve, x)}, y,
      {with_unit("predicted " + content.model.spec.target, unit), ticks_of(y, kTicksOfAScale)});
  chart.add_rectangle({curve.measured.low, y.low}, {curve.measured.high, y.high}, "measured", "");
  if (curve.factors)
    for (const auto* part : {&curve.within, &curve.extrapolated})
      chart.add_band(scaled(*part, curve.factors->low), scaled(*part, curve.factors->high), "band");
  chart.add_line(curve.extrapolated, "curve beyond");
  chart.add_line(curve.within, "curve");
  draw_groups(curve, unit, chart);
  if (curve.near_runs)
    chart.add_cloud(*curve.near_runs, "dots near");
  const auto doubling =
      std::find_if(content.doublings.begin(), content.doublings.end(),
                   [&](const Doubling& candidate) { return candidate.column == curve.column; });
  const std::string answer = doubling == content.doublings.end()
                                 ? "the model gives no time at twice the scale"
                                 : doubling_in_words(*doubling);
  return "<figure>\n" +
         chart.svg({"scale-" + std::to_string(number), "Time against " + curve.column,
                    "The predicted time of the typical configuration on two logarithmic axes; " +
                        answer + "."}) +
         "\n" + element("figcaption", "", escaped_markup(caption_of(curve, answer))) +
         "\n</figure>\n";
}

}  // namespace perfmodel::page
