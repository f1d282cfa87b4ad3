#include "cli/commands/fit/summary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "analysis/central/doubling.hpp"
#include "analysis/constants/constant_table.hpp"
#include "analysis/wording/words.hpp"
#include "cli/commands/fit/repeat_section.hpp"
#include "cli/commands/fit/trust_section.hpp"
#include "cli/runs/held_out_options.hpp"
#include "cli/terminal/shown_time.hpp"
#include "cli/terminal/text_table.hpp"
#include "fit/result/form.hpp"

namespace perfmodel::cli {
namespace {

constexpr std::size_t kIndentation = 2;
constexpr std::size_t kMostLevels = 12;   // the rest of a column's levels is in model.json
constexpr std::size_t kLongestName = 28;  // what is longer is clipped, so that a line has room

std::string join(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines)
    text += line + "\n";
  return text;
}

std::string seconds_text(double seconds) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), seconds < 10 ? "%.2f s" : "%.0f s", seconds);
  return text.data();
}

std::string range_text(const NumericInput& input) {
  return short_number(input.low) + " .. " + short_number(input.high);
}

std::string indented(const std::string& line) {
  return line.empty() ? "" : std::string(kIndentation, ' ') + line + "\n";
}

/// A section: its first line is the heading.
std::string section(const TextTable& table, const Console& console) {
  auto lines = table.lines(kIndentation, console.width());
  lines.front() = console.strong(lines.front());
  return "\n" + join(lines);
}

std::string header(const FitDocument& report, const Console& console) {
  const FittedModel& model = report.model;
  std::string rows = std::to_string(model.provenance.rows) + " rows";
  if (report.training_rows != model.provenance.rows)
    rows += ", " + std::to_string(report.training_rows) + " of them for training";
  return console.strong(with_unit(model.spec.target, model.spec.unit)) + " from " +
         (model.provenance.file == "-" ? "standard input" : model.provenance.file) + ": " + rows +
         "\n";
}

/// The input that is called so, where it is a number.
const NumericInput* numeric_input(const ModelSpec& spec, const std::string& column) {
  for (const auto* inputs : {&spec.intrinsic, &spec.extrinsic}) {
    for (const NumericInput& input : *inputs)
      if (input.column == column)
        return &input;
  }
  return nullptr;
}

/// The constants of a form whose parts are inputs, input by input; scales have a section of their
/// own.
std::string constants_section(const FitDocument& report, const Console& console) {
  using enum Align;
  const FittedModel& model = report.model;
  const ConstantMarks marks(model);
  const std::vector<ConstantRow> constants = constant_table(model);
  const std::vector<std::string> groups = model.form->groups(model.spec);
  std::vector<std::vector<std::string>> texts(groups.size());
  std::vector<std::vector<std::string>> levels(groups.size());
  std::vector<bool> scales(groups.size(), false);
  for (std::size_t k = 0; k < constants.size(); ++k) {
    const ConstantRow& row = constants[k];
    texts[row.group].push_back(short_number(row.value) + marks.of(k));
    if (row.role == ConstantRole::level)
      levels[row.group].push_back(row.level);
    scales[row.group] = row.role == ConstantRole::scaling_power;
  }
  TextTable table({left, left, right, right, left, right});
  const std::string no_mark = marks.legend().empty() ? "" : " ";
  table.add({"input", "", "a" + no_mark, "p" + no_mark, "measured", "share of time"});
  std::size_t part = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (scales[g])
      continue;
    const std::string share = percent(report.time_shares.at(part++));
    const NumericInput* const input = numeric_input(model.spec, groups[g]);
    if (levels[g].empty()) {
      const std::string p = texts[g].size() > 1 ? texts[g][1] : "";
      table.add({clipped(groups[g], kLongestName), "", texts[g][0], p,
                 p.empty() || input == nullptr ? "" : range_text(*input), share});
      continue;
    }
    const std::size_t shown = std::min(levels[g].size(), kMostLevels);
    for (std::size_t l = 0; l < shown; ++l) {
      table.add({l == 0 ? clipped(groups[g], kLongestName) : "",
                 clipped(levels[g][l], kLongestName / 2), texts[g][l], "", "",
                 l == 0 ? share : ""});
    }
    if (shown < levels[g].size())
      table.add({"", std::to_string(levels[g].size() - shown) + " more levels"});
  }
  return section(table, console) + indented(marks.legend());
}

/// A formula in lines of about `width` characters, cut before a factor or else at a blank.
std::vector<std::string> wrapped(const std::string& formula, std::size_t width) {
  const std::string indent = "  ";
  std::vector<std::string> lines;
  std::string rest = formula;
  while (rest.size() > width) {
    auto cut = rest.rfind(" * ", width);
    if (cut == std::string::npos || cut < width / 2)
      cut = rest.rfind(' ', width);
    if (cut == std::string::npos || cut <= indent.size())
      break;  // one long word
    lines.push_back(rest.substr(0, cut));
    rest = indent + rest.substr(cut + 1);
  }
  lines.push_back(rest);
  return lines;
}

/// The terms of a sum, the largest first.
std::string terms_section(const FitDocument& report, const Console& console) {
  using enum Align;
  const FittedModel& model = report.model;
  const ConstantMarks marks(model);
  const auto mark = [&](std::size_t constant) { return marks.behind(constant); };
  const Eigen::Index intercept = model.constants.size() - 1;
  constexpr std::size_t beside = 20;  // the share, and some room
  const std::size_t width = console.width().value_or(kUsualWidth) - beside;
  TextTable table({right, left});
  table.add({"share", "term"});
  std::vector<TimePart> parts = model.form->parts(model.spec, model.constants, mark);
  parts.back().formula = short_number(model.constants[intercept]) +
                         marks.behind(static_cast<std::size_t>(intercept)) + "  (C)";
  for (std::size_t k = 0; k < parts.size(); ++k) {
    std::string share = percent(report.time_shares.at(k));
    for (const auto& line : wrapped(parts[k].formula, width)) {
      table.add({share, line});
      share.clear();
    }
  }
  return section(table, console) + indented(marks.legend());
}

/// What a residual process does to the trend that stands above.
std::string process_line(const FitDocument& report) {
  const std::optional<double> size = report.model.form->process_size();
  if (!size)
    return {};
  std::string out = indented("times a residual process: typically " +
                             percent(100 * std::expm1(*size)) + " of the time within the runs");
  const auto& search = report.model.search.process;
  if (search && search->outliers > 0) {
    const std::string count = std::to_string(search->outliers);
    out += indented(count + (search->outliers == 1 ? " run is" : " runs are") +
                    " far from what the others say and " +
                    (search->outliers == 1 ? "counts" : "count") +
                    " for little; evaluate --outliers " + count + " lists such runs");
  }
  return out;
}

std::string scaling_section(const FitDocument& report, const Console& console) {
  using enum Align;
  const FittedModel& model = report.model;
  if (model.spec.extrinsic.empty() || report.scales_wrongly)
    return {};
  const std::optional<Centre> centre = centre_of(model);
  const std::vector<Doubling> doublings =
      centre ? doublings_of(model, centre->configuration) : std::vector<Doubling>();
  // What stands at a kink has two local powers, and the terms tell theirs.
  const bool has_powers = !model.form->has_local_powers();
  TextTable table({left, left, left, right});
  table.add({"scaling", centre ? "at " + centre->place : "", "measured", has_powers ? "q" : ""});
  const std::vector<double> powers = scaling_powers(model);
  const ConstantMarks marks(model);
  for (std::size_t j = 0; j < model.spec.extrinsic.size(); ++j) {
    const std::string& column = model.spec.extrinsic[j].column;
    const auto doubling = std::find_if(doublings.begin(), doublings.end(),
                                       [&](const Doubling& item) { return item.column == column; });
    const std::string mark = marks.of_scaling_power(j);
    std::string words = doubling == doublings.end() ? "-" : doubling_in_words(*doubling);
    if (!has_powers && mark != " ")
      words += mark;
    table.add({clipped(column, kLongestName / 2), words, range_text(model.spec.extrinsic[j]),
               has_powers ? short_number(powers[j]) + mark : ""});
  }
  return section(table, console);
}

std::string errors_section(const FitDocument& report, const Console& console) {
  using enum Align;
  const PartMetrics& parts = report.model.metrics;
  double largest = parts.train.mae;
  for (const auto* part : {&parts.validation, &parts.test})
    largest = std::max(largest, *part ? (*part)->mae : 0);
  const ShownTime time(report.model.spec.unit, largest);
  TextTable table({left, right, right, right, right, right, right});
  table.add({"errors", "rows", time.heading("MAE"), "MAPE", "SMAPE", time.heading("RMSE"), "R2"});
  const auto add = [&](const std::string& name, const Metrics& metrics) {
    table.add({name, std::to_string(metrics.rows), time.number(metrics.mae),
               percent(metrics.mape_percent), percent(metrics.smape_percent),
               time.number(metrics.rmse), std::isnan(metrics.r2) ? "-" : short_number(metrics.r2)});
  };
  add("training", parts.train);
  if (parts.validation)
    add("validation", *parts.validation);
  if (parts.test)
    add("test", *parts.test);
  return section(table, console) +
         indented(noise_floor_in_words(parts.train.mape_percent, report.model.noise_floor));
}

/// What the form was chosen by.
std::string choice_section(const FitDocument& report, const Console& console) {
  using enum Align;
  const std::optional<FormChoice>& choice = report.model.search.form;
  if (!choice || choice->held_out.empty())
    return {};
  TextTable table({left, right, right});
  table.add({"error of held-out runs", "within", "far ends"});
  const std::array<std::string, 3> names = {"Eq. (4)", "the trend alone", "trend and process"};
  for (std::size_t i = 0; i < std::min(names.size(), choice->held_out.size()); ++i) {
    const HeldOutErrors& errors = choice->held_out[i];
    table.add({names[i], percent(100 * errors.random),
               errors.far_ends ? percent(100 * *errors.far_ends) : "-"});
  }
  return section(table, console);
}

std::string uncertainty_section(const FitDocument& report, const Console& console) {
  const auto& uncertainty = report.model.uncertainty;
  return uncertainty ? section(uncertainty_table(report.model, *uncertainty), console) : "";
}

std::string repeat_section(const FitDocument& report, const Console& console) {
  const auto& repeats = report.model.repeats;
  return repeats ? section(repeat_table(report.model, *repeats), console) : "";
}

std::string search_line(const FitDocument& report, const Console& console) {
  const SearchSummary& search = report.model.search;
  std::string line = std::string(kIndentation, ' ') + console.strong("search") + "  " +
                     search.strategy + ", seed " + std::to_string(search.seed);
  if (!search.process)
    line += ", loss " + std::string(to_text(search.loss));
  if (search.penalty.l1 != 0)
    line += ", L1 " + short_number(search.penalty.l1);
  if (search.penalty.l2 != 0)
    line += ", L2 " + short_number(search.penalty.l2);
  if (search.penalty.constants == Penalise::scaled &&
      (search.penalty.l1 != 0 || search.penalty.l2 != 0))
    line += " of scaled constants";
  const std::string starts =
      search.starts == 1 ? "" : ", best of " + std::to_string(search.starts) + " starts";
  std::string counts = std::to_string(search.evaluations) + " evaluations";
  if (search.generations > 0)
    counts = std::to_string(search.generations) + " generations, " + counts;
  const FittedModel& model = report.model;
  const bool did_more =
      model.uncertainty || model.repeats || model.cross_validation || model.intervals;
  return "\n" + line + starts + "\n" + std::string(kIndentation + 8, ' ') + search.termination +
         " after " + counts + ", " + seconds_text(report.seconds) +
         (did_more ? "; in all, " + seconds_text(report.all_seconds) : "") + "\n";
}

}  // namespace

std::string fit_summary(const FitDocument& report, const Console& console) {
  return header(report, console) +
         (report.model.form->words().lists_terms ? terms_section : constants_section)(report,
                                                                                      console) +
         process_line(report) + scaling_section(report, console) + errors_section(report, console) +
         choice_section(report, console) + uncertainty_section(report, console) +
         repeat_section(report, console) + held_out_section(report.model, console) +
         search_line(report, console);
}

}  // namespace perfmodel::cli
