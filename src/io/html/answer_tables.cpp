#include <algorithm>
#include <cmath>

#include "analysis/wording/words.hpp"
#include "base/readable.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "fit/result/form.hpp"
#include "io/html/answers.hpp"
#include "io/html/markup.hpp"
#include "io/html/table.hpp"
#include "io/html/tables.hpp"

namespace perfmodel::page {
namespace {

constexpr std::size_t kMostGroupsOfErrors = 12;
constexpr std::size_t kEnoughRuns = 5;  // for an error to be more than an accident
constexpr double kMuchWorse = 1.5;      // than all runs

std::string interval_cell(const Forecast& forecast, const std::string& unit) {
  return forecast.interval ? escaped_markup(time_range_text(forecast.interval->low,
                                                            forecast.interval->high, unit))
                           : "";
}

std::string folded_formula(const std::string& formula) {
  return element("details", "",
                 element("summary", "", "formula") + element("code", "", escaped_markup(formula)));
}

/// "4 -> 8" with an arrow that no line break takes apart.
std::string with_arrow(std::string text) {
  const std::size_t at = text.find(" -> ");
  return at == std::string::npos ? text : text.replace(at, 4, "\u00a0\u2192\u00a0");
}

}  // namespace

std::string term_table(const Content& content) {
  if (!content.model.form->words().lists_terms || content.shares.empty())
    return "";
  const std::vector<Heading> headings = {
      {"term"}, {"here", CellKind::number}, {"all runs", CellKind::number}, {"depends on"}};
  Table table("The terms: their shares of the " +
                  std::string(content.process_percent ? "trend's time" : "time") + " at " +
                  content.typical.place + " and of all runs together",
              headings);
  Table small("Smaller terms", headings);
  std::size_t folded = 0;
  for (const Share& share : content.shares) {
    const bool is_small = std::abs(share.percent_shown) < TimeSteps::least &&
                          std::abs(share.percent) < TimeSteps::least;
    (is_small ? small : table)
        .add({escaped_markup(share.name),
              figure_of(share.percent_shown, percent(share.percent_shown)),
              figure_of(share.percent, percent(share.percent)),
              share.title == share.name
                  ? element("code", "", escaped_markup(share.formula))
                  : escaped_markup(share.title) + folded_formula(share.formula)});
    folded += is_small ? 1U : 0U;
  }
  if (folded == 0)
    return table.html();
  return table.html() +
         element("details", "",
                 element("summary", "",
                         std::to_string(folded) + (folded == 1 ? " term" : " terms") +
                             " of less than " + short_number(TimeSteps::least) + " %") +
                     small.html()) +
         "\n";
}

std::string forecast_table(const Content& content, const ScaleCurve& curve) {
  using enum CellKind;
  const std::string& unit = content.model.spec.unit;
  const bool has_intervals = content.model.intervals.has_value();
  std::vector<Heading> headings = {{curve.column, number}, {"time", number}};
  if (has_intervals)
    headings.push_back(
        {short_number(100 * content.model.intervals->level) + " % interval", number});
  const bool has_speedups = scaling::counts_workers(curve.column);
  if (has_speedups)
    headings.insert(headings.end(), {{"speedup", number}, {"efficiency", number}});
  headings.push_back({""});
  Table table("Predictions along " + curve.column +
                  (has_speedups ? ", " + std::string(scaling::to_text(curve.work.kind)) +
                                      " scaling" + (curve.work.is_open ? " assumed" : "")
                                : "") +
                  ": " + curve.work.because,
              headings);
  for (const Forecast& forecast : curve.forecasts) {
    const double times = forecast.scale / curve.shown;
    std::vector<std::string> notes;
    if (times == 1)
      notes.emplace_back("shown");
    else if (times > 1)
      notes.push_back(short_number(times) + " \u00d7 the shown");
    if (!forecast.measured)
      notes.push_back(doubtful_cell("not measured"));
    std::vector<std::string> cells = {figure_of(forecast.scale, to_text(forecast.scale)),
                                      time_cell(forecast.time, unit)};
    if (has_intervals)
      cells.push_back(interval_cell(forecast, unit));
    if (has_speedups)
      cells.insert(cells.end(),
                   {number_cell(forecast.speedup),
                    figure_of(forecast.efficiency, percent(100 * forecast.efficiency))});
    cells.push_back(joined(notes, ", "));
    table.add(cells);
  }
  return table.html();
}

std::string group_table(const Content& content) {
  if (!content.groups)
    return "";
  using enum CellKind;
  const RunGroups& groups = *content.groups;
  const std::string& unit = content.model.spec.unit;
  Table table("By " + groups.column + ", since one typical time means nothing here" +
                  (groups.left_out > 0
                       ? "; " + std::to_string(groups.left_out) + " levels with few runs left out"
                       : ""),
              {{groups.column},
               {"runs", number},
               {"median time", number},
               {"error (MAPE)", number},
               {"scaling at its central run"}});
  for (const RunGroup& group : groups.groups) {
    std::string scaling;
    for (const Doubling& doubling : group.doublings)
      scaling += (scaling.empty() ? "" : "; ") + doubling.column + " " +
                 with_arrow(doubling_in_words(doubling));
    table.add({escaped_markup(group.level), std::to_string(group.rows),
               time_cell(group.median_time, unit), figure_of(group.mape, percent(group.mape)),
               escaped_markup(scaling)});
  }
  return table.html();
}

std::string error_table(const Content& content) {
  using enum CellKind;
  const double overall = content.metrics.mape_percent;
  Table table("Errors by level and by scale; emphasised where they are half as large again",
              {{"runs with"},
               {"runs", number},
               {"median time", number},
               {"MAPE", number},
               {"median error", number}});
  for (const ErrorsAlong& along : content.errors_along) {
    if (along.kind == InputKind::number)
      continue;
    table.add_group(along.column);
    const std::size_t shown = std::min(along.groups.size(), kMostGroupsOfErrors);
    for (std::size_t i = 0; i < shown; ++i) {
      const ErrorGroup& group = along.groups[i];
      const std::string mape = figure_of(group.mape, percent(group.mape));
      const bool is_bad = group.mape > kMuchWorse * overall && group.rows >= kEnoughRuns;
      table.add({escaped_markup(group.name), std::to_string(group.rows),
                 time_cell(group.median_time, content.model.spec.unit),
                 is_bad ? doubtful_cell(mape) : mape,
                 figure_of(group.middle, (group.middle > 0 ? "+" : "") + percent(group.middle))});
    }
    if (shown < along.groups.size())
      table.add({std::to_string(along.groups.size() - shown) + " levels with smaller errors", "",
                 "", "", ""});
  }
  return table.html();
}

std::string comparison_table(const Content& content) {
  if (!content.comparison)
    return "";
  using enum CellKind;
  const Comparison& other = *content.comparison;
  const TimeUnit unit = page_unit(content);
  Table table("Both models on the same " + std::to_string(content.metrics.rows) + " runs",
              {{"model"},
               {"MAPE", number},
               {"SMAPE", number},
               {with_unit("MAE", unit.name), number},
               {with_unit("RMSE", unit.name), number},
               {"R2", number}});
  const auto add = [&](const std::string& name, const Metrics& metrics) {
    table.add({escaped_markup(name), figure_of(metrics.mape_percent, percent(metrics.mape_percent)),
               figure_of(metrics.smape_percent, percent(metrics.smape_percent)),
               figure_of(metrics.mae, short_number(metrics.mae * unit.factor)),
               figure_of(metrics.rmse, short_number(metrics.rmse * unit.factor)),
               std::isnan(metrics.r2) ? "-" : number_cell(metrics.r2)});
  };
  add("old: " + shown_name(other.model_file), other.metrics);
  add("new: " + shown_name(content.model_file), content.metrics);
  return table.html();
}

}  // namespace perfmodel::page
