#include "page/figures.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <string_view>

#include "analysis/model_words.hpp"
#include "forms/form.hpp"
#include "page/page.hpp"

namespace perfmodel::page {
namespace {

constexpr std::size_t kFewDots = 200;

std::string figure(const std::string& svg, const std::string& caption) {
  const std::string below =
      caption.empty() ? "" : element("figcaption", "", escaped_markup(caption)) + "\n";
  return "<figure>\n" + svg + "\n" + below + "</figure>\n";
}

/// Lays out small figures in a grid.
std::string multiples(const std::string& drawn) {
  return "<div class=\"figures multiples\">\n" + drawn + "</div>\n";
}

std::string beyond_the_axis(std::size_t runs) {
  return std::string(runs == 1 ? "lies" : "lie") + " beyond the axis.";
}

AxisText times_of(const Content& content, const std::string& which, const Range& range) {
  return time_axis(which + " " + content.model.spec.target, range, shown_unit(content.model.spec));
}

/// A few dots are drawn larger.
std::string style_of(const Cloud& cloud) {
  return cloud.inside <= kFewDots ? "dots few" : "dots";
}

/// Returns a text on what a cloud shows and omits.
std::string cloud_text(const Cloud& cloud, std::size_t not_positive) {
  std::string text = cloud.cells.empty()
                         ? "Each dot is one of " + counted_noun(cloud.inside, "run") + "."
                         : counted_noun(cloud.inside, "run") + ", counted in " +
                               std::to_string(cloud.cells.size()) +
                               " cells; the darker a cell, the more of them it holds.";
  if (cloud.outside > 0)
    text += " " + counted_noun(cloud.outside, "run") + " with larger errors " +
            beyond_the_axis(cloud.outside);
  if (not_positive > 0) {
    text += " " + counted_noun(not_positive, "run") +
            " with a prediction of 0 or less cannot be shown on this axis.";
  }
  return text;
}

std::string row_text(const JudgedRow& row, const Unit& unit) {
  return "line " + std::to_string(row.line) + ": measured " + time_text(row.measured, unit) +
         ", predicted " + time_text(row.predicted, unit) + " (" +
         signed_percent(row.error_percent) + ")";
}

/// Returns the line y = factor * x within the common range of both axes.
std::vector<Point> diagonal(const Range& range, double factor) {
  const double low = std::max(range.low, range.low / factor);
  const double high = std::min(range.high, range.high / factor);
  if (!(low < high))
    return {};
  return {{low, low * factor}, {high, high * factor}};
}

}  // namespace

std::string parity_figure(const Content& content) {
  const auto& cloud = content.errors.predicted_against_measured;
  if (!cloud)
    return "";
  Chart chart(cloud->x, times_of(content, "measured", cloud->x), cloud->y,
              times_of(content, "predicted", cloud->y));
  chart.add_cloud(*cloud, style_of(*cloud));
  const std::string title = fmt::format("Predicted against measured {}", words_in(content).values);
  std::string caption = title + ". On the line they are equal.";
  if (content.intervals && !content.model.known.intervals->by_deviation) {
    // measured = factor * predicted
    chart.add_line(diagonal(cloud->x, 1 / content.intervals->factors.lower), "dashed");
    chart.add_line(diagonal(cloud->x, 1 / content.intervals->factors.upper), "dashed");
    caption += " The model's intervals cover " +
               short_number(100 * content.model.known.intervals->level) +
               " % of new runs, between the dashed lines; of the runs shown, " +
               percent(100 * content.intervals->covered) + " lie there.";
  }
  chart.add_line(diagonal(cloud->x, 1), "line");
  bool marked = false;
  for (const JudgedRow& row : content.errors.worst) {
    if (row.predicted > 0) {
      chart.add_mark({row.measured, row.predicted}, "worst",
                     row_text(row, shown_unit(content.model.spec)));
      marked = true;
    }
  }
  caption += " " + cloud_text(*cloud, content.errors.not_positive) +
             (marked ? " Circles are the runs with the largest errors, listed below." : "");
  return figure(chart.svg({content.id_prefix + "parity", title,
                           "A scatter plot on two logarithmic axes with the line of equality; "
                           "mean absolute percentage error " +
                               percent(content.metrics.mape_percent) + "."}),
                caption);
}

std::string residual_figure(const Content& content) {
  const auto& cloud = content.errors.error_against_predicted;
  if (!cloud)
    return "";
  Chart chart(cloud->x, times_of(content, "predicted", cloud->x), cloud->y,
              {"error [%]", ticks_of(cloud->y, kMostTicks)});
  chart.add_cloud(*cloud, style_of(*cloud));
  chart.add_horizontal(0, "line");
  const MeasureWords& words = words_in(content);
  return figure(
      chart.svg(
          {content.id_prefix + "residuals",
           fmt::format("Errors against predicted {}", words.values),
           fmt::format("A scatter plot of the error in percent over the predicted {}; half of "
                       "the errors lie between ",
                       words.value) +
               percent(content.errors.quantiles.p25) + " and " +
               percent(content.errors.quantiles.p75) + "."}),
      fmt::format("Errors, (predicted - measured) / measured in percent, against the predicted {}. "
                  "Below the line the model predicts too little. A slope or a bend is a pattern of "
                  "the runs that the model lacks. ",
                  words.value) +
          cloud_text(*cloud, content.errors.not_positive));
}

std::string histogram_figure(const Content& content) {
  const std::vector<Bar>& bars = content.errors.histogram;
  const Range x{bars.front().low, bars.back().high, Spacing::linear};
  const auto fullest = std::ranges::max_element(bars, {}, &Bar::count);
  const Range y{0, 1.05 * static_cast<double>(std::max<std::size_t>(fullest->count, 1)),
                Spacing::linear};
  std::vector<Tick> counts;
  for (const Tick& tick : ticks_of(y, kMostTicks))
    if (tick.value == std::floor(tick.value))
      counts.push_back(tick);
  Chart chart(x, {"error [%]", ticks_of(x, kMostTicks)}, y, {"runs", counts});
  for (const Bar& bar : bars) {
    if (bar.count > 0) {
      chart.add_rectangle({bar.low, 0}, {bar.high, static_cast<double>(bar.count)}, "bar",
                          short_number(bar.low) + " to " + short_number(bar.high) +
                              " %: " + counted_noun(bar.count, "run"));
    }
  }
  chart.add_vertical(0, "line");
  const ErrorQuantiles& q = content.errors.quantiles;
  std::string caption = "How many runs have which error, in steps of " +
                        short_number(bars.front().high - bars.front().low) + " %. The median is " +
                        percent(q.median) + ", half of the errors lie between " + percent(q.p25) +
                        " and " + percent(q.p75) + ", nine tenths between " + percent(q.p5) +
                        " and " + percent(q.p95) + ".";
  if (content.errors.beyond_histogram > 0)
    caption += " " + counted_noun(content.errors.beyond_histogram, "run") + " " +
               beyond_the_axis(content.errors.beyond_histogram);
  return figure(
      chart.svg({content.id_prefix + "histogram", "Distribution of the errors",
                 "A histogram of the errors in percent; median " + percent(q.median) + "."}),
      caption);
}

namespace {

constexpr std::size_t kMostErrorFigures = 16;
constexpr std::size_t kMostShownGroups = 12;
constexpr std::size_t kTicksOfErrors = 5;
constexpr std::size_t kLongestLevel = 10;
constexpr double kFarthestError = 300;  // percent

/// Common range of all figures, so that they can be compared.
Range range_of_quartiles(const std::vector<ErrorsAlong>& all) {
  double low = -1;
  double high = 1;
  for (const ErrorsAlong& along : all) {
    for (const ErrorGroup& group : along.groups) {
      low = std::min(low, group.lower);
      high = std::max(high, group.upper);
    }
  }
  return range_of({low, std::min(high, kFarthestError)}, Spacing::linear);
}

std::string error_figure(const ErrorsAlong& along, const Range& y, const std::string& id) {
  const std::size_t count = std::min(along.groups.size(), kMostShownGroups);
  const Range x{-0.5, static_cast<double>(count) - 0.5, Spacing::linear};
  std::vector<Tick> ticks;
  for (std::size_t i = 0; i < count; ++i)
    ticks.push_back({static_cast<double>(i), clipped(along.groups[i].name, kLongestLevel)});
  const bool all = count == along.groups.size();
  Chart chart(x, {along.column + (all ? "" : " (the worst)"), ticks}, y,
              {"error [%]", ticks_of(y, kTicksOfErrors)}, kSmallChart);
  chart.add_horizontal(0, "line");
  for (std::size_t i = 0; i < count; ++i) {
    const ErrorGroup& group = along.groups[i];
    const auto at = static_cast<double>(i);
    chart.add_line({{at, group.lower}, {at, group.upper}}, "whisker");
    chart.add_mark({at, group.middle}, "middle",
                   along.column + " = " + group.name + ": half of the errors between " +
                       percent(group.lower) + " and " + percent(group.upper) + ", median " +
                       percent(group.middle) + ", " + std::to_string(group.rows) + " runs");
  }
  return figure(chart.svg({id, "Errors against " + along.column,
                           "The middle half and the median of the errors in percent by " +
                               along.column + "."}),
                "");
}

constexpr std::size_t kMostSteps = 16;  // the smaller ones are merged into one step
constexpr std::size_t kLongestStepName = 56;
constexpr double kRoomOfValues = 0.34;  // share of the width, right of the bars

struct StepBar {
  std::string name;
  double from = 0;
  double to = 0;
  std::string style;
};

/// `total`: the name of the last bar.
std::vector<StepBar> step_bars(const TimeSteps& steps, const std::string& total) {
  std::vector<StepBar> bars;
  double at = 0;
  const auto add = [&](const std::string& name, double time, const std::string& style) {
    bars.push_back({name, at, at + time, style});
    at += time;
  };
  for (std::size_t i = 0; i < steps.steps.size(); ++i) {
    if (i + 1 < steps.steps.size() && i + 1 >= kMostSteps) {
      double others = 0;
      for (std::size_t k = i; k < steps.steps.size(); ++k)
        others += steps.steps[k].time;
      add(std::to_string(steps.steps.size() - i) + " others", others, "bar");
      break;
    }
    add(steps.steps[i].name, steps.steps[i].time, "bar");
  }
  if (steps.gp)
    add("residual correction", *steps.gp, "bar process");
  bars.push_back({total, 0, steps.formula + steps.gp.value_or(0), "bar total"});
  return bars;
}

/// The shares of the terms add up to 100 %; a residual correction is written as a change of their
/// sum.
std::string value_of(const StepBar& bar, const TimeSteps& steps, const ShownTime& shown) {
  const double time = bar.to - bar.from;
  const std::string text = shown.number(time) + (shown.unit().empty() ? "" : " " + shown.unit());
  if (bar.style == "bar total")
    return text;
  return text + " (" + (bar.style == "bar process" && time > 0 ? "+" : "") +
         percent(100 * time / steps.formula) + ")";
}

}  // namespace

std::string error_figures(const Content& content) {
  const std::vector<ErrorsAlong>& all = content.errors_along;
  if (all.empty())
    return "";
  const Range y = range_of_quartiles(all);
  std::string out;
  const std::size_t shown = std::min(all.size(), kMostErrorFigures);
  for (std::size_t i = 0; i < shown; ++i)
    out += error_figure(all[i], y, content.id_prefix + "errors-" + std::to_string(i + 1));
  return doc::html(doc::Paragraph{
             "The errors against each input" +
             (shown < all.size() ? " (the first " + std::to_string(shown) + ")" : "") +
             ": the middle half of the runs and their median. Below the line the model predicts "
             "too little; a median far from the line shows a pattern that the model lacks."}) +
         multiples(out);
}

std::string share_figure(const Content& content) {
  if (!content.steps)
    return "";
  const ShownTime unit(readable_unit(content.steps->formula, shown_unit(content.model.spec)));
  const std::string predicted = fmt::format("predicted {}", words_in(content).value);
  const std::vector<StepBar> bars = step_bars(*content.steps, predicted);
  double low = 0;
  double high = 0;
  for (const StepBar& bar : bars) {
    low = std::min({low, bar.from, bar.to});
    high = std::max({high, bar.from, bar.to});
  }
  const ChartSize size;
  const Axis x({low, high, Spacing::linear}, 4, size.width * (1 - kRoomOfValues));
  constexpr double bar_height = 14;
  constexpr double step_height = 40;
  std::string drawn;
  double y = 16;
  for (const StepBar& bar : bars) {
    const double from = std::min(x.at(bar.from), x.at(bar.to));
    const double to = std::max(x.at(bar.from), x.at(bar.to));
    const std::string value = value_of(bar, *content.steps, unit);
    drawn += text_at(4, y, "start", clipped(bar.name, kLongestStepName)) +
             rectangle(from, y + 5, std::max(to - from, 0.5), bar_height, bar.style,
                       bar.name + ": " + value) +
             text_at(to + 6, y + 17, "start", value);
    y += step_height;
  }
  return figure(drawing({content.id_prefix + "shares", "What the " + predicted + " consists of",
                         "Bars one after the other; they add up to the " + predicted + "."},
                        size.width, y - 12, drawn),
                "What adds up to the " + predicted + " at " + content.central.place + ". " +
                    std::string(content.model.form->words().share_caption));
}

Range range_of_times(const ScaleCurve& curve) {
  constexpr double widest_band = 100;  // largest factor above or below the curve that is shown
  std::vector<double> times;
  for (const Forecast& point : curve.points) {
    times.push_back(point.time);
    if (point.interval) {
      times.push_back(std::max(point.interval->low, point.time / widest_band));
      times.push_back(std::min(point.interval->high, point.time * widest_band));
    }
  }
  for (const auto* runs : {&curve.runs.measured, &curve.runs.adjusted})
    for (const Point& run : *runs)
      times.push_back(run.y);
  // Intervals of extremely long times can end at infinity or NaN.
  std::erase_if(times, [](double time) { return !std::isfinite(time) || time <= 0; });
  return range_of(times, Spacing::logarithmic);
}

namespace {

constexpr double kLongScale = 1e6;
constexpr std::size_t kTicksOfAScale = 8;

/// Writes short whole numbers in full.
std::string scale_text(double scale) {
  return scale == std::round(scale) && scale < kLongScale ? to_text(scale) : short_number(scale);
}

/// Returns ticks at the measured scales, if there are few, and at doublings beyond them.
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

/// Shades the unmeasured parts, up to the nearest measured point.
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

/// Draws the line solid between measured points, dashed elsewhere.
void draw_line(const std::vector<Forecast>& points, double Forecast::*y, Chart& chart) {
  std::vector<Point> part;
  for (std::size_t i = 0; i < points.size(); ++i) {
    part.push_back({points[i].scale, points[i].*y});
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
  if (points.size() < 2 || !points.front().interval)
    return;
  std::vector<Point> corners;
  for (const Forecast& point : points)
    corners.push_back({point.scale, point.interval->low});
  for (auto point = points.rbegin(); point != points.rend(); ++point)
    corners.push_back({point->scale, point->interval->high});
  chart.add_area(corners, "band");
}

std::string point_text(const ScaleCurve& curve, const Forecast& point, const Unit& unit) {
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
  const Unit unit = shown_unit(content.model.spec);
  const bool is_small = size.width < ChartSize{}.width;
  const Range x = range_of_scales(curve.points);
  const Range y = range_of_times(curve);
  Chart chart(x, {curve.column, scale_ticks(curve, x)}, y,
              time_axis(is_small ? std::string(words_in(content).value) : content.model.spec.target,
                        y, unit),
              size);
  draw_unmeasured(curve.points, x, y, chart);
  draw_band(curve.points, chart);
  draw_line(curve.points, &Forecast::time, chart);
  for (const Forecast& point : curve.points) {
    const bool is_shown = point.scale == curve.shown;
    if (is_shown || (curve.whole && !is_small))
      chart.add_mark({point.scale, point.time}, is_shown ? "point shown" : "point",
                     point_text(curve, point, unit));
  }
  // Drawn last, so that predictions do not cover measurements.
  chart.add_circles(curve.runs.adjusted, "hollow");
  chart.add_cloud({.x = x, .y = y, .points = curve.runs.measured, .cells = {}}, "dots near");
  return chart;
}

}  // namespace

std::string scale_legend(const Content& content) {
  if (content.curves.empty())
    return "";
  return fmt::format("The line is the {} that the model predicts for the configuration of ",
                     words_in(content).value) +
         content.central.place + ", the ringed point, if only the scale changes" +
         (std::ranges::any_of(content.curves,
                              [](const ScaleCurve& curve) { return !curve.moved.empty(); })
              ? " and inputs tied to it change with it"
              : "") +
         ". Nothing was measured in the grey ranges. " +
         (content.intervals
              ? "The band is the model's " +
                    short_number(100 * content.model.known.intervals->level) +
                    " % interval for new " + std::string(words_in(content).values) + ". "
              : "") +
         "Small dots are runs, blue ones points of the line.";
}

std::string scale_figure(const Content& content, const ScaleCurve& curve, std::size_t number) {
  const auto doubling = std::ranges::find(content.doublings, curve.column, &Effect::column);
  const std::string value(words_in(content).value);
  const std::string against = (value == "time" ? "Time" : "Value") + (" against " + curve.column);
  const std::string answer = doubling == content.doublings.end()
                                 ? "the model predicts no " + value + " > 0 at twice the scale"
                                 : effect_in_words(*doubling, &content.model.spec);
  const std::string caption =
      against + ": " + answer + ". Measured: " + to_text(curve.measured.low) + " .. " +
      to_text(curve.measured.high) + "." +
      (curve.moved.empty() ? "" : " Changing with it: " + joined(curve.moved, ", ") + ".") + " " +
      runs_text(curve.runs);
  return figure(
      time_chart(content, curve, {})
          .svg({content.id_prefix + "scale-" + std::to_string(number), against,
                "The predicted " + value + " of the shown configuration on two logarithmic axes; " +
                    answer + "."}),
      caption);
}

std::string speedup_figure(const Content& content, const ScaleCurve& curve, std::size_t number) {
  const std::vector<Forecast>& points = curve.forecasts;
  if (points.size() < 2 || !tells_speedup(content, curve))
    return "";
  const Range x = range_of_scales(points);
  const double ideal = points.back().scale / points.front().scale;
  std::vector<double> speedups = {1, ideal};
  for (const Forecast& point : points)
    speedups.push_back(point.speedup);
  const Range y = range_of(speedups, Spacing::logarithmic);
  const std::vector<Tick> ticks = mapped(points, [](const Forecast& point) {
    return Tick{point.scale, scale_text(point.scale)};
  });
  Chart chart(x, {curve.column, ticks}, y, {"speedup", ticks_of(y, kMostTicks)});
  draw_unmeasured(points, x, y, chart);
  chart.add_line({{points.front().scale, 1}, {points.back().scale, ideal}}, "dashed");
  draw_line(points, &Forecast::speedup, chart);
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
  return figure(chart.svg({content.id_prefix + "speedup-" + std::to_string(number),
                           "Speedup along " + curve.column,
                           "Predicted speedup and the ideal line on two logarithmic axes."}),
                caption);
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
    out += figure(
        time_chart(content, *group.curve, kSmallChart)
            .svg({content.id_prefix + "group-" + std::to_string(++number), title,
                  fmt::format("The predicted {} of the central run of ", words_in(content).value) +
                      title + " along " + group.curve->column + "."}),
        title);
  }
  return out.empty() ? "" : multiples(out);
}

}  // namespace perfmodel::page
