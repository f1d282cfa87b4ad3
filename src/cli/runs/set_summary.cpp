#include "cli/runs/set_summary.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/ranking.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "cli/runs/held_out_options.hpp"
#include "cli/runs/set_places.hpp"
#include "cli/runs/set_total.hpp"
#include "cli/terminal/shown_time.hpp"
#include "cli/terminal/text_table.hpp"

namespace perfmodel::cli {
namespace {

constexpr std::size_t kMostRanked = 20;
constexpr std::size_t kMostRefused = 5;

using Lines = std::vector<const ModelSetLine*>;

/// Of one target, with a model; without those that are totals.
std::vector<std::pair<std::string, Lines>> lines_by_target(const ModelSet& set) {
  std::vector<std::pair<std::string, Lines>> out;
  std::map<std::string, std::size_t> place_of;
  for (const ModelSetLine& line : set.lines) {
    if (!line.model || is_total(line, set.header))
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

/// Kinds of warnings in few words; those that say the same have the same.
std::string words_of_kind(const std::string& kind) {
  static const std::map<std::string, std::string> words = {
      {"few_rows", "few rows"},
      {"few_configurations", "few configurations"},
      {"untrained_level", "level without rows"},
      {"at_bound", "at bounds"},
      {"flat_direction", "undetermined"},
      {"negligible_term", "undetermined"},
      {"undetermined", "undetermined"},
      {"steep_growth", "steep beyond the runs"},
      {"derived_scale", "derived scale"},
      {"not_converged", "not converged"}};
  const auto found = words.find(kind);
  return found == words.end() ? kind : found->second;
}

/// What to look at in a model.
std::string warned_of(const FittedModel& model) {
  std::set<std::string> kinds;
  for (const Warning& warning : model.warnings)
    kinds.insert(words_of_kind(warning.kind));
  return joined({std::vector<std::string>(kinds.begin(), kinds.end())}, ", ");
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

std::string place_in_words(const Ranking& ranking, const std::vector<std::string>& settings) {
  const std::string doubling =
      ranking.scale.empty()
          ? ""
          : "; x2: what doubling " + (settings.empty() ? "it" : ranking.scale) + " does";
  if (settings.empty() && ranking.scale.empty())
    return "at the central run of each";
  return "at " +
         (settings.empty() ? ranking.scale + " = " + short_number(ranking.at)
                           : joined(settings, ", ")) +
         ", all else as in the central run of each" + doubling;
}

std::string total_in_words(const ModelSet& set) {
  const std::optional<SetShare> share = set.header.total ? share_of_total(set) : std::nullopt;
  if (!share)
    return {};
  return "\n  the parts add up to " + percent(share->percent) + " of " + set.header.total->name +
         " as measured (" + share->words + ")" +
         (share->without > 0 ? "; without " + std::to_string(share->without) + " that have no model"
                             : "") +
         "\n";
}

}  // namespace

std::string set_summary(const ModelSet& set, const Console& console,
                        const std::vector<std::string>& settings) {
  const auto with_model = std::count_if(set.lines.begin(), set.lines.end(),
                                        [](const auto& line) { return line.model.has_value(); });
  std::string out = console.strong(std::to_string(with_model) + " models") + " of " +
                    std::to_string(set.header.tasks) + " from " + set.header.file + "\n";
  for (const auto& [target, lines] : lines_by_target(set)) {
    std::vector<const FittedModel*> models;
    for (const ModelSetLine* line : lines)
      models.push_back(&*line->model);
    const Ranking ranking = settings.empty()
                                ? ranking_of(models)
                                : ranking_at(models, places_of_settings(settings, models));
    const ShownTime shown(models.front()->spec.unit, ranking.models.front().time.value_or(1));
    const TextTable table = table_of_ranking(set.header, lines, ranking, shown);
    out += "\n  " + target + " " + place_in_words(ranking, settings) + "\n" +
           table.text(2, console.width());
    if (lines.size() > kMostRanked)
      out += "  and " + std::to_string(lines.size() - kMostRanked) + " more\n";
  }
  return out + total_in_words(set);
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

}  // namespace perfmodel::cli
