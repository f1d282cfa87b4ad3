#include "cli/runs/set_summary.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/ranking.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "cli/runs/held_out_options.hpp"
#include "cli/terminal/shown_time.hpp"
#include "cli/terminal/text_table.hpp"

namespace perfmodel::cli {
namespace {

constexpr std::size_t kMostRanked = 20;
constexpr std::size_t kMostRefused = 5;

using Lines = std::vector<const ModelSetLine*>;

/// Of one target, with a model.
std::vector<std::pair<std::string, Lines>> lines_by_target(const ModelSet& set) {
  std::vector<std::pair<std::string, Lines>> out;
  std::map<std::string, std::size_t> place_of;
  for (const ModelSetLine& line : set.lines) {
    if (!line.model)
      continue;
    const auto [place, is_new] = place_of.try_emplace(line.target, out.size());
    if (is_new)
      out.push_back({line.target, {}});
    out[place->second].second.push_back(&line);
  }
  return out;
}

const Metrics& judged_metrics(const FittedModel& model) {
  return model.metrics.test ? *model.metrics.test : model.metrics.train;
}

std::string interval_text(const FittedModel& model, const RankedModel& ranked,
                          const ShownTime& shown) {
  const Certainty certainty =
      certainty_of(model, std::nullopt, "", design_of(*ranked.configuration, model.spec));
  const IntervalFactors factors = (*certainty.intervals)[0];
  return shown.number(*ranked.time * factors.lower) + " .. " +
         shown.number(*ranked.time * factors.upper);
}

/// Kinds of the warnings of a model, each once.
std::string warned_of(const FittedModel& model) {
  std::set<std::string> kinds;
  for (const Warning& warning : model.warnings)
    kinds.insert(warning.kind);
  return joined({std::vector<std::string>(kinds.begin(), kinds.end())}, " ");
}

TextTable table_of_ranking(const ModelSetHeader& header, const Lines& lines, const Ranking& ranking,
                           const ShownTime& shown) {
  const bool with_intervals = std::any_of(lines.begin(), lines.end(), [](const auto* line) {
    return line->model->intervals.has_value();
  });
  std::vector<Align> columns{Align::right};
  std::vector<std::string> heading{"share"};
  const auto add = [&](const std::string& name, Align align) {
    heading.push_back(name);
    columns.push_back(align);
  };
  for (const std::string& column : header.by)
    add(column, Align::left);
  add(with_unit(lines.front()->target, shown.unit()), Align::right);
  if (with_intervals)
    add("interval", Align::left);
  add("x2", Align::right);
  add("MAPE", Align::right);
  add("rows", Align::right);
  add("look at", Align::left);
  TextTable table(columns);
  table.add(heading);
  for (std::size_t i = 0; i < std::min(kMostRanked, ranking.models.size()); ++i) {
    const RankedModel& ranked = ranking.models[i];
    const ModelSetLine& line = *lines[ranked.model];
    std::vector<std::string> cells{ranked.time ? percent(ranked.share) : "-"};
    cells.insert(cells.end(), line.key.begin(), line.key.end());
    cells.push_back(ranked.time ? shown.number(*ranked.time) : "-");
    if (with_intervals) {
      cells.push_back(
          ranked.time && line.model->intervals ? interval_text(*line.model, ranked, shown) : "-");
    }
    cells.push_back(ranked.growth ? short_number(*ranked.growth) : "-");
    cells.push_back(percent(judged_metrics(*line.model).mape_percent));
    cells.push_back(std::to_string(line.rows));
    cells.push_back(warned_of(*line.model));
    table.add(std::move(cells));
  }
  return table;
}

/// The rest of a condition's name where its head names this line: "any.mape" is mape of any.
std::optional<std::string> named_figure(const std::string& name, const ModelSetLine& line,
                                        const ModelSetHeader& header) {
  if (name.starts_with("any."))
    return name.substr(4);
  std::vector<std::string> facts{"target=" + line.target};
  for (std::size_t i = 0; i < header.by.size(); ++i)
    facts.push_back(header.by[i] + "=" + line.key[i]);
  // Texts may hold commas and dots: what matches is taken off, piece by piece.
  std::string rest = name;
  while (true) {
    const auto fact = std::find_if(facts.begin(), facts.end(), [&](const std::string& each) {
      return rest.starts_with(each + ",") || rest.starts_with(each + ".");
    });
    if (fact == facts.end())
      return std::nullopt;
    const bool last = rest[fact->size()] == '.';
    rest.erase(0, fact->size() + 1);
    if (last)
      return rest;
  }
}

std::vector<Figure> figures_of_line(const ModelSetLine& line, const std::string& part) {
  std::vector<Figure> out{{"refused", line.model ? 0.0 : 1.0, part, {}}};
  if (!line.model)
    return out;
  const auto add = [&](const Metrics& metrics, const std::string& prefix) {
    const auto more = figures_of(metrics, part, prefix);
    out.insert(out.end(), more.begin(), more.end());
  };
  add(judged_metrics(*line.model), "");
  add(line.model->metrics.train, "train.");
  if (line.model->metrics.validation)
    add(*line.model->metrics.validation, "validation.");
  if (line.model->metrics.test)
    add(*line.model->metrics.test, "test.");
  const auto names = constant_names(*line.model);
  for (std::size_t i = 0; i < names.size(); ++i)
    out.push_back({names[i], line.model->constants[static_cast<Eigen::Index>(i)], part, {}});
  return out;
}

}  // namespace

std::string set_summary(const ModelSet& set, const Console& console) {
  const auto with_model = std::count_if(set.lines.begin(), set.lines.end(),
                                        [](const auto& line) { return line.model.has_value(); });
  std::string out = console.strong(std::to_string(with_model) + " models") + " of " +
                    std::to_string(set.header.tasks) + " from " + set.header.file + "\n";
  for (const auto& [target, lines] : lines_by_target(set)) {
    std::vector<const FittedModel*> models;
    for (const ModelSetLine* line : lines)
      models.push_back(&*line->model);
    const Ranking ranking = ranking_of(models);
    const ShownTime shown(models.front()->spec.unit, ranking.models.front().time.value_or(1));
    const TextTable table = table_of_ranking(set.header, lines, ranking, shown);
    out += "\n  " + target + " " +
           (ranking.scale.empty() ? "at the central run of each"
                                  : "at " + ranking.scale + " = " + short_number(ranking.at) +
                                        ", all else as in the central run of each; x2: what "
                                        "doubling it does") +
           "\n" + table.text(2, console.width());
    if (lines.size() > kMostRanked)
      out += "  and " + std::to_string(lines.size() - kMostRanked) + " more\n";
  }
  return out;
}

std::string refused_text(const ModelSet& set) {
  std::vector<std::string> reasons;
  for (const ModelSetLine& line : set.lines)
    if (!line.model)
      reasons.push_back(words_of(line, set.header) + ": " + line.refused);
  if (reasons.empty())
    return {};
  const std::size_t count = reasons.size();
  if (count > kMostRefused) {
    reasons.resize(kMostRefused);
    reasons.push_back("and " + std::to_string(count - kMostRefused) + " more");
  }
  return std::to_string(count) + " of " + std::to_string(set.lines.size()) +
         " could not be fitted:\n  " + joined(reasons, "\n  ");
}

bool is_set_figure(std::string_view name) {
  return name.starts_with("any.") || name.find('=') != std::string_view::npos;
}

void check_set_gates(const std::vector<Gate>& gates, const ModelSet& set) {
  std::vector<JudgedGate> judged;
  for (const Gate& gate : gates) {
    std::vector<Figure> figures;
    for (const ModelSetLine& line : set.lines) {
      const auto name = named_figure(gate.figure, line, set.header);
      if (!name)
        continue;
      for (Figure& figure : figures_of_line(line, words_of(line, set.header))) {
        if (figure.name != *name)
          continue;
        figure.name = gate.figure;
        figures.push_back(std::move(figure));
      }
    }
    const auto more = judged_gates({gate}, figures);
    judged.insert(judged.end(), more.begin(), more.end());
  }
  check_gates(judged);
}

}  // namespace perfmodel::cli
