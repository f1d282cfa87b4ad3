#include "io/html/tables.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/wording/words.hpp"
#include "base/readable.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "fit/result/form.hpp"
#include "io/html/answers.hpp"
#include "io/html/markup.hpp"
#include "io/html/table.hpp"

namespace perfmodel::page {
namespace {

std::string ends_text(const std::optional<Interval>& interval) {
  return interval ? short_number(interval->low) + " .. " + short_number(interval->high) : "";
}

std::string status_cell(ConstantStatus status) {
  const bool doubtful =
      status == ConstantStatus::undetermined || status == ConstantStatus::at_bound;
  const std::string text(to_text(status));
  return doubtful ? doubtful_cell(text) : text;
}

/// "95 % interval", which only a bootstrap gives.
std::string interval_heading(const FittedModel& model) {
  return short_number(100 * model.uncertainty->confidence) + " % interval";
}

/// Headings of what is known of a constant; the model decides which there are.
std::vector<Heading> constant_headings(const FittedModel& model, const std::string& first) {
  std::vector<Heading> headings = {{first}, {"value", CellKind::number}};
  if (model.uncertainty)
    headings.push_back({interval_heading(model)});
  if (model.identifiability)
    headings.push_back({"by fitted runs"});
  return headings;
}

std::vector<std::string> constant_cells(const FittedModel& model, const ConstantRow& row) {
  std::vector<std::string> cells = {escaped_markup(row.name), number_cell(row.value)};
  if (model.uncertainty)
    cells.push_back(escaped_markup(ends_text(row.interval)));
  if (model.identifiability)
    cells.push_back(status_cell(row.status));
  return cells;
}

}  // namespace

TimeUnit page_unit(const Content& content) {
  return readable_unit(content.median_time, content.model.spec.unit);
}

std::string metrics_table(const Content& content) {
  const TimeUnit unit = page_unit(content);
  using enum CellKind;
  Table table("Errors: MAE, MSE and RMSE in the unit of the time, MAPE and SMAPE in percent",
              {{"part"},
               {"rows", number},
               {with_unit("MAE", unit.name), number},
               {"MAPE", number},
               {"SMAPE", number},
               {with_unit("MSE", unit.name.empty() ? "" : unit.name + "^2"), number},
               {with_unit("RMSE", unit.name), number},
               {"R2", number}});
  const auto add = [&](const std::string& name, const Metrics& metrics) {
    table.add({escaped_markup(name), std::to_string(metrics.rows),
               figure_of(metrics.mae, short_number(metrics.mae * unit.factor)),
               figure_of(metrics.mape_percent, percent(metrics.mape_percent)),
               figure_of(metrics.smape_percent, percent(metrics.smape_percent)),
               figure_of(metrics.mse, short_number(metrics.mse * unit.factor * unit.factor)),
               figure_of(metrics.rmse, short_number(metrics.rmse * unit.factor)),
               std::isnan(metrics.r2) ? "-" : number_cell(metrics.r2)});
  };
  for (const Part& part : content.parts)
    add("fit: " + part.name, part.metrics);
  add("these runs: " + content.runs.file, content.metrics);
  return table.html();
}

std::string worst_table(const Content& content) {
  const std::string& unit = content.model.spec.unit;
  using enum CellKind;
  Table table("The largest errors in percent, with their lines in " + shown_name(content.runs.file),
              {{"line", number},
               {"measured", number},
               {"predicted", number},
               {"error", number},
               {"configuration"}});
  std::size_t next = 0;
  for (const JudgedRow& row : content.errors.worst) {
    table.add({std::to_string(row.line), time_cell(row.measured, unit),
               time_cell(row.predicted, unit),
               figure_of(row.error_percent,
                         (row.error_percent > 0 ? "+" : "") + percent(row.error_percent)),
               escaped_markup(settings_text(content.worst_settings[next++]))});
  }
  return table.html();
}

std::string effect_table(const Content& content) {
  const std::string& unit = content.model.spec.unit;
  using enum CellKind;
  Table table(
      std::string("What each input does to the time of the shown configuration, all others held") +
          (content.model.spec.derived.empty()
               ? ""
               : "; without those that other inputs are derived from, but for scales"),
      {{"input"}, {"fastest at"}, {"slowest at"}, {"times", number}, {"ratio", number}});
  for (const Effect& effect : content.effects) {
    table.add({escaped_markup(effect.column), escaped_markup(effect.fast),
               escaped_markup(effect.slow),
               escaped_markup(time_range_text(effect.fast_time, effect.slow_time, unit)),
               number_cell(effect.ratio())});
  }
  return table.html();
}

std::string power_table(const Content& content) {
  const FittedModel& model = content.model;
  // Where columns are derived from every scale nothing is known of their powers.
  const bool has_status = std::any_of(
      content.powers.begin(), content.powers.end(),
      [](const ScalingPower& power) { return power.status != ConstantStatus::unknown; });
  std::vector<Heading> headings = {
      {"column"}, {"doubled"}, {"measured"}, {"power", CellKind::number}};
  if (model.uncertainty)
    headings.push_back({interval_heading(model)});
  if (has_status)
    headings.push_back({"by fitted runs"});
  Table table("What doubling a scale does at " + content.typical.place, headings);
  for (const ScalingPower& power : content.powers) {
    const auto doubling =
        std::find_if(content.doublings.begin(), content.doublings.end(),
                     [&](const Doubling& item) { return item.column == power.column; });
    std::vector<std::string> cells = {escaped_markup(power.column)};
    cells.push_back(power.derived ? "a derived column"
                    : doubling == content.doublings.end()
                        ? "-"
                        : escaped_markup(doubling_in_words(*doubling)));
    cells.push_back(
        escaped_markup(to_text(power.measured.low) + " .. " + to_text(power.measured.high)));
    cells.push_back(number_cell(power.power));
    if (model.uncertainty)
      cells.push_back(escaped_markup(ends_text(power.interval)));
    if (has_status)
      cells.push_back(status_cell(power.status));
    table.add(cells);
  }
  return table.html();
}

std::string constant_tables(const Content& content) {
  const FittedModel& model = content.model;
  std::string out;
  if (model.form->words().lists_terms) {
    for (const ConstantGroup& group : content.constants) {
      Table table(group.name == "C" ? "Constant part" : "Constants of " + group.name,
                  constant_headings(model, "constant"));
      for (const ConstantRow& row : group.constants)
        table.add(constant_cells(model, row));
      out += table.html();
    }
    return out;
  }
  Table table("Constants, in the units of the data", constant_headings(model, "constant"));
  for (const ConstantGroup& group : content.constants) {
    if (group.constants.size() > 1)
      table.add_group(group.name);
    for (const ConstantRow& row : group.constants)
      table.add(constant_cells(model, row));
  }
  return table.html();
}

std::string difference_table(const Content& content) {
  Table table("Differences between levels, which is what the runs can tell of them",
              constant_headings(content.model, "difference"));
  std::string column;
  for (const LevelDifference& difference : content.differences) {
    if (difference.column != column)
      table.add_group(difference.column);
    column = difference.column;
    table.add(constant_cells(content.model, difference.difference));
  }
  return table.html();
}

std::string file_table(const Content& content) {
  const Provenance& fitted = content.model.provenance;
  Table table("Files", {{"file"}, {"what it is"}, {"rows", CellKind::number}, {"SHA-256"}});
  const auto digest = [](const std::string& sha256) {
    return sha256.empty() ? std::string("not known") : element("code", "", escaped_markup(sha256));
  };
  const auto add = [&](const std::string& file, const std::string& what, std::size_t rows,
                       const std::string& sha256) {
    table.add({escaped_markup(shown_name(file)), what, std::to_string(rows), digest(sha256)});
  };
  if (!fitted.file.empty())
    add(fitted.file, "runs that the model was fitted to", fitted.rows, fitted.sha256);
  add(content.runs.file, "runs of this page", content.runs.rows, content.runs.sha256);
  return table.html();
}

std::string search_table(const Content& content) {
  const SearchSummary& search = content.model.search;
  if (search.strategy.empty())
    return "";
  Table table("The search for the constants", {{"what"}, {"value"}});
  table.add({"program", escaped_markup(content.model.provenance.tool)});
  table.add({"expression", std::string(content.model.form->words().noun)});
  if (search.process)
    table.add({"objective", escaped_markup(search.process->objective)});
  else
    table.add({"loss", escaped_markup(std::string(to_text(search.loss)))});
  if (search.penalty.l1 != 0)
    table.add({"L1 penalty", short_number(search.penalty.l1)});
  if (search.penalty.l2 != 0)
    table.add({"L2 penalty", short_number(search.penalty.l2)});
  table.add({"seed", std::to_string(search.seed)});
  table.add({"strategy", escaped_markup(search.strategy)});
  table.add(
      {"end",
       escaped_markup(search.termination) + " after " +
           (search.generations > 0 ? std::to_string(search.generations) + " generations, " : "") +
           std::to_string(search.evaluations) + " evaluations"});
  return table.html();
}

}  // namespace perfmodel::page
