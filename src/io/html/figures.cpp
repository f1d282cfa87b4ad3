#include "io/html/figures.hpp"

#include <algorithm>
#include <cmath>

#include "base/readable.hpp"
#include "io/html/chart.hpp"
#include "io/html/markup.hpp"
#include "io/html/time_axis.hpp"

namespace perfmodel::page {
namespace {

constexpr std::size_t kMostTicks = 6;
constexpr std::size_t kFewDots = 200;

std::string figure(const std::string& svg, const std::string& caption) {
  return "<figure>\n" + svg + "\n" + element("figcaption", "", escaped_markup(caption)) +
         "\n</figure>\n";
}

std::string rows_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " run" : " runs");
}

std::string beyond_the_axis(std::size_t runs) {
  return std::string(runs == 1 ? "lies" : "lie") + " beyond the axis.";
}

AxisText times_of(const Content& content, const std::string& which, const Range& range) {
  return time_axis(which + " " + content.model.spec.target, range, content.model.spec.unit,
                   kMostTicks);
}

/// Few dots may be large.
std::string style_of(const Cloud& cloud) {
  return cloud.inside <= kFewDots ? "dots few" : "dots";
}

/// What a cloud shows and what it leaves out.
std::string cloud_text(const Cloud& cloud, std::size_t not_positive) {
  std::string text = cloud.cells.empty()
                         ? "Each dot is one of " + rows_text(cloud.inside) + "."
                         : rows_text(cloud.inside) + ", counted in " +
                               std::to_string(cloud.cells.size()) +
                               " cells; the darker a cell, the more of them it holds.";
  if (cloud.outside > 0)
    text +=
        " " + rows_text(cloud.outside) + " with larger errors " + beyond_the_axis(cloud.outside);
  if (not_positive > 0) {
    text += " " + rows_text(not_positive) +
            " with a prediction of 0 or less cannot be shown on this axis.";
  }
  return text;
}

std::string row_text(const JudgedRow& row, const std::string& unit) {
  const std::string behind = unit.empty() ? "" : " " + unit;
  return "line " + std::to_string(row.line) + ": measured " + short_number(row.measured) + behind +
         ", predicted " + short_number(row.predicted) + behind + " (" +
         (row.error_percent > 0 ? "+" : "") + percent(row.error_percent) + ")";
}

/// A line y = factor * x through the range of both axes.
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
  std::string caption = "Predicted against measured times. On the line they are equal.";
  if (content.intervals && !content.intervals->differ) {
    // measured = factor * predicted
    chart.add_line(diagonal(cloud->x, 1 / content.intervals->factors.low), "dashed");
    chart.add_line(diagonal(cloud->x, 1 / content.intervals->factors.high), "dashed");
    caption += " The model's intervals promise " + short_number(100 * content.intervals->level) +
               " % of new runs between the dashed lines; of these " +
               percent(100 * content.intervals->covered) + " lie there.";
  }
  chart.add_line(diagonal(cloud->x, 1), "line");
  bool marked = false;
  for (const JudgedRow& row : content.errors.worst) {
    if (row.predicted > 0) {
      chart.add_mark({row.measured, row.predicted}, "worst",
                     row_text(row, content.model.spec.unit));
      marked = true;
    }
  }
  caption += " " + cloud_text(*cloud, content.errors.not_positive) +
             (marked ? " Circles are the runs with the largest errors, listed below." : "");
  return figure(chart.svg({"parity", "Predicted against measured times",
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
  return figure(
      chart.svg({"residuals", "Errors against predicted times",
                 "A scatter plot of the error in percent over the predicted time; half of the "
                 "errors lie between " +
                     percent(content.errors.quantiles.p25) + " and " +
                     percent(content.errors.quantiles.p75) + "."}),
      "Errors, (predicted - measured) / measured in percent, against the predicted time. Below "
      "the line the model is too fast. A slope or a bend is a pattern of the runs that the model "
      "lacks. " +
          cloud_text(*cloud, content.errors.not_positive));
}

std::string histogram_figure(const Content& content) {
  const std::vector<Bar>& bars = content.errors.histogram;
  const Range x{bars.front().low, bars.back().high, Spacing::linear};
  const auto fullest = std::max_element(
      bars.begin(), bars.end(), [](const Bar& a, const Bar& b) { return a.count < b.count; });
  const Range y{0, 1.05 * static_cast<double>(std::max<std::size_t>(fullest->count, 1)),
                Spacing::linear};
  std::vector<Tick> counts;
  for (const Tick& tick : ticks_of(y, kMostTicks))
    if (tick.value == std::floor(tick.value))
      counts.push_back(tick);
  Chart chart(x, {"error [%]", ticks_of(x, kMostTicks)}, y, {"runs", counts});
  for (const Bar& bar : bars) {
    if (bar.count > 0) {
      chart.add_rectangle(
          {bar.low, 0}, {bar.high, static_cast<double>(bar.count)}, "bar",
          short_number(bar.low) + " to " + short_number(bar.high) + " %: " + rows_text(bar.count));
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
    caption += " " + rows_text(content.errors.beyond_histogram) + " " +
               beyond_the_axis(content.errors.beyond_histogram);
  return figure(
      chart.svg({"histogram", "Distribution of the errors",
                 "A histogram of the errors in percent; median " + percent(q.median) + "."}),
      caption);
}

}  // namespace perfmodel::page
