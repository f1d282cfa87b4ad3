#include <algorithm>
#include <string_view>
#include <vector>

#include "analysis/model_words.hpp"
#include "analysis/scaling.hpp"
#include "forms/form.hpp"
#include "page/page.hpp"
#include "storage/files.hpp"

namespace perfmodel::page {
namespace {

/// Returns "95 % interval". The model must have bootstrap intervals.
std::string interval_heading(const FittedModel& model) {
  return short_number(100 * model.known.uncertainty->confidence) + " % interval";
}

/// Returns an empty table of constants with the columns that the model has data for.
doc::Table constants_under(const FittedModel& model, const char* first, std::string caption) {
  doc::Table table{{doc::words(first), doc::numbers("value")}};
  table.caption = std::move(caption);
  if (model.known.uncertainty)
    table.columns.push_back(doc::words(interval_heading(model)));
  if (model.known.identifiability)
    table.columns.push_back(doc::words("by fitted runs"));
  return table;
}

std::vector<doc::Cell> constant_cells(const FittedModel& model, const ConstantRow& row) {
  std::vector<doc::Cell> cells = {row.name, row.value};
  if (model.known.uncertainty)
    cells.emplace_back(row.interval);
  if (model.known.identifiability) {
    const doc::Cell status(to_text(row.status));
    cells.push_back(is_doubtful(row.status) ? doc::doubtful(status) : status);
  }
  return cells;
}

/// In place of errors.
doc::Table bound_table(const Content& content) {
  const Bound& bound = *content.model.bound;
  doc::Table table{{doc::words("part"), doc::numbers("at or below", {}, doc::percent_of_share),
                    doc::numbers("sum of bounds / measured sum")}};
  table.caption = "How many runs stay at or below the bound, and how much it allocates";
  const auto add = [&](const std::string& name, const std::optional<BoundUse>& use) {
    if (use)
      table.add({name, use->coverage, use->over_allocation});
  };
  add("fit: training", bound.train);
  add("fit: validation", bound.validation);
  add("fit: test", bound.test);
  add("these runs: " + content.runs.file, content.bound);
  return table;
}

}  // namespace

std::string signed_percent(double value) {
  return (value > 0 ? "+" : "") + percent(value);
}

ShownTime page_time(const Content& content) {
  return ShownTime(readable_unit(content.median_time, shown_unit(content.model.spec)));
}

const MeasureWords& words_in(const Content& content) {
  return words_of_measure(measure_of(content.model.spec));
}

bool tells_speedup(const Content& content, const ScaleCurve& curve) {
  return is_speed(measure_of(content.model.spec)) && scaling::counts_workers(curve.column);
}

doc::Table metrics_table(const Content& content) {
  if (content.bound)
    return bound_table(content);
  std::vector<std::pair<std::string, std::optional<Metrics>>> parts;
  for (const Part& part : content.parts)
    parts.emplace_back("fit: " + part.name, part.metrics);
  parts.emplace_back("these runs: " + content.runs.file, content.metrics);
  doc::Table table = doc::metrics_table("part", doc::kErrorMetrics, page_time(content), parts);
  table.caption = "Errors: MAE, MSE and RMSE in the unit of the target, MAPE and SMAPE in percent";
  return table;
}

doc::Table worst_table(const Content& content) {
  const doc::Format time = doc::time_in(shown_unit(content.model.spec));
  doc::Table table{{doc::numbers("line"), doc::numbers("measured", {}, time),
                    doc::numbers("predicted", {}, time), doc::numbers("error", {}, signed_percent),
                    doc::words("configuration")}};
  table.caption =
      "The largest errors in percent, with their lines in " + display_name(content.runs.file);
  for (const JudgedRow& row : content.errors.worst)
    table.add({row.line, row.measured, row.predicted, row.error_percent,
               settings_text(content.model.spec, configuration_of(content.design, row.row))});
  return table;
}

doc::Table effect_table(const Content& content) {
  doc::Table table{{doc::words("input"), doc::words("from -> to"), doc::numbers("ratio"),
                    doc::words("90 % interval"), doc::words("over the runs"), doc::words("most at"),
                    doc::words("")}};
  table.caption =
      "What each input does to the " + std::string(words_in(content).value) +
      " of the shown configuration, all others held: scales doubled, other numbers from their low "
      "to their high typical value, levels from the one with the smallest to the one with the "
      "largest" +
      std::string(content.model.spec.derived.empty()
                      ? ""
                      : "; without inputs that others are derived from, but for scales") +
      ". Over the runs: from the 10th to the 90th percentile of the ratios, each run with this "
      "input alone changed";
  for (const Effect& effect : content.effects) {
    const doc::Cell ends = effect.interval;
    table.add({effect.column, value_text(effect.from) + " -> " + value_text(effect.to),
               effect.ratio, effect.is_determined() ? ends : doc::doubtful(ends),
               doc::Cell(effect.over_runs), effect.most_at,
               effect.measured ? doc::Cell() : doc::doubtful("not measured")});
  }
  return table;
}

doc::Table power_table(const Content& content) {
  const FittedModel& model = content.model;
  doc::Table table{{doc::words("column"),
                    doc::words("doubled"),
                    {"measured", doc::Align::left, doc::all_digits},
                    doc::numbers("power")}};
  table.caption = "What doubling a scale does at " + content.central.place;
  if (model.known.uncertainty)
    table.columns.push_back(doc::words(interval_heading(model)));
  for (const ScalingPower& power : content.powers) {
    const auto doubling = std::ranges::find(content.doublings, power.column, &Effect::column);
    std::vector<doc::Cell> cells = {power.column,
                                    power.derived ? "a derived column"
                                    : doubling == content.doublings.end()
                                        ? "-"
                                        : effect_in_words(*doubling, &model.spec),
                                    Interval{power.measured.low, power.measured.high}, power.power};
    if (model.known.uncertainty)
      cells.emplace_back(power.interval);
    table.add(std::move(cells));
  }
  return table;
}

std::vector<doc::Table> constant_tables(const Content& content) {
  const FittedModel& model = content.model;
  std::vector<doc::Table> out;
  const bool lists_terms = model.form->words().lists_terms;
  if (!lists_terms)
    out.push_back(constants_under(model, "constant", "Constants, in the units of the data"));
  for (const ConstantGroup& group : content.constants) {
    if (lists_terms)
      out.push_back(constants_under(
          model, "constant", group.name == "C" ? "Constant part" : "Constants of " + group.name));
    else if (group.constants.size() > 1)
      out.back().add_group(group.name);
    for (const ConstantRow& row : group.constants)
      out.back().add(constant_cells(model, row));
  }
  doc::Table& differences = out.emplace_back(constants_under(
      model, "difference", "Differences between levels, which the runs can determine"));
  for (const LevelDifference& difference : difference_table(model)) {
    if (differences.groups.empty() || differences.groups.back().second != difference.column)
      differences.add_group(difference.column);
    differences.add(constant_cells(model, difference.difference));
  }
  return out;
}

doc::Table file_table(const Content& content) {
  const Provenance& fitted = content.model.provenance;
  doc::Table table{
      {doc::words("file"), doc::words("what it is"), doc::numbers("rows"), doc::words("SHA-256")}};
  table.caption = "Files";
  const auto add = [&](const std::string& file, const char* what, std::size_t rows,
                       const std::string& sha256) {
    table.add({display_name(file), what, rows, sha256.empty() ? "not known" : doc::code(sha256)});
  };
  if (!fitted.file.empty())
    add(fitted.file, "runs that the model was fitted to", fitted.rows, fitted.sha256);
  add(content.runs.file, "runs of this page", content.runs.rows, content.runs.sha256);
  return table;
}

doc::Table search_table(const Content& content) {
  const SearchSummary& search = content.model.search;
  doc::Table table{{doc::words("what"), doc::words("value")}};
  table.caption = "The search for the constants";
  if (search.strategy.empty())
    return table;
  table.add({"program", content.model.provenance.tool});
  table.add({"expression", content.model.form->words().noun});
  if (search.gp)
    table.add({"objective", search.gp->objective});
  else
    table.add({"loss", to_text(search.objective.loss)});
  if (search.objective.penalty.l1 != 0)
    table.add({"L1 penalty", short_number(search.objective.penalty.l1)});
  if (search.objective.penalty.l2 != 0)
    table.add({"L2 penalty", short_number(search.objective.penalty.l2)});
  table.add({"seed", std::to_string(search.seed)});
  table.add({"strategy", search.strategy});
  table.add(
      {"end",
       search.termination + " after " +
           (search.generations > 0 ? std::to_string(search.generations) + " generations, " : "") +
           std::to_string(search.evaluations) + " evaluations"});
  return table;
}

}  // namespace perfmodel::page

namespace perfmodel {
namespace {

constexpr std::size_t kWorstOfComment = 3;
constexpr std::size_t kGroupsOfComment = 10;

doc::Table first_rows(doc::Table table, std::size_t most) {
  table.rows.resize(std::min(most, table.rows.size()));
  return table;
}

}  // namespace

std::string report_markdown(const page::Content& content, const std::string& title) {
  doc::Document out{.escapes_markup = true};
  out.add(page::subtitle(content) + ".");
  for (doc::Answer& answer : page::answers_of(content))
    out.add(std::move(answer));
  const auto add = [&](doc::Table table) {
    if (!table.rows.empty())
      out.add(std::move(table));
  };
  for (const page::ScaleCurve& curve : content.curves) {
    doc::Table table = page::forecast_table(content, curve);
    std::erase_if(table.rows, [&](const std::vector<doc::Cell>& row) {
      return std::get<double>(row.front().value) < curve.shown;
    });
    add(std::move(table));
  }
  add(first_rows(page::group_table(content), kGroupsOfComment));
  add(first_rows(page::worst_table(content), kWorstOfComment));
  if (const std::vector<std::string> warnings = page::warnings_of(content); !warnings.empty()) {
    out.add(doc::Heading{"Warnings"});
    out.add(doc::List{warnings});
  }
  return "### " + doc::markdown_words(page::title_text(content, title)) + "\n\n" +
         out.in(OutputFormat::markdown);
}

}  // namespace perfmodel

namespace perfmodel::figures {
namespace {

constexpr std::string_view kEnd = "</svg>";
/// The CSS rules of figures are contiguous in the style sheet of the page.
constexpr std::string_view kFirstRule = "\nsvg text {";
constexpr std::string_view kRuleBehind = "\n.wide {";
static_assert(page::kStyle.find(kFirstRule) < page::kStyle.find(kRuleBehind));

std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t from = text.find(begin) + begin.size();
  return text.substr(from, text.find(end, from) - from);
}

/// Returns the style for light backgrounds without CSS variables, which not every SVG reader
/// supports.
std::string figure_style() {
  std::string out = "text {" + std::string(between(page::kStyle, kFirstRule, kRuleBehind)) + "\n";
  std::string_view colours = between(page::kStyle, ":root {", "}");
  for (std::size_t at = colours.find("--"); at < colours.size(); at = colours.find("--")) {
    colours.remove_prefix(at);
    const std::size_t colon = colours.find(':');
    const std::string use = "var(" + std::string(colours.substr(0, colon)) + ")";
    const std::string value(between(colours, ": ", ";"));
    for (std::size_t to = out.find(use); to != std::string::npos; to = out.find(use, to))
      out.replace(to, use.size(), value);
    colours.remove_prefix(colon);
  }
  return out;
}

std::string document_of(std::string_view markup, const std::string& style) {
  const std::size_t open = markup.find('>');
  const std::string view(between(markup, "viewBox=\"0 0 ", "\""));
  const std::size_t blank = view.find(' ');
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + std::string(markup.substr(0, open)) +
         " width=\"" + view.substr(0, blank) + "\" height=\"" + view.substr(blank + 1) +
         "\">\n<style>\n" + style + "</style>" + std::string(markup.substr(open + 1)) + "\n";
}

}  // namespace

std::vector<FigureFile> figures_of_page(std::string_view page) {
  const std::string style = figure_style();
  std::vector<FigureFile> out;
  for (std::size_t at = page.find("<svg "); at != std::string_view::npos;
       at = page.find("<svg ", at + 1)) {
    const std::string_view markup = page.substr(at, page.find(kEnd, at) + kEnd.size() - at);
    // "parity" of aria-labelledby="parity-title parity-desc"
    out.push_back(
        {std::string(between(markup, "aria-labelledby=\"", "-title")), document_of(markup, style)});
  }
  return out;
}

}  // namespace perfmodel::figures
