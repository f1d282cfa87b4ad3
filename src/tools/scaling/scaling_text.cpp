#include <algorithm>

#include "analysis/model_words.hpp"
#include "base/text.hpp"
#include "scaling/scaling.hpp"

namespace perfmodel {

namespace {

void describe_misfit(Fields& f, std::optional<double> misfit) {
  f("misfit", misfit, "rmse over the mean; `null`: any times at so few scales fit the law");
  f("describes", misfit ? std::optional(*misfit <= scaling::kMostMisfit) : std::nullopt,
    "false: the misfit is too large for a law; `null` beside that of `misfit`");
}

}  // namespace

void describe(Fields& f, const scaling::Amdahl& x) {
  f("serial_fraction", x.serial_fraction, "s of t = t_1 (s + (1 - s) / G)");
  f("time_of_one", x.time_of_one, "t_1");
  f("rmse", x.rmse, "of the times");
  describe_misfit(f, x.misfit);
}

void describe(Fields& f, const scaling::Gustafson& x) {
  f("serial_fraction", x.serial_fraction, "s' of S = G - s' (G - 1)");
  f("rmse", x.rmse, "of the speedups against the first row");
  describe_misfit(f, x.misfit);
}

void describe(Fields& f, const scaling::Usl& x) {
  f("sigma", x.sigma, "contention");
  f("kappa", x.kappa, "coherency");
  f("gamma", x.gamma, "throughput of one worker");
  f("gamma_is_measured", x.gamma_is_measured, "whether it is not fitted");
  f("peak", x.peak(), "scale of the highest throughput; `null`: none near these scales");
  f("rmse", x.rmse, "of the throughputs");
  describe_misfit(f, x.misfit);
}

void describe(Fields& f, const scaling::Limit& x) {
  f("part", x.part, "of the predicted time");
  f("share", x.share, "of the time");
  f("excess", x.excess, "what perfect scaling of it would save, as a share of the time");
}

void describe(Fields& f, const scaling::Knee& x) {
  f("lower", x.lower, "for times at the upper ends of their intervals");
  f("predicted", x.predicted, "for predicted times");
  f("upper", x.upper, "for times at the lower ends");
}

void describe(Fields& f, const scaling::ScaleToMeasure& x) {
  f("scale", x.scale, "of the column");
  f("gain", x.gain, "decrease of the standard deviation of ln t at `aims`, as a share");
  f("cost", x.cost, "predicted time; of workers, of all together");
}

namespace {

struct SpeedupFields {
  double speedup = 1;
  double efficiency = 1;
};

void describe(Fields& f, const SpeedupFields& x) {
  f("speedup", x.speedup, "relative to the first scale");
  f("efficiency", x.efficiency, "speedup over the ratio of scales");
}

/// The power and the constant of a model; those of ScalingDocument must be set.
struct PowerFields {
  const ScalingDocument& of = kSample<ScalingDocument>;
};

void describe(Fields& f, const PowerFields& x) {
  const auto power = x.of.power.value_or(scaling::PowerPlusConstant{});
  f("settings", x.of.settings, "what was held");
  f("q", power.power, "of t = A G^q + C");
  f("A", power.scalable, "the part that scales, at G = 1");
  f("C", power.constant, "the part that does not");
  f("pays_until", x.of.model_pays_until, "the largest whole scale at or above the limit");
  f.list("readings", x.of.readings, "of the power", [](Fields& item, auto& reading, std::size_t) {
    item("scale", reading.scale, "G");
    item("scalable_part", SpeedupFields{reading.scalable_speedup, reading.scalable_efficiency},
         "what q alone says");
    item("whole_time", SpeedupFields{reading.whole_speedup, reading.whole_efficiency},
         "what q and C say");
  });
}

/// What doubling the scale does.
struct DoublingFields {
  const ScalingDocument& of = kSample<ScalingDocument>;
};

void describe(Fields& f, const DoublingFields& x) {
  const Effect effect = x.of.doubling.value_or(Effect{});
  f("from", effect.from, "scale");
  f("to", effect.to, "twice as much");
  f("time_ratio", effect.ratio, "the predicted time at `to` over that at `from`");
  f("measured", effect.measured, "whether both lie in the measured range");
  f("at", x.of.doubling_at, "the central run, in words, with what was set");
}

void describe_rows(Fields& f, const ScalingDocument& x) {
  const auto told = [&](auto value) {
    return x.tells_speedup ? std::optional<double>(value) : std::nullopt;
  };
  f.list("rows", x.study.rows, "one per scale", [&](Fields& item, auto& row, std::size_t i) {
    const bool has_range = !x.in_range.empty();
    const bool has_interval = !x.intervals.empty();
    const Interval interval = has_interval ? x.intervals[i] : Interval{};
    const bool has_bands = has_interval && x.tells_speedup && x.forecast;
    const Interval speedup = has_bands ? x.forecast->speedups[i] : Interval{};
    const Interval efficiency = has_bands ? x.forecast->efficiencies[i] : Interval{};
    const bool has_limit = x.tells_speedup && x.forecast;
    item("scale", row.scale, "value of the column");
    item("time", row.time, "measured or predicted");
    item("configurations", row.configurations, "how many were compared");
    item("speedup", told(row.speedup), "against the first row");
    item("efficiency", told(row.efficiency), "speedup over the ratio of scales");
    item("karp_flatt", x.tells_speedup ? row.karp_flatt : std::nullopt,
         "serial share of the first row");
    item("equivalent_power", row.equivalent_power, "q of speedup = (scale ratio)^-q");
    item("in_range", has_range ? std::optional<bool>(x.in_range[i]) : std::nullopt,
         "of a model: whether the row is not extrapolated");
    item("lower", interval.low, "of the time, where the model has intervals",
         only_if(has_interval));
    item("upper", interval.high, "of the time, where the model has intervals",
         only_if(has_interval));
    item("speedup_lower", speedup.low, "for `upper`, against the predicted first row",
         only_if(has_bands));
    item("speedup_upper", speedup.high, "for `lower`", only_if(has_bands));
    item("efficiency_lower", efficiency.low, "for `upper`", only_if(has_bands));
    item("efficiency_upper", efficiency.high, "for `lower`", only_if(has_bands));
    item("limit", has_limit ? x.forecast->limits[i] : std::nullopt,
         "of a model: the part of the time that scales worst; `null`: all scale perfectly",
         only_if(has_limit));
  });
}

}  // namespace

ScalingDocument of_level(ScalingDocument document, const LevelStudy& level) {
  document.levels.clear();
  static_cast<LevelStudy&>(document) = level;
  return document;
}

/// The study of `x`, or that of a level.
void describe_study(Fields& f, const ScalingDocument& x) {
  const auto told = x.tells_speedup ? x.study : scaling::ScalingStudy();
  f("time_is_relative", x.relative, "whether times are relative to the first row");
  f("left_out", x.left_out, "lines of rows with which nothing could be compared",
    only_if(x.source == "runs"));
  describe_rows(f, x);
  f.object("laws", "`null` where one does not go with the kind", [&](Fields& laws) {
    laws("amdahl", told.amdahl, "of strong scaling");
    laws("gustafson", told.gustafson, "of weak scaling");
    laws("usl", told.usl, "the universal scalability law");
  });
  f("least_efficiency", x.study.least_efficiency, "the limit, as a share");
  f("pays_until", told.pays_until, "the last scale at or above the limit");
  f("pays_no_more_at", told.pays_no_more_at, "the first below it");
  f("fastest_scale", x.tells_speedup ? std::optional(x.study.fastest_scale) : std::nullopt,
    "of the highest throughput");
}

void describe(Fields& f, const ScalingDocument& x) {
  const bool tells = x.tells_speedup;
  f.document("perfmodel/scaling", "Speedup and laws along a column: scaling");
  f("source", x.source, "`model` or `runs`");
  f("file", x.file, "its name");
  f("column", x.column, "the scale");
  f("kind", tells ? std::optional(x.study.kind) : std::nullopt,
    "`null`: no speedups, since it counts no workers");
  f("kind_because", x.kind_because.empty() ? std::nullopt : std::optional(x.kind_because),
    "what told the kind, or what is not known; `null` if the kind was given");
  f("kind_is_open", x.kind_is_open, "no column told the kind for certain: it is assumed");
  f("time_unit", x.relative ? std::string() : x.unit.name, "of times");
  describe_study(f, x);
  f.list(
      "levels", x.levels,
      "of runs: studies of levels that differ by more than noise; the study above is then their "
      "mean, which no law describes",
      [&](Fields& item, const LevelStudy& level, std::size_t) {
        item("at", level.at, "columns and their levels");
        describe_study(item, of_level(x, level));
      },
      only_if(x.source == "runs"));
  f("doubling", x.doubling ? std::optional(DoublingFields{x}) : std::nullopt,
    "of a model: what doubling the scale does");
  f("model", x.power ? std::optional(PowerFields{x}) : std::nullopt, "of Eq. (4)");
  f("interval_level", x.level, "of the intervals of the rows", only_if(!x.intervals.empty()));
  const scaling::Forecast forecast = x.forecast.value_or(scaling::Forecast{});
  f("knee", forecast.knee,
    "of a model: the largest whole scale at or above the limit; `null`: the whole table is",
    only_if(tells && x.forecast));
  f("aims", forecast.aims, "of a model: scales whose time is to become certain",
    only_if(x.forecast.has_value()));
  f("measure_first", forecast.measure_first, "the scales worth a run, the best first",
    only_if(x.forecast.has_value()));
}

}  // namespace perfmodel

namespace perfmodel::cli {
namespace {

/// "workers = 4", to which speedups and efficiencies are relative.
std::string first_scale(const ScalingDocument& document) {
  return document.column + " = " + to_text(document.study.rows.front().scale);
}

std::string header(const ScalingDocument& document) {
  const auto& study = document.study;
  std::string text =
      document.file + ": " +
      (!document.tells_speedup
           ? std::string(words_of_measure(document.measure).values) + " along " + document.column
       : study.kind == scaling::Kind::strong
           ? "strong scaling, times are of a fixed amount of work"
           : "weak scaling, times are of an iteration whose work grows with the scale") +
      (document.kind_because.empty() || document.kind_is_open ? "" : ": " + document.kind_because) +
      "\n";
  if (document.tells_speedup && study.rows.front().scale != 1)
    text += "speedup and efficiency are relative to " + first_scale(document) + "\n";
  if (!document.left_out.empty())
    text += words_of_left_out(document) + "\n";
  if (document.doubling)
    text +=
        document.column + " " + document.doubling_in_words + " (at " + document.doubling_at + ")\n";
  return text;
}

doc::Table rows(const ScalingDocument& document) {
  const std::vector<scaling::ScalingRow>& study = document.study.rows;
  const auto& forecast = document.forecast;
  const std::string value(words_of_measure(document.measure).value);
  const ShownTime time(readable_unit(document.relative ? 0 : study.front().time,
                                     document.relative ? Unit("") : document.unit));
  const bool has_intervals = !document.intervals.empty();
  const bool tells = document.tells_speedup;
  doc::Table table{
      .columns = doc::scale_columns(
          document.column, document.relative ? "relative " + value : time.heading(value),
          doc::format_of(time), has_intervals ? std::optional(document.level) : std::nullopt),
      .csv = {"scale", "time", "configurations", "speedup", "efficiency", "karp_flatt",
              "equivalent_power", "lower", "upper", "speedup_lower", "speedup_upper",
              "efficiency_lower", "efficiency_upper", "limited_by"}};
  for (std::size_t i = 0; i < study.size(); ++i) {
    std::vector<doc::Cell> cells = {study[i].scale, study[i].time};
    if (has_intervals)
      cells.emplace_back(document.intervals[i]);
    cells.insert(cells.end(), {study[i].speedup, study[i].efficiency});
    table.add(std::move(cells));
  }
  table.add_column(doc::numbers("Karp-Flatt", "karp_flatt"),
                   [&](std::size_t i) { return study[i].karp_flatt; });
  for (std::size_t c = table.columns.size() - 3; !tells && c < table.columns.size(); ++c) {
    table.columns[c].hidden = true;
    for (std::vector<doc::Cell>& cells : table.rows)
      cells[c] = {};
  }
  table.add_column(
      doc::numbers("equivalent q", "equivalent_power"),
      [&](std::size_t i) { return study[i].equivalent_power; });
  table.add_column(document.relative ? doc::numbers("configurations", "configurations")
                                     : doc::for_programs("configurations"),
                   [&](std::size_t i) { return study[i].configurations; });
  if (!document.relative)
    table.add_column(
        doc::words(""),
        [&](std::size_t i) {
          return i < document.in_range.size() && !document.in_range[i] ? "extrapolated" : "";
        });
  const auto add_ends = [&](const std::string& prefix, const std::vector<Interval>& intervals) {
    table.add_column(doc::for_programs(prefix + "lower"),
                     [&](std::size_t i) { return intervals[i].low; });
    table.add_column(doc::for_programs(prefix + "upper"),
                     [&](std::size_t i) { return intervals[i].high; });
  };
  if (has_intervals)
    add_ends("", document.intervals);
  if (has_intervals && tells && forecast) {
    add_ends("speedup_", forecast->speedups);
    add_ends("efficiency_", forecast->efficiencies);
  }
  if (tells && forecast)
    table.add_column(doc::for_programs("limited_by"), [&](std::size_t i) {
      return forecast->limits[i] ? forecast->limits[i]->part : "";
    });
  return table;
}

/// Bands of speedup and efficiency, and the limiting part of the time, of all rows but the first.
void add_forecast(const ScalingDocument& document, doc::Document& out) {
  const scaling::Forecast& forecast = *document.forecast;
  doc::Table table{.columns = {doc::numbers(document.column, {}, doc::all_digits)}};
  for (std::size_t i = 1; i < document.study.rows.size(); ++i)
    table.add({document.study.rows[i].scale});
  if (!forecast.speedups.empty()) {
    table.add_column(
        doc::words("speedup within"), [&](std::size_t row) { return forecast.speedups[row + 1]; });
    table.add_column({"efficiency within", doc::Align::left, doc::percent_of_share},
                     [&](std::size_t row) { return forecast.efficiencies[row + 1]; });
  }
  const auto add = [&](const char* heading, const auto& words_of_limit) {
    table.add_column(
        doc::words(heading),
        [&](std::size_t row) {
          const auto& limit = forecast.limits[row + 1];
          return limit ? words_of_limit(*limit) : "";
        });
  };
  add(
      "limited by", [](const auto& limit) { return limit.part; });
  add(
      "its share of the time", [](const auto& limit) { return percent(100 * limit.share); });
  add("perfect, it would save", [](const auto& limit) { return percent(100 * limit.excess); });
  out.add("\n");
  out.add(std::move(table), 2);
}

/// The scales at which a run makes the answer most certain for its cost.
std::string scales_to_measure(const ScalingDocument& document) {
  const scaling::Forecast& forecast = *document.forecast;
  const std::vector<std::string> aims =
      mapped(forecast.aims, [](double aim) { return to_text(aim); });
  constexpr double least_gain = 0.005;
  std::vector<std::string> scales;
  for (const scaling::ScaleToMeasure& each : forecast.measure_first)
    if (each.gain >= least_gain)
      scales.push_back(to_text(each.scale) + " (-" + percent(100 * each.gain) + ")");
  const std::string aim = " the standard deviation of the " +
                          std::string(words_of_measure(document.measure).value) + " at " +
                          document.column + " = " + joined(aims, " and ");
  return scales.empty()
             ? "no further run at one of these scales would reduce" + aim +
                   " by 0.5 %, given its noise\n"
             : "worth a run first, to reduce" + aim + " for its cost: " + document.column + " = " +
                   joined(scales, ", then ") + "\n";
}

void add_laws(const ScalingDocument& document, doc::Document& out) {
  const auto& study = document.study;
  out.add("\n");
  if (!study.amdahl && !study.gustafson) {
    out.add("  no laws: nothing was sped up\n");
    return;
  }
  doc::Table table{
      {doc::words("law"), doc::words("constants"), doc::numbers("misfit"), doc::words("reading")}};
  const auto add = [&](const char* name, const std::string& constants,
                       const std::optional<double>& misfit, const std::string& reading) {
    const bool is_far = misfit.value_or(0) > scaling::kMostMisfit;
    table.add({name, is_far ? "" : constants, misfit ? percent(100 * *misfit) : "-",
               !misfit  ? "none: any times at so few scales fit"
               : is_far ? "does not describe these times"
                        : reading});
  };
  if (study.amdahl) {
    const double s = study.amdahl->serial_fraction;
    const double first = study.rows.front().scale;  // of the speedups
    add("Amdahl", "serial fraction " + short_number(s), study.amdahl->misfit,
        s > 0 ? "speedup ends at " + short_number(1 + (1 / s - 1) / first) : "no end in sight");
  }
  if (study.gustafson)
    add("Gustafson", "serial fraction " + short_number(study.gustafson->serial_fraction),
        study.gustafson->misfit, "of the run on all workers");
  if (study.usl) {
    const auto& usl = *study.usl;
    const auto peak = usl.peak();
    add("USL",
        "sigma " + short_number(usl.sigma) + ", kappa " + short_number(usl.kappa) + ", gamma " +
            short_number(usl.gamma),
        usl.misfit,
        usl.sigma > 1   ? "throughput falls from the start"
        : peak          ? "throughput peaks at " + short_number(*peak)
        : usl.kappa > 0 ? "no peak up to " + short_number(usl.farthest)
                        : "throughput never falls");
  }
  out.add(std::move(table), 2);
  const auto extrapolated = std::count(document.in_range.begin(), document.in_range.end(), false);
  if (extrapolated > 0) {
    out.add("  fitted to " + std::to_string(study.rows.size()) + " predicted " +
            std::string(words_of_measure(document.measure).values) + ", " +
            std::to_string(extrapolated) + " of which are extrapolated\n");
  }
  if (!study.usl)
    out.add("  USL: needs four scales, or three with 1 among them\n");
  else if (study.usl->gamma_is_measured)
    out.add("  USL: three scales cannot settle gamma; it is the throughput measured at 1\n");
}

void add_readings(const ScalingDocument& document, doc::Document& out) {
  if (!document.power)
    return;
  const auto& power = *document.power;
  out.add(std::string("\n  the fitted power") +
          (document.tells_speedup ? ", read in two ways" : "") + ": t = A " + document.column +
          "^q + C, A " + short_number(power.scalable) + ", q " + short_number(power.power) +
          ", C " + short_number(power.constant) + "\n");
  if (!document.tells_speedup)
    return;
  const doc::Column efficiency = doc::numbers("E", {}, doc::percent_of_share);
  doc::Table table{{doc::numbers(document.column, {}, doc::all_digits),
                    doc::numbers("scalable part: S"), efficiency, doc::numbers("whole time: S"),
                    efficiency}};
  for (const auto& reading : document.readings)
    table.add({reading.scale, reading.scalable_speedup, reading.scalable_efficiency,
               reading.whole_speedup, reading.whole_efficiency});
  out.add(std::move(table), 2);
  if (document.study.kind == scaling::Kind::strong && power.power < 0 && power.constant > 0) {
    const double first = document.study.rows.front().scale;
    out.add("  however many: the whole time is at most " +
            short_number(power.time(first) / power.constant) + " times as fast as with " +
            first_scale(document) + "\n");
  }
}

/// "8", or "8 (extrapolated)" if no row of a model as large is within the measured range.
std::string marked_scale(const ScalingDocument& document, double scale) {
  bool measured = document.in_range.empty();
  for (std::size_t row = 0; row < document.in_range.size(); ++row)
    measured = measured || (document.in_range[row] && document.study.rows[row].scale >= scale);
  return to_text(scale) + (measured ? "" : " (extrapolated)");
}

std::string verdict(const ScalingDocument& document) {
  const auto& study = document.study;
  const auto& forecast = document.forecast;
  const auto until = document.power ? document.model_pays_until
                     : forecast     ? forecast->knee.predicted
                                    : study.pays_until;
  std::string text =
      "\nefficiency stays at " + short_number(100 * study.least_efficiency) + " % or above" +
      (until ? " up to " + document.column + " = " + marked_scale(document, *until) : "");
  if (!document.power && study.pays_no_more_at)
    text += ", but not at " + marked_scale(document, *study.pays_no_more_at) +
            "; of these scales, the throughput is highest at " +
            marked_scale(document, study.fastest_scale);
  if (!document.intervals.empty() && forecast) {
    const auto end = [&](const std::optional<double>& scale) {
      return scale ? to_text(*scale) : "more than " + to_text(study.rows.back().scale);
    };
    text += "\nat the ends of the intervals, up to " + document.column + " = " +
            end(forecast->knee.lower) + " or " + end(forecast->knee.upper);
  }
  return text + "\n";
}

/// A table and laws for each level; of a CSV, one table with the levels in further columns.
std::string formatted_by_level(const ScalingDocument& document, OutputFormat format,
                               std::optional<std::size_t> width) {
  const std::string json = to_json(document);
  doc::Document out{.json = [&] { return json; }};
  out.add(header(document));
  std::vector<std::vector<std::pair<std::string, std::string>>> places;
  for (const LevelStudy& level : document.levels) {
    const ScalingDocument own = of_level(document, level);
    std::vector<std::string> words;
    for (const auto& [column, value] : level.at)
      words.push_back(column + " = " + value);
    out.add("\n" + joined(words, ", ") + "\n");
    if (!own.left_out.empty())
      out.add(words_of_left_out(own) + "\n");
    doc::Table table = rows(own);
    places.insert(places.end(), table.rows.size(), level.at);
    if (!out.data)
      out.data = table;
    else
      std::ranges::copy(table.rows, std::back_inserter(out.data->rows));
    out.add(std::move(table), 2);
    if (own.tells_speedup) {
      add_laws(own, out);
      out.add(verdict(own));
    }
  }
  std::vector<std::string> columns;
  for (const auto& place : places)
    for (const auto& [column, value] : place)
      if (!contains(columns, column))
        columns.push_back(column);
  for (const std::string& column : columns) {
    out.data->csv.push_back(column);
    out.data->add_column(doc::for_programs(column), [&](std::size_t row) {
      const auto found =
          std::ranges::find(places[row], column, &std::pair<std::string, std::string>::first);
      return doc::Cell(found == places[row].end() ? "" : found->second);
    });
  }
  return out.in(format, width);
}

}  // namespace

std::string words_of_left_out(const ScalingDocument& document) {
  const std::vector<std::string> lines =
      mapped(document.left_out, [](std::uint32_t line) { return std::to_string(line); });
  return "left out, since nothing can be compared with " + first_scale(document) +
         " all else being equal: " + counted_noun(lines.size(), "row") + ", line " +
         enumerated(lines, 5);
}

std::string formatted(const ScalingDocument& document, OutputFormat format,
                      std::optional<std::size_t> width) {
  if (!document.levels.empty())
    return formatted_by_level(document, format, width);
  // Written first for every format, since it throws for figures that are not finite.
  const std::string json = to_json(document);
  doc::Document out{.json = [&] { return json; }};
  out.add(header(document));
  out.add("\n");
  out.add(rows(document), 2);
  if (document.tells_speedup && document.forecast)
    add_forecast(document, out);
  if (document.tells_speedup)
    add_laws(document, out);
  add_readings(document, out);
  if (document.tells_speedup)
    out.add(verdict(document));
  if (document.forecast)
    out.add((document.tells_speedup ? "" : "\n") + scales_to_measure(document));
  return out.in(format, width);
}

}  // namespace perfmodel::cli
