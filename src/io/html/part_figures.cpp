#include <algorithm>
#include <cmath>

#include "base/readable.hpp"
#include "base/time_text.hpp"
#include "fit/result/form.hpp"
#include "io/html/chart.hpp"
#include "io/html/figures.hpp"
#include "io/html/markup.hpp"

namespace perfmodel::page {
namespace {

constexpr std::size_t kMostSteps = 16;  // what is smaller is one step
constexpr std::size_t kLongestStepName = 56;
constexpr double kRoomOfValues = 0.34;  // of the width, right of the bars

struct StepBar {
  std::string name;
  double from = 0;
  double to = 0;
  std::string style;
};

std::vector<StepBar> step_bars(const TimeSteps& steps) {
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
  if (steps.process)
    add("residual process, from the runs nearby", *steps.process, "bar process");
  bars.push_back({"predicted time", 0, steps.total, "bar total"});
  return bars;
}

}  // namespace

std::string share_figure(const Content& content) {
  if (!content.steps)
    return "";
  const std::string& unit = content.model.spec.unit;
  const std::vector<StepBar> bars = step_bars(*content.steps);
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
    const double time = bar.to - bar.from;
    const std::string value =
        time_text(time, unit) + " (" + percent(100 * time / content.steps->total) + ")";
    drawn += text_at(4, y, "start", clipped(bar.name, kLongestStepName)) +
             element("rect",
                     attribute("class", bar.style) + attribute("x", coordinate(from)) +
                         attribute("y", coordinate(y + 5)) +
                         attribute("width", coordinate(std::max(to - from, 0.5))) +
                         attribute("height", coordinate(bar_height)),
                     element("title", "", escaped_markup(bar.name + ": " + value))) +
             "\n" + text_at(to + 6, y + 17, "start", value);
    y += step_height;
  }
  const std::string process = content.process_percent
                                  ? " Within the runs the process typically changes a time by " +
                                        percent(*content.process_percent) + "."
                                  : "";
  return "<figure>\n" +
         drawing({"shares", "What the predicted time consists of",
                  "Bars one after the other; they add up to the predicted time."},
                 size.width, y - 12, drawn) +
         "\n" +
         element("figcaption", "",
                 escaped_markup("What adds up to the predicted time at " + content.typical.place +
                                ". " + std::string(content.model.form->words().share_caption) +
                                process)) +
         "\n</figure>\n";
}

}  // namespace perfmodel::page
