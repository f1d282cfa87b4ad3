#include <algorithm>
#include <cmath>

#include "base/readable.hpp"
#include "io/html/chart.hpp"
#include "io/html/figures.hpp"
#include "io/html/markup.hpp"

namespace perfmodel::page {
namespace {

constexpr std::size_t kMostErrorFigures = 16;
constexpr std::size_t kMostShownGroups = 12;
constexpr std::size_t kTicksOfErrors = 5;
constexpr std::size_t kLongestLevel = 10;
constexpr double kFarthestError = 300;  // percent

/// One range for all figures, so that they can be compared.
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

std::string error_figure(const ErrorsAlong& along, const Range& y, std::size_t number) {
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
  return "<figure>\n" +
         chart.svg(
             {"errors-" + std::to_string(number), "Errors against " + along.column,
              "The middle half and the median of the errors in percent by " + along.column + "."}) +
         "\n</figure>\n";
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
    out += error_figure(all[i], y, i + 1);
  return element("p", "",
                 escaped_markup("The errors against each input" +
                                std::string(shown < all.size()
                                                ? " (the first " + std::to_string(shown) + ")"
                                                : "") +
                                ": the middle half of the runs and their median. Below the line "
                                "the model is too fast; what leaves it is a pattern that the model "
                                "lacks.")) +
         "\n<div class=\"figures multiples\">\n" + out + "</div>\n";
}

}  // namespace perfmodel::page
