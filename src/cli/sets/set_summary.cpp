#include "cli/sets/set_summary.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/ranking.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "cli/runs/held_out_options.hpp"
#include "cli/sets/set_places.hpp"
#include "cli/sets/set_total.hpp"
#include "cli/terminal/shown_time.hpp"
#include "cli/terminal/text_table.hpp"

namespace perfmodel::cli {
namespace {

constexpr std::size_t kMostRanked = 20;
constexpr std::size_t kMostRefused = 5;

/// One of those that are shown.
struct RankedLine {
  RankedModel ranked;
  ModelSetLine line;

  double time() const { return ranked.time.value_or(-1); }
};

/// The models of one target.
struct TargetRanking {
  std::string target;
  RankingPlace place;
  std::size_t count = 0;
  double sum = 0;  ///< of all times
  bool with_intervals = false;
  std::vector<RankedLine> top;  ///< the longest times first, of equal ones the first

  void add(const RankedModel& ranked, const ModelSetLine& line) {
    sum += ranked.time.value_or(0);
    const RankedLine entry{ranked, {}};
    const auto at = std::upper_bound(
        top.begin(), top.end(), entry,
        [](const RankedLine& a, const RankedLine& b) { return a.time() > b.time(); });
    if (top.size() == kMostRanked && at == top.end())
      return;
    top.insert(at, {ranked, line});
    if (top.size() > kMostRanked)
      top.pop_back();
  }
};

/// Targets in the order of their first models; totals are none of them.
class TargetRankings {
 public:
  TargetRankings(const SetLines& set, const std::vector<std::string>& settings) {
    set.for_each([&](const ModelSetLine& line) {
      if (!line.model)
        return;
      ++models_;
      sharing_[line.target] += line.model->search.sharing && line.model->search.sharing->shared;
      if (is_total(line, set.header()))
        return;
      TargetRanking& target = of(line.target);
      ++target.count;
      target.place.see(*line.model);
      target.with_intervals = target.with_intervals || line.model->intervals.has_value();
    });
    SetPlaces places(settings);
    set.for_each([&](const ModelSetLine& line) {
      if (!line.model || is_total(line, set.header()))
        return;
      TargetRanking& target = of(line.target);
      target.add(ranked_at(*line.model, target.place.scale,
                           settings.empty() ? target.place.configuration(*line.model)
                                            : places.of(*line.model)),
                 line);
    });
    if (!targets_.empty())
      places.check();
  }

  std::size_t models() const { return models_; }
  const std::vector<TargetRanking>& targets() const { return targets_; }
  /// How many models of a target have the form of all.
  std::size_t sharing(const std::string& target) const {
    const auto found = sharing_.find(target);
    return found == sharing_.end() ? 0 : found->second;
  }

 private:
  std::size_t models_ = 0;
  std::vector<TargetRanking> targets_;
  std::map<std::string, std::size_t> place_of_;
  std::map<std::string, std::size_t> sharing_;

  TargetRanking& of(const std::string& target) {
    const auto [place, is_new] = place_of_.try_emplace(target, targets_.size());
    if (is_new) {
      targets_.emplace_back();
      targets_.back().target = target;
    }
    return targets_[place->second];
  }
};

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

TextTable table_of_ranking(const ModelSetHeader& header, const TargetRanking& target,
                           const ShownTime& shown) {
  std::vector<Align> columns{Align::right};
  std::vector<std::string> heading{"share"};
  const auto add = [&](const std::string& name, Align align) {
    heading.push_back(name);
    columns.push_back(align);
  };
  for (const std::string& column : header.by)
    add(column, Align::left);
  add(with_unit(target.target, shown.unit()), Align::right);
  if (target.with_intervals)
    add("interval", Align::left);
  add("x2", Align::right);
  add("MAPE", Align::right);
  add("rows", Align::right);
  add("look at", Align::left);
  TextTable table(columns);
  table.add(heading);
  for (const auto& [ranked, line] : target.top) {
    std::vector<std::string> cells{
        ranked.time && target.sum > 0 ? percent(100 * *ranked.time / target.sum) : "-"};
    cells.insert(cells.end(), line.key.begin(), line.key.end());
    cells.push_back(ranked.time ? shown.number(*ranked.time) : "-");
    if (target.with_intervals) {
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

std::string place_in_words(const RankingPlace& place, const std::vector<std::string>& settings) {
  const std::string doubling =
      place.scale.empty()
          ? ""
          : "; x2: what doubling " + (settings.empty() ? "it" : place.scale) + " does";
  if (settings.empty() && place.scale.empty())
    return "at the central run of each";
  return "at " +
         (settings.empty() ? place.scale + " = " + short_number(place.at)
                           : joined(settings, ", ")) +
         ", all else as in the central run of each" + doubling;
}

std::string forms_in_words(const SetLines& set, const TargetRankings& rankings) {
  std::string out;
  for (const auto& [target, form] : set.header().shared_forms) {
    out += "  " + target + ": one form of " + std::to_string(form.terms) +
           (form.terms == 1 ? " term" : " terms") + (form.intercept ? " and C" : "") +
           ", chosen on " + std::to_string(form.groups) + " groups, for " +
           std::to_string(rankings.sharing(target)) + " of its models\n";
  }
  return out.empty() ? out : "\n" + out;
}

std::string total_in_words(const SetLines& set) {
  const std::optional<SetShare> share = set.header().total ? share_of_total(set) : std::nullopt;
  if (!share)
    return {};
  return "\n  the parts add up to " + percent(share->percent) + " of " + set.header().total->name +
         " as measured (" + share->words + ")" +
         (share->without > 0 ? "; without " + std::to_string(share->without) + " that have no model"
                             : "") +
         "\n";
}

}  // namespace

std::string set_summary(const SetLines& set, const Console& console,
                        const std::vector<std::string>& settings) {
  const TargetRankings rankings(set, settings);
  std::string out = console.strong(std::to_string(rankings.models()) + " models") + " of " +
                    std::to_string(set.header().tasks) + " from " + set.header().file + "\n";
  for (const TargetRanking& target : rankings.targets()) {
    const RankedLine& first = target.top.front();
    const ShownTime shown(first.line.model->spec.unit, first.ranked.time.value_or(1));
    const TextTable table = table_of_ranking(set.header(), target, shown);
    out += "\n  " + target.target + " " + place_in_words(target.place, settings) + "\n" +
           table.text(2, console.width());
    if (target.count > kMostRanked)
      out += "  and " + std::to_string(target.count - kMostRanked) + " more\n";
  }
  return out + total_in_words(set) + forms_in_words(set, rankings);
}

std::string refused_text(const SetLines& set) {
  std::vector<std::string> reasons;
  std::size_t lines = 0;
  std::size_t count = 0;
  set.for_each([&](const ModelSetLine& line) {
    ++lines;
    if (line.model)
      return;
    if (++count <= kMostRefused)
      reasons.push_back(words_of(line, set.header()) + ": " + line.refused);
  });
  if (reasons.empty())
    return {};
  if (count > kMostRefused)
    reasons.push_back("and " + std::to_string(count - kMostRefused) + " more");
  return std::to_string(count) + " of " + std::to_string(lines) + " could not be fitted:\n  " +
         joined(reasons, "\n  ");
}

}  // namespace perfmodel::cli
