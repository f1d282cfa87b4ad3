#include "many/set_summary.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "analysis/model_words.hpp"
#include "base/text.hpp"
#include "cli/gates.hpp"
#include "cli/judged_runs.hpp"
#include "cli/model_sets.hpp"
#include "forms/form.hpp"
#include "page/page.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/predict.hpp"
#include "report/document.hpp"
#include "trust/prediction_intervals.hpp"

namespace perfmodel::cli {

namespace {

constexpr std::size_t kMostRanked = 20;   // on a terminal
constexpr std::size_t kMostOfPage = 200;  // in the tables of a page
constexpr std::size_t kMostPages = 24;    // models with a page of their own
constexpr std::size_t kMostRefused = 5;

/// A model in a ranking of models of the same kind.
struct RankedModel {
  ModelSetLine line;
  std::optional<Configuration> configuration = {};  ///< where it is evaluated
  std::optional<double> time = {};                  ///< there; nullopt if the model gives none
  std::optional<double> growth = {};                ///< by doubling the scale

  const FittedModel& model() const { return *line.model; }
  double cost() const { return time.value_or(-1); }
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

/// Evaluates a model, with the common run as its central one, there and where a scale is twice as
/// large, whatever its role.
RankedModel ranked_at(const ModelSetLine& line, CommonRun& common, const std::string& scale) {
  RankedModel out{line};
  const FittedModel model = common.moved(*line.model);
  const auto place = common.configurations(model);
  if (!place)
    return out;
  if (place->table.rows() != 1)
    throw UsageError("--set: models are ranked at one configuration; give one value each");
  out.configuration = configuration_at({}, model, place->table);
  if (!out.configuration)
    return out;
  out.time = time_of(model, *out.configuration);
  const Column* const at = place->table.find(scale);
  if (!out.time || at == nullptr || !at->is_numeric())
    return out;
  const auto doubled =
      configuration_at({scale + "=" + to_text(2 * at->numbers[0])}, model, place->table);
  if (const auto time = doubled ? time_of(model, *doubled) : std::nullopt)
    out.growth = *time / *out.time;
  return out;
}

/// The models of a target, which are compared without settings at the largest value at which any of
/// them was measured, of the first scale of the first model that has one. It may be no scale of
/// others.
struct TargetRanking {
  std::string target;
  std::string scale = {};                      ///< empty: no model has a scale
  std::map<std::string, double> largest = {};  ///< of each column of numbers
  std::shared_ptr<CommonRun> common = {};      ///< with what is set
  std::size_t count = 0;
  double sum = 0;  ///< of all times
  bool with_intervals = false;
  std::vector<RankedModel> top = {};  ///< the longest times first, of equal ones the first

  void see(const FittedModel& model) {
    ++count;
    with_intervals = with_intervals || model.known.intervals.has_value();
    const ModelSpec& spec = model.spec;
    for (const auto* inputs : {&spec.intrinsic, &spec.extrinsic})
      for (const NumericInput& input : *inputs)
        if (!spec.is_derived(input.column))
          largest[input.column] = std::max(largest[input.column], input.high);
    for (const NumericInput& input : spec.extrinsic)
      if (scale.empty() && !spec.follows(input.column))
        scale = input.column;
  }

  void add(RankedModel ranked, std::size_t most) {
    sum += ranked.time.value_or(0);
    const auto at =
        std::ranges::upper_bound(top, ranked.cost(), std::greater<>(), &RankedModel::cost);
    if (top.size() == most && at == top.end())
      return;
    top.insert(at, std::move(ranked));
    if (top.size() > most)
      top.pop_back();
  }
};

/// Rankings of the targets in order of first appearance.
struct TargetRankings {
  std::shared_ptr<CommonRun> common;
  std::size_t models = 0;
  std::vector<TargetRanking> targets = {};

  TargetRankings(const ModelSet& set, const std::vector<std::string>& settings,
                 std::size_t most = kMostRanked)
      : common(std::make_shared<CommonRun>(set, settings)) {
    set.for_each_model([&](const ModelSetLine& line, const FittedModel& model) {
      ++models;
      of(line.target).see(model);
    });
    for (TargetRanking& target : targets)
      target.common = !settings.empty() || target.scale.empty()
                          ? common
                          : std::make_shared<CommonRun>(common->with(
                                {target.scale + "=" + to_text(target.largest.at(target.scale))}));
    set.for_each_model([&](const ModelSetLine& line, const FittedModel& /*model*/) {
      TargetRanking& target = of(line.target);
      target.add(ranked_at(line, *target.common, target.scale), most);
    });
    if (!targets.empty() && !settings.empty())
      common->check();
  }

 private:
  TargetRanking& of(const std::string& target) {
    const auto found = std::ranges::find(targets, target, &TargetRanking::target);
    return found != targets.end() ? *found : targets.emplace_back(TargetRanking{target});
  }
};

Interval interval_of(const RankedModel& ranked) {
  const FittedModel& model = ranked.model();
  const Design at = design_of(*ranked.configuration, model.spec);
  return row_intervals(model, model.known.intervals->level, at)[0].around(*ranked.time);
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

bool is_in_range(const RankedModel& ranked) {
  return check_range(ranked.model(), design_of(*ranked.configuration, ranked.model().spec))
      .in_range[0];
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
std::vector<doc::Cell> page_cells(const RankedModel& ranked, const std::string& scale) {
  if (!ranked.configuration)
    return {"-", "-", "-"};
  return {growth_in_words(ranked, scale), largest_part(ranked.model(), *ranked.configuration),
          is_in_range(ranked) ? doc::Cell("measured") : doc::doubtful("extrapolated")};
}

doc::Table table_of_ranking(const std::vector<std::string>& by, const TargetRanking& target,
                            bool of_page = false) {
  const RankedModel& first = target.top.front();
  const ShownTime shown(shown_unit(first.model().spec), first.time.value_or(1));
  const doc::Format time = doc::format_of(shown);
  doc::Table table{{doc::numbers("share", {}, percent)}};
  table.indentation = 2;
  for (const std::string& column : by)
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
  const CommonRun& common = *target.common;
  for (const RankedModel& ranked : target.top) {
    const FittedModel& model = ranked.model();
    std::vector<doc::Cell> cells{ranked.time && target.sum > 0
                                     ? std::optional(100 * *ranked.time / target.sum)
                                     : std::nullopt};
    cells.insert(cells.end(), ranked.line.key.begin(), ranked.line.key.end());
    cells.emplace_back(ranked.time);
    if (target.with_intervals)
      cells.push_back(ranked.time && model.known.intervals ? doc::Cell(interval_of(ranked))
                                                           : doc::Cell("-"));
    const bool is_beyond = !of_page && ranked.configuration && !is_in_range(ranked);
    cells.insert(cells.end(),
                 {ranked.growth, model.known.metrics.train.mape_percent, held_out_percent(model),
                  ranked.line.rows,
                  warned_of(model, {common.unlike(common.moved(model), common.settings()),
                                    is_beyond ? "extrapolated" : ""})});
    if (of_page) {
      const auto further = page_cells(ranked, target.scale);
      cells.insert(cells.end(), further.begin(), further.end());
    }
    table.add(std::move(cells));
  }
  return table;
}

/// "time_s at gpus = 64, all else as in the central run of device=a100 (line 12)".
std::string heading_of(const TargetRanking& target, const std::vector<std::string>& settings) {
  const std::string common = target.common->words();
  if (settings.empty() && target.scale.empty())
    return target.target + " at " + common;
  return target.target + " at " +
         (settings.empty() ? target.scale + " = " + short_number(target.largest.at(target.scale))
                           : joined(settings, ", ")) +
         ", all else as in " + common +
         (target.scale.empty()
              ? ""
              : "; x2: what doubling " + (settings.empty() ? "it" : target.scale) + " does");
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
std::optional<std::string> page_of_model(const SetPageRequest& request, const FittedModel& fitted,
                                         const CommonRun& common, const page::FileFacts& facts,
                                         const std::optional<Table>& runs, const std::string& key,
                                         const std::string& id_prefix) {
  const FittedModel model = common.moved(fitted);
  const std::optional<Table> table = runs ? runs : central_runs(fitted);
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
  if (runs)
    set_rows_of_fit_aside(model, judged);
  page::Source source = page_source(model, request.model_file,
                                    {facts.file, table->rows(), facts.sha256, false}, judged);
  source.command = request.command;
  source.key = key;
  source.id_prefix = id_prefix;
  source.has_runs = runs.has_value();
  return page::sections_of(page::content_of(source));
}

}  // namespace

std::string set_summary(const ModelSet& set, const Console& console,
                        const std::vector<std::string>& settings) {
  const TargetRankings rankings(set, settings);
  std::string out = console.strong(std::to_string(rankings.models) + " models") + " of " +
                    std::to_string(set.header().tasks) + " from " + set.header().file + "\n";
  for (const TargetRanking& target : rankings.targets) {
    out += "\n  " + heading_of(target, settings) + "\n" +
           doc::text(table_of_ranking(set.header().by, target), console.width());
    if (target.count > target.top.size())
      out += "  and " + std::to_string(target.count - target.top.size()) + " more\n";
  }
  return out;
}

page::SetContent set_page(const ModelSet& set, const SetPageRequest& request, Console& console) {
  const TargetRankings rankings(set, request.settings, kMostOfPage);
  const ModelSetHeader& header = set.header();
  page::FileFacts facts{.file = "the fit", .sha256 = {}};
  if (request.runs)
    facts = {.file = base_name(request.runs->path), .sha256 = sha256(request.runs->bytes)};
  page::SetContent out;
  out.title = request.title.empty()
                  ? std::to_string(rankings.models) + " models: " + request.model_file +
                        (request.runs ? " on " + facts.file : "")
                  : request.title;
  out.subtitle = "Models of " + header.file + " by " +
                 (header.by.empty() ? "target" : joined(header.by, ", ")) +
                 ", the most costly first; MAPE is that of the fit";
  std::map<std::size_t, Table> runs;
  if (request.runs)
    for_each_with_counted_rows(set, *request.runs, console, [&](ModelRows part) {
      runs[part.line.task] = std::move(part.table);
    });
  for (const TargetRanking& target : rankings.targets) {
    const std::size_t smaller = target.count - target.top.size();
    out.tables.emplace_back(
        heading_of(target, request.settings) +
            (smaller > 0 ? "; without " + std::to_string(smaller) + " smaller ones" : ""),
        table_of_ranking(header.by, target, true));
    for (const RankedModel& ranked : target.top) {
      const auto own = runs.find(ranked.line.task);
      if (out.pages.size() == kMostPages || (request.runs && own == runs.end()))
        continue;
      const std::string key = words_of(ranked.line, header);
      if (auto sections =
              page_of_model(request, ranked.model(), *rankings.common, facts,
                            own == runs.end() ? std::nullopt : std::optional(own->second), key,
                            "m" + std::to_string(out.pages.size() + 1) + "-"))
        out.pages.emplace_back(key, std::move(*sections));
    }
  }
  return out;
}

void show_set(const ModelSet& set, const std::vector<std::string>& ranked_at, bool some_are_missing,
              Console& console) {
  if (!console.quiet())
    console.summary(set_summary(set, console, ranked_at));
  if (!some_are_missing)
    return;
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
  if (count > kMostRefused)
    reasons.push_back("and " + std::to_string(count - kMostRefused) + " more");
  if (count > 0)
    console.warning(std::to_string(count) + " of " + std::to_string(lines) +
                    " could not be fitted:\n  " + joined(reasons, "\n  "));
}

}  // namespace perfmodel::cli
