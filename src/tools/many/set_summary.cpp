#include "many/set_summary.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analysis/model_words.hpp"
#include "base/text.hpp"
#include "cli/certainty.hpp"
#include "cli/gates.hpp"
#include "cli/judged_runs.hpp"
#include "cli/model_sets.hpp"
#include "forms/form.hpp"
#include "page/page.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/predict.hpp"
#include "report/document.hpp"
#include "trust/resampling.hpp"

namespace perfmodel::cli {

namespace {

constexpr std::size_t kMostRanked = 20;   // on a terminal
constexpr std::size_t kMostOfPage = 200;  // in the tables of a page
constexpr std::size_t kMostPages = 24;    // models with a page of their own
constexpr std::size_t kMostRefused = 5;

/// A model in a ranking of models of the same kind.
struct RankedModel {
  std::optional<Configuration> configuration = {};  ///< where it is evaluated
  std::optional<double> time = {};                  ///< there; nullopt if the model gives none
  std::optional<double> growth = {};                ///< by doubling the scale
};

/// A configuration that is set on the only row of a table; nullopt if the model cannot have it.
std::optional<Configuration> configuration_at(const std::vector<std::string>& settings,
                                              const FittedModel& model, const Table& base) {
  try {
    const Table table =
        configurations_of_settings(settings, model, BaseConfiguration{base, ""}).table;
    return configuration_of(make_design(table, model.spec, Target::absent), 0);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Evaluates a model at its place, and where a scale is twice as large, whatever its role.
RankedModel ranked_at(const FittedModel& model, const std::optional<Table>& place,
                      const std::string& scale) {
  RankedModel out;
  if (place)
    out.configuration = configuration_at({}, model, *place);
  if (!out.configuration)
    return out;
  out.time = time_of(model, *out.configuration);
  const Column* const at = place->find(scale);
  if (!out.time || at == nullptr || !at->is_numeric())
    return out;
  const auto doubled = configuration_at({scale + "=" + to_text(2 * at->numbers[0])}, model, *place);
  if (const auto time = doubled ? time_of(model, *doubled) : std::nullopt)
    out.growth = *time / *out.time;
  return out;
}

/// Where models are compared without settings: at the largest value at which any of them was
/// measured, of the first scale of the first model that has one. It may be no scale of others.
struct RankingPlace {
  std::string scale;                      ///< empty: no model has a scale
  std::map<std::string, double> largest;  ///< of each column of numbers

  void see(const ModelSpec& spec) {
    for (const auto* inputs : {&spec.intrinsic, &spec.extrinsic})
      for (const NumericInput& input : *inputs)
        if (!spec.is_derived(input.column))
          largest[input.column] = std::max(largest[input.column], input.high);
    for (const NumericInput& input : spec.extrinsic)
      if (scale.empty() && !spec.follows(input.column))
        scale = input.column;
  }
  double at() const { return largest.at(scale); }
  /// COL=VALUE: those that were given, or the scale.
  std::vector<std::string> settings(const std::vector<std::string>& given) const {
    return !given.empty() || scale.empty() ? given : std::vector{scale + "=" + to_text(at())};
  }
};

struct RankedLine {
  RankedModel ranked;
  ModelSetLine line;

  double time() const { return ranked.time.value_or(-1); }
};

struct TargetRanking {
  std::string target;
  RankingPlace place;
  std::size_t count = 0;
  double sum = 0;  ///< of all times
  bool with_intervals = false;
  std::vector<RankedLine> top;  ///< the longest times first, of equal ones the first

  void add(const RankedModel& ranked, const ModelSetLine& line, std::size_t most) {
    sum += ranked.time.value_or(0);
    const auto at = std::ranges::upper_bound(top, ranked.time.value_or(-1), std::greater<>(),
                                             &RankedLine::time);
    if (top.size() == most && at == top.end())
      return;
    top.insert(at, {ranked, line});
    if (top.size() > most)
      top.pop_back();
  }
};

/// Rankings of the targets in order of first appearance.
struct TargetRankings {
  CommonRun common;
  std::size_t models = 0;
  std::vector<TargetRanking> targets = {};

  TargetRankings(const SetLines& set, const std::vector<std::string>& settings,
                 std::size_t most = kMostRanked)
      : common(set, settings) {
    set.for_each([&](const ModelSetLine& line) {
      if (!line.model)
        return;
      ++models;
      TargetRanking& target = of(line.target);
      ++target.count;
      target.place.see(line.model->spec);
      target.with_intervals = target.with_intervals || line.model->known.intervals.has_value();
    });
    SetPlaces places(settings, set.header().by);
    set.for_each([&](const ModelSetLine& line) {
      if (!line.model)
        return;
      TargetRanking& target = of(line.target);
      const RankingPlace& place = target.place;
      const FittedModel model = common.without(place.settings(settings)).moved(*line.model);
      SetPlaces at_scale(place.settings({}), {});
      target.add(
          ranked_at(model, (settings.empty() ? at_scale : places).one_of(model), place.scale), line,
          most);
    });
    if (!targets.empty())
      places.check();
  }

 private:
  TargetRanking& of(const std::string& target) {
    const auto found = std::ranges::find(targets, target, &TargetRanking::target);
    if (found != targets.end())
      return *found;
    targets.emplace_back().target = target;
    return targets.back();
  }
};

Interval interval_of(const FittedModel& model, const RankedModel& ranked) {
  const Certainty certainty =
      certainty_of(model, std::nullopt, "", design_of(*ranked.configuration, model.spec));
  return (*certainty.intervals)[0].around(*ranked.time);
}

/// Short names of kinds of warnings; kinds with the same meaning share one.
std::string words_of_kind(const std::string& kind) {
  static const std::map<std::string, std::string> words = {
      {"few_rows", "few rows"},
      {"few_configurations", "few configurations"},
      {"untrained_level", "level without rows"},
      {"at_bound", "at bounds"},
      {"flat_direction", "undetermined"},
      {"negligible_term", "undetermined"},
      {"undetermined", "undetermined"},
      {"tied", "undetermined"},
      {"steep_growth", "steep beyond the runs"},
      {"rise", "longer beyond the runs"},
      {"derived_scale", "derived scale"},
      {"not_converged", "not converged"}};
  const auto found = words.find(kind);
  return found == words.end() ? kind : found->second;
}

bool is_in_range(const FittedModel& model, const Configuration& at) {
  return check_range(model, design_of(at, model.spec)).in_range[0];
}

/// The short names of the model's warnings, after what its place in a ranking asks for.
std::string warned_of(const FittedModel& model, std::set<std::string> kinds) {
  kinds.erase("");
  for (const Warning& warning : model.warnings)
    kinds.insert(words_of_kind(warning.kind));
  return joined({std::vector<std::string>(kinds.begin(), kinds.end())}, ", ");
}

/// "gpus^0.35": log2 of the growth by a doubling, as a power.
std::string growth_in_words(const RankedModel& ranked, const std::string& scale) {
  if (!ranked.growth || !(*ranked.growth > 0))
    return "-";
  return scale + "^" + rounded(std::log2(*ranked.growth));
}

/// "allreduce 72 %": the part with the largest share of the time.
std::string largest_part(const FittedModel& model, const Configuration& at) {
  const std::vector<Share> shares = shares_of(model, design_of(at, model.spec), at);
  return shares.empty() ? "-" : shares.front().title + " " + percent(shares.front().percent_shown);
}

/// Cells that a page adds to the summary's.
std::vector<doc::Cell> page_cells(const FittedModel& model, const RankedModel& ranked,
                                  const std::string& scale) {
  if (!ranked.configuration)
    return {"-", "-", "-"};
  const Configuration& at = *ranked.configuration;
  return {growth_in_words(ranked, scale), largest_part(model, at),
          is_in_range(model, at) ? doc::Cell("measured") : doc::doubtful("extrapolated")};
}

doc::Table table_of_ranking(const ModelSetHeader& header, const TargetRanking& target,
                            const CommonRun& common, const std::vector<std::string>& settings,
                            bool of_page = false) {
  const RankedLine& first = target.top.front();
  const ShownTime shown(shown_unit(first.line.model->spec), first.ranked.time.value_or(1));
  const doc::Format time = doc::format_of(shown);
  doc::Table table{{doc::numbers("share", {}, percent)}};
  table.indentation = 2;
  for (const std::string& column : header.by)
    table.columns.push_back(doc::words(column));
  table.columns.push_back(doc::numbers(shown.heading(target.target), {}, time));
  if (target.with_intervals)
    table.columns.push_back({"interval", doc::Align::left, time});
  table.columns.insert(table.columns.end(), {doc::numbers("x2"), doc::numbers("MAPE", {}, percent),
                                             doc::numbers("held out", {}, percent),
                                             doc::numbers("rows"), doc::words("look at")});
  if (of_page)
    for (const char* heading : {"grows as", "largest part", "range"})
      table.columns.push_back(doc::words(heading));
  for (const auto& [ranked, line] : target.top) {
    std::vector<doc::Cell> cells{ranked.time && target.sum > 0
                                     ? std::optional(100 * *ranked.time / target.sum)
                                     : std::nullopt};
    cells.insert(cells.end(), line.key.begin(), line.key.end());
    cells.emplace_back(ranked.time);
    if (target.with_intervals) {
      cells.push_back(ranked.time && line.model->known.intervals
                          ? doc::Cell(interval_of(*line.model, ranked))
                          : doc::Cell("-"));
    }
    const bool is_beyond =
        !of_page && ranked.configuration && !is_in_range(*line.model, *ranked.configuration);
    cells.insert(cells.end(),
                 {ranked.growth, line.model->known.metrics.train.mape_percent,
                  held_out_percent(*line.model), line.rows,
                  warned_of(*line.model, {common.unlike(common.moved(*line.model),
                                                        target.place.settings(settings)),
                                          is_beyond ? "extrapolated" : ""})});
    if (of_page) {
      const auto further = page_cells(*line.model, ranked, target.place.scale);
      cells.insert(cells.end(), further.begin(), further.end());
    }
    table.add(std::move(cells));
  }
  return table;
}

std::string place_in_words(const RankingPlace& place, const std::vector<std::string>& settings,
                           const CommonRun& common) {
  const std::string doubling =
      place.scale.empty()
          ? ""
          : "; x2: what doubling " + (settings.empty() ? "it" : place.scale) + " does";
  if (settings.empty() && place.scale.empty())
    return "at " + common.words();
  return "at " +
         (settings.empty() ? place.scale + " = " + short_number(place.at())
                           : joined(settings, ", ")) +
         ", all else as in " + common.words() + doubling;
}

/// The central run of a fit, as the only run shown on a page.
std::optional<Table> central_runs(const FittedModel& model) {
  auto base = central_base(model);
  if (!base)
    return std::nullopt;
  Column time;
  time.name = model.spec.target;
  time.numbers = {model.central->time};
  base->table.columns.push_back(std::move(time));
  return std::move(base->table);
}

/// The sections of a model's page; nullopt if it has no run with a valid time.
std::optional<std::string> page_of_line(const SetPageRequest& request, const ModelSetLine& line,
                                        const CommonRun& common, const std::optional<Table>& runs,
                                        const std::string& key, const std::string& id_prefix) {
  const FittedModel model = common.moved(*line.model);
  const std::optional<Table> table = runs ? runs : central_runs(*line.model);
  if (!table)
    return std::nullopt;
  JudgedRuns judged;
  judged.file.table = *table;
  judged.design = make_design(*table, model.spec, Target::required);
  const Predictions predictions = predictions_of(model, judged.design);
  if (predictions.without_time.size() == judged.design.rows)
    return std::nullopt;
  judged.judge(predictions);
  judged.range = check_range(model, judged.design);
  const bool has_runs = request.runs != nullptr;
  if (has_runs)
    set_rows_of_fit_aside(model, judged);
  page::Source source = page_source(model, request.model_file,
                                    {has_runs ? request.runs_file : "the fit", table->rows(),
                                     has_runs ? request.runs_sha256 : "", false},
                                    judged);
  source.command = request.command;
  source.key = key;
  source.id_prefix = id_prefix;
  source.has_runs = has_runs;
  return page::sections_of(page::content_of(source));
}

}  // namespace

std::string set_summary(const SetLines& set, const Console& console,
                        const std::vector<std::string>& settings) {
  const TargetRankings rankings(set, settings);
  std::string out = console.strong(std::to_string(rankings.models) + " models") + " of " +
                    std::to_string(set.header().tasks) + " from " + set.header().file + "\n";
  for (const TargetRanking& target : rankings.targets) {
    const CommonRun common = rankings.common.without(target.place.settings(settings));
    out += "\n  " + target.target + " " + place_in_words(target.place, settings, common) + "\n" +
           doc::text(table_of_ranking(set.header(), target, common, settings), console.width());
    if (target.count > target.top.size())
      out += "  and " + std::to_string(target.count - target.top.size()) + " more\n";
  }
  return out;
}

page::SetContent set_page(const SetLines& set, const SetPageRequest& request, Console& console) {
  const TargetRankings rankings(set, request.settings, kMostOfPage);
  const ModelSetHeader& header = set.header();
  page::SetContent out;
  out.title = request.title.empty()
                  ? std::to_string(rankings.models) + " models: " + request.model_file +
                        (request.runs ? " on " + request.runs_file : "")
                  : request.title;
  out.subtitle = "Models of " + header.file + " by " + joined(header.by, ", ") +
                 ", the most costly first; MAPE is that of the fit";
  std::map<std::size_t, Table> runs;
  if (request.runs)
    for_each_with_counted_rows(set, *request.runs, console, [&](LineRows part) {
      runs[part.line.task] = std::move(part.table);
    });
  for (const TargetRanking& target : rankings.targets) {
    const CommonRun common = rankings.common.without(target.place.settings(request.settings));
    out.tables.emplace_back(
        target.target + " " + place_in_words(target.place, request.settings, common) +
            (target.count > target.top.size()
                 ? "; without " + std::to_string(target.count - target.top.size()) + " smaller ones"
                 : ""),
        table_of_ranking(header, target, common, request.settings, true));
    for (const auto& [ranked, line] : target.top) {
      const auto own = runs.find(line.task);
      if (out.pages.size() == kMostPages || (request.runs && own == runs.end()))
        continue;
      const std::string key = words_of(line, header);
      if (auto sections =
              page_of_line(request, line, rankings.common,
                           own == runs.end() ? std::nullopt : std::optional(own->second), key,
                           "m" + std::to_string(out.pages.size() + 1) + "-"))
        out.pages.emplace_back(key, std::move(*sections));
    }
  }
  return out;
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
