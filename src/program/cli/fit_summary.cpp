#include "cli/fit_summary.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/errors.hpp"
#include "analysis/model_words.hpp"
#include "base/text.hpp"
#include "cli/certainty.hpp"
#include "cli/fit_command.hpp"
#include "columns/design.hpp"
#include "columns/spec.hpp"
#include "forms/failure_model.hpp"
#include "forms/form.hpp"
#include "forms/scaling_belief.hpp"
#include "roles/quantities.hpp"
#include "storage/files.hpp"
#include "table/table.hpp"

namespace perfmodel::cli {

namespace {

constexpr std::size_t kIndentation = 2;

std::string indented(const std::string& line) {
  return line.empty() ? "" : std::string(kIndentation, ' ') + line + "\n";
}

using Spreads = std::vector<Spread>;

/// Whether the values of all seeds are equal but for rounding: of the value and, of one near 0, as
/// of numbers of the order of 1.
bool is_equal(const Spread& spread) {
  constexpr double relative = 1e-6;
  constexpr double absolute = 1e-12;
  return spread.standard_deviation <= relative * std::abs(spread.mean) + absolute;
}

void add_row(doc::Table& table, const std::string& name, double best, const Spread& spread) {
  table.add({name, best, spread.mean,
             "+- " + short_number(is_equal(spread) ? 0 : spread.standard_deviation)});
}

void add_metrics(doc::Table& table, const std::string& part, const std::optional<Metrics>& best,
                 const Spreads& spreads) {
  constexpr std::array<std::pair<std::string_view, const char*>, 4> shown = {
      {{"mae", " MAE"}, {"mape_percent", " MAPE %"}, {"rmse", " RMSE"}, {"r2", " R2"}}};
  for (const auto& [name, title] : shown)
    for (const Spread& spread : spreads)
      for (const auto& [metric, member] : kNamedMetrics)
        if (best && spread.name == name && metric == name)
          add_row(table, part + title, (*best).*member, spread);
}

/// Constants and metrics of repeated fits: of the best fit, and their mean and standard deviation
/// over the seeds.
std::string repeat_section(const FittedModel& model, const Console& console) {
  if (!model.known.repeats)
    return {};
  const RepeatSummary& repeats = *model.known.repeats;
  if (std::ranges::all_of(repeats.constants, is_equal) &&
      std::ranges::all_of(repeats.train, is_equal))
    return "\n" + indented("all " + std::to_string(repeats.fits) +
                           " seeds end in the same optimum; the spread over runs: --folds 5");
  doc::Table table{{doc::words(std::to_string(repeats.fits) + " seeds"), doc::numbers("best"),
                    doc::numbers("mean"), doc::words("sd over seeds (n - 1)")}};
  for (std::size_t k = 0; k < repeats.constants.size(); ++k)
    add_row(table, clipped(repeats.constants[k].name, 36), model.constants[index(k)],
            repeats.constants[k]);
  add_metrics(table, "training", model.known.metrics.train, repeats.train);
  add_metrics(table, "validation", model.known.metrics.validation, repeats.validation);
  add_metrics(table, "test", model.known.metrics.test, repeats.test);
  return section(table, console);
}

/// "*" at a bound, "?" not identifiable, else empty.
std::string mark_of(ConstantStatus status) {
  return status == ConstantStatus::at_bound       ? "*"
         : status == ConstantStatus::undetermined ? "?"
                                                  : "";
}

/// Marks of constants that must not be quoted.
class ConstantMarks {
 public:
  explicit ConstantMarks(const FittedModel& model) {
    for (const ConstantRow& row : constant_table(model))
      seen_ += mark_of(row.status);
    for (const ScalingPower& power : scaling_power_table(model))
      seen_ += mark_of(power.status);
  }

  /// The mark, or a blank in its place; empty if no constant has a mark.
  std::string of(ConstantStatus status) const {
    return mark_of(status).empty() ? blank() : mark_of(status);
  }
  std::string blank() const { return seen_.empty() ? "" : " "; }
  std::string marked(const ConstantRow& row) const {
    return short_number(row.value) + of(row.status);
  }
  /// Explains the marks that occur; empty if there are none.
  std::string legend() const {
    std::vector<std::string> out;
    if (contains(seen_, '*'))
      out.emplace_back("* at a bound");
    if (contains(seen_, '?'))
      out.emplace_back("? not determined by these runs");
    return joined(out, "   ");
  }

 private:
  std::string seen_;  ///< all marks
};

/// Intervals of the constants that can be quoted: scaling powers, C, powers and level differences;
/// for a sum of products, local scaling powers, C and the powers of each term.
std::string uncertainty_section(const FittedModel& model, const Console& console) {
  if (!model.known.uncertainty)
    return {};
  doc::Table table{
      {doc::words(std::to_string(model.known.uncertainty->samples) + " bootstrap samples"),
       doc::numbers("fitted"),
       doc::words(short_number(100 * model.known.uncertainty->confidence) + " % interval")}};
  const bool local = model.form->has_local_powers();
  const auto add = [&](const std::string& name, double fitted,
                       const std::optional<Interval>& interval, ConstantStatus status) {
    // A power that is 0 by definition has an interval of width 0.
    const bool is_free = interval && (!local || interval->low < interval->high);
    if (is_free && mark_of(status).empty())
      table.add({clipped(name, 44), fitted, *interval});
  };
  const auto add_row = [&](const ConstantRow& row) {
    add(row.name, row.value, row.interval, row.status);
  };
  const std::vector<ConstantRow> constants = constant_table(model);
  for (const ScalingPower& power : scaling_power_table(model))
    if (local)
      add("local power of " + power.column, power.power, power.interval, power.status);
  for (const ConstantRow& row : constants)
    if (!local && row.role == ConstantRole::scaling_power)
      add_row(row);
  if (constants.back().role == ConstantRole::intercept)
    add_row(constants.back());
  for (const ConstantRow& row : constants)
    if (row.role == ConstantRole::intrinsic_power || row.role == ConstantRole::named ||
        (local && row.role == ConstantRole::scaling_power))
      add_row(row);
  for (const LevelDifference& item : difference_table(model)) {
    const ConstantRow& row = item.difference;
    add(item.column + ": " + row.name, row.value, row.interval, row.status);
  }
  return section(table, console);
}

constexpr std::size_t kMostLevels = 12;   // model.json contains all levels of a column
constexpr std::size_t kLongestName = 28;  // longer names are clipped to fit the line

std::string seconds_text(double seconds) {
  return seconds < 10 ? fmt::format("{:.2f} s", seconds) : fmt::format("{:.0f} s", seconds);
}

std::string range_text(const NumericInput& input) {
  return short_number(input.low) + " .. " + short_number(input.high);
}

std::string header(const FitDocument& report, const Console& console) {
  const FittedModel& model = report.model;
  std::string rows = std::to_string(model.provenance.rows) + " rows";
  if (report.training_rows != model.provenance.rows)
    rows += ", " + std::to_string(report.training_rows) + " of them for training";
  if (model.provenance.cut)
    rows += ", " + std::to_string(model.provenance.cut->rows) + " of them cut off";
  return console.strong(with_unit(model.spec.target, model.spec.unit)) + " from " +
         display_name(model.provenance.file) + ": " + rows + "\n" +
         (report.scales_wrongly || few_rows_warning(model)
              ? ""
              : paragraphs_within(answer_in_words(model), console.width().value_or(kUsualWidth)));
}

/// The constants of a form by input, except those of scales, which have their own section.
std::string constants_section(const FitDocument& report, const Console& console) {
  const FittedModel& model = report.model;
  const ConstantMarks marks(model);
  const std::vector<std::string> groups = model.form->groups(model.spec);
  std::vector<std::vector<ConstantRow>> constants(groups.size());
  for (const ConstantRow& row : constant_table(model))
    constants[row.group].push_back(row);
  doc::Table table{
      {doc::words("input"), doc::words(""), doc::numbers("a" + marks.blank()),
       doc::numbers("p" + marks.blank()), doc::words("measured"),
       doc::numbers(measure_of(model.spec) == Measure::time ? "share of time" : "share")}};
  std::size_t part = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::vector<ConstantRow>& own = constants[g];
    if (own.back().role == ConstantRole::scaling_power)
      continue;
    const std::string share = percent(report.time_shares.at(part++));
    if (own.front().role != ConstantRole::level) {
      const NumericInput* const input =
          own.size() > 1 ? input_called(model.spec, groups[g]) : nullptr;
      table.add({clipped(groups[g], kLongestName), "", marks.marked(own.front()),
                 own.size() > 1 ? marks.marked(own[1]) : "", input ? range_text(*input) : "",
                 share});
      continue;
    }
    const std::size_t shown = std::min(own.size(), kMostLevels);
    for (std::size_t l = 0; l < shown; ++l) {
      table.add({l == 0 ? clipped(groups[g], kLongestName) : "",
                 clipped(own[l].level, kLongestName / 2), marks.marked(own[l]), "", "",
                 l == 0 ? share : ""});
    }
    if (shown < own.size())
      table.add({"", std::to_string(own.size() - shown) + " more levels"});
  }
  return section(table, console) + indented(marks.legend());
}

/// A formula in lines, cut before factors; at blanks within a factor that is longer than a line.
std::vector<std::string> wrapped(std::string formula, std::size_t width) {
  constexpr char kept = '\x1f';  // a blank that does not end a factor
  for (std::size_t c = 0; c + 1 < formula.size(); ++c)
    if (formula[c] == ' ' && formula[c + 1] != '*' && formula[c + 1] != '+')
      formula[c] = kept;
  std::vector<std::string> lines;
  for (std::string line : lines_within(formula, width, 2)) {
    std::ranges::replace(line, kept, ' ');
    std::ranges::move(lines_within(line, width, 4), std::back_inserter(lines));
  }
  return lines;
}

/// The constants of a user's formula.
std::string named_constants(const FittedModel& model, const ConstantMarks& marks,
                            const Console& console) {
  doc::Table table{{doc::words("constant"), doc::numbers("value")}};
  for (const ConstantRow& row : constant_table(model))
    table.add({clipped(row.name, 44), marks.marked(row)});
  return section(table, console);
}

constexpr double kRules = 5;  // percent of the runs; rarer parts are not named

/// Which parts are the largest ones, in how many runs and where; nothing if one is in nearly all.
std::string rules_section(std::vector<Share> shares, const Console& console) {
  std::erase_if(shares, [](const Share& share) { return share.percent_ruled < kRules; });
  if (shares.size() < 2)
    return {};
  std::ranges::stable_sort(shares, std::greater<>(), &Share::percent_ruled);
  doc::Table table{
      {doc::words("largest part"), doc::numbers("of the runs"), doc::words("most at")}};
  for (const Share& share : shares)
    table.add({share.name, percent(share.percent_ruled), clipped(share.most_at, kLongestName)});
  return section(table, console);
}

/// The terms of a sum, largest first, or those of a user's formula with its constants.
std::string terms_section(const FitDocument& report, const Console& console) {
  const FittedModel& model = report.model;
  const ConstantMarks marks(model);
  const std::vector<ConstantRow> constants = constant_table(model);
  const auto mark = [&](std::size_t constant) { return mark_of(constants[constant].status); };
  const ConstantRow& last = constants.back();
  const bool is_named = last.role == ConstantRole::named;
  constexpr std::size_t beside = 20;  // width of the share and margin
  const std::size_t width = console.width().value_or(kUsualWidth) - beside;
  doc::Table table{{doc::numbers("share"), doc::words("term")}};
  std::vector<TimePart> parts = model.form->parts(model.spec, model.constants, mark);
  if (!is_named)
    parts.back().formula = short_number(last.value) + mark_of(last.status) + "  (C)";
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (!parts[k].exists)
      continue;
    std::string share = percent(report.time_shares.at(k));
    for (const auto& line : wrapped(parts[k].formula, width)) {
      table.add({share, line});
      share.clear();
    }
  }
  return section(table, console) + (is_named ? named_constants(model, marks, console) : "") +
         indented(marks.legend());
}

/// What there is beside the formula: the residual correction at the central run, with outliers, and
/// the average with a process of the runs.
std::string beside_formula(const FitDocument& report) {
  const FittedModel& model = report.model;
  const std::optional<Centre> centre = centre_of(model);
  const std::string averaging = averaging_in_words(model);
  const std::string average = averaging.empty() ? "" : indented(averaging);
  if (!model.known.correction || !centre)
    return average;
  const double here =
      correction_factors(model, design_of(centre->configuration, model.spec)).value()[0];
  const std::string change = std::string(here > 1 ? "+" : "") + percent(100 * (here - 1)) + " at " +
                             centre->place + typical_correction_in_words(*model.known.correction);
  if (!has_gp(*model.form))
    return average + indented("predictions differ from the formula by " + change);
  std::string out = indented("times a residual correction: " + change);
  const auto& search = model.search.gp;
  if (search && search->outliers > 0) {
    const std::string count = std::to_string(search->outliers);
    out += indented(count + (search->outliers == 1 ? " run is" : " runs are") +
                    " far from what similar runs show and " +
                    (search->outliers == 1 ? "counts" : "count") +
                    " for little; evaluate --outliers " + count + " lists such runs");
  }
  return out + average;
}

/// Number of effects shown besides those of scales, largest first; up to twice as many if they are
/// larger than that of a scale.
constexpr std::size_t kMostOtherEffects = 5;

std::string effect_section(const FitDocument& report, const Console& console) {
  const FittedModel& model = report.model;
  const std::optional<Centre> centre = centre_of(model);
  if (!centre || report.scales_wrongly)
    return {};
  // At a kink there are two local powers; the terms show theirs.
  const bool has_powers = !model.form->has_local_powers();
  doc::Table table{{doc::words("effect of"), doc::words("at " + centre->place),
                    doc::words("measured"), doc::numbers(has_powers ? "q" : "")}};
  const std::vector<ScalingPower> powers = scaling_power_table(model);
  const ConstantMarks marks(model);
  const auto add = [&](const std::string& column, const std::string& words) {
    const NumericInput* const input = input_called(model.spec, column);
    const auto power = std::ranges::find(powers, column, &ScalingPower::column);
    table.add({clipped(column, kLongestName / 2), words, input ? range_text(*input) : "",
               has_powers && power != powers.end()
                   ? short_number(power->power) + marks.of(power->status)
                   : ""});
  };
  doc::Table bands{{doc::words("effect of"), doc::words("over the runs, 10 % to 90 % of them"),
                    doc::words("most at")}};
  std::string contradictions;
  std::size_t others = 0;
  std::size_t hidden = 0;
  const std::vector<Effect> effects = effects_of(model, centre->configuration);
  std::size_t scales_to_come = scale_effects_of(model, centre->configuration).size();
  for (const Effect& effect : effects) {
    const bool is_scale = place_of_input(model.spec.extrinsic, effect.column).has_value();
    scales_to_come -= is_scale ? 1U : 0U;
    if (!is_scale && ++others > kMostOtherEffects &&
        (scales_to_come == 0 || others > 2 * kMostOtherEffects)) {
      ++hidden;
      continue;
    }
    add(effect.column, effect_in_words(effect, &model.spec) +
                           (few_rows_warning(model) && effect.is_determined() ? "?" : ""));
    contradictions += indented(contradiction_of(model, centre->configuration, effect));
    if (effect.differs())
      bands.add({clipped(effect.column, kLongestName / 2),
                 band_in_words(effect, measure_of(model.spec)),
                 clipped(effect.most_at, kLongestName)});
  }
  for (const NumericInput& scale : model.spec.extrinsic)
    if (model.spec.is_derived(scale.column))
      add(scale.column, "-");
  return section(table, console) +
         (hidden > 0 ? indented("and " + counted_noun(hidden, "more input") +
                                "; perfmodel report shows the effects of all")
                     : "") +
         contradictions + (bands.rows.empty() ? "" : section(bands, console));
}

/// The laws that the runs allow, and the run that tells them apart.
std::string laws_section(const FittedModel& model, const Console& console) {
  if (!model.known.laws)
    return {};
  std::string out = "\n" + indented(console.strong(heading_of_laws(model)));
  for (const std::string& law : laws_in_words(model))
    out += indented(law);
  return out;
}

std::string errors_section(const FitDocument& report, const Console& console) {
  const PartMetrics& parts = report.model.known.metrics;
  double largest = parts.train.mae;
  for (const auto* part : {&parts.validation, &parts.test})
    largest = std::max(largest, *part ? (*part)->mae : 0);
  constexpr std::array<std::string_view, 6> shown = {"rows",          "mae",  "mape_percent",
                                                     "smape_percent", "rmse", "r2"};
  return section(
             doc::metrics_table("errors", shown, ShownTime(shown_unit(report.model.spec), largest),
                                {{"training", parts.train},
                                 {"validation", parts.validation},
                                 {"test", parts.test}}),
             console) +
         indented(few_rows_warning(report.model) ? "training errors say nothing: there are no more "
                                                   "rows than constants"
                                                 : "") +
         indented(noise_floor_in_words(parts.train.mape_percent, report.model.known.noise_floor, {},
                                       held_out_percent(report.model)));
}

/// What replaces errors and intervals of a bound.
std::string bound_section(const FitDocument& report, const Console& console) {
  const FittedModel& model = report.model;
  const Bound& bound = *model.bound;
  doc::Table table{{doc::words(short_number(100 * bound.quantile) + " % bound"),
                    doc::numbers("rows"), doc::numbers("at or below", {}, doc::percent_of_share),
                    doc::numbers("sum of bounds / measured sum")}};
  const auto add = [&](const char* name, const std::optional<Metrics>& metrics,
                       const std::optional<BoundUse>& use) {
    if (metrics && use)
      table.add({name, metrics->rows, use->coverage, use->over_allocation});
  };
  add("training", model.known.metrics.train, bound.train);
  add("validation", model.known.metrics.validation, bound.validation);
  add("test", model.known.metrics.test, bound.test);
  return section(table, console) +
         indented("the fitted quantile times " + short_number(bound.factor) + ": " +
                  std::string(to_text(model.known.intervals->calibration)) + " on " +
                  std::to_string(model.known.intervals->count) + " held-out rows");
}

/// Where the correction does not lower the held-out error of the formula alone, by at least 1 %.
std::string correction_gain(const FittedModel& model) {
  constexpr double gain = 0.99;
  const std::vector<HeldOutErrors>& held_out = model.search.form->held_out;
  if (held_out.size() < 3)
    return {};
  if (!model.search.gp)
    return indented("the correction is left out: with it, held-out runs are predicted no better");
  const HeldOutErrors& alone = held_out[1];
  const HeldOutErrors& corrected = held_out[2];
  const bool within = corrected.random > gain * alone.random;
  const bool beyond = corrected.extrapolation_folds && alone.extrapolation_folds &&
                      *corrected.extrapolation_folds > gain * *alone.extrapolation_folds;
  return !within && !beyond ? ""
                            : indented(std::string("the correction gains nothing in ") +
                                       (within && beyond ? "either"
                                        : within         ? "the first"
                                                         : "the second") +
                                       " column; --residual none chooses a formula without it");
}

/// The held-out errors by which the form was selected.
std::string choice_section(const FitDocument& report, const Console& console) {
  const std::optional<FormChoice>& choice = report.model.search.form;
  if (!choice || choice->held_out.empty())
    return {};
  doc::Table table{{doc::words("error of held-out runs"),
                    doc::numbers("random folds", {}, doc::percent_of_share),
                    doc::numbers("largest values held out", {}, doc::percent_of_share)}};
  const std::array<const char*, 3> names = {"Eq. (4)", "formula alone", "with residual correction"};
  for (std::size_t i = 0; i < std::min(names.size(), choice->held_out.size()); ++i)
    table.add({names[i], choice->held_out[i].random, choice->held_out[i].extrapolation_folds});
  return section(table, console) +
         indented(
             "judge predictions within the measured ranges by the first column, those of larger "
             "values by the second") +
         correction_gain(report.model);
}

/// What the runs changed in an earlier model.
std::string prior_line(const PriorFacts& prior) {
  return "on average " + short_number(prior.factor) + " times the model of " + prior.file + " (" +
         std::to_string(prior.rows) + " rows); single runs deviate by " +
         percent(100 * std::expm1(prior.deviation));
}

std::string failures_line(const FitDocument& report, const Console& console) {
  const auto& failures = report.model.failures;
  return failures ? "\n" + std::string(kIndentation, ' ') + console.strong("failures") + "  " +
                        counted_noun(failures->facts().failed, "run") + " failed, " +
                        std::to_string(failures->facts().finished) +
                        " did not: predictions say how likely a run fails (p_fails)\n"
                  : "";
}

std::string search_line(const FitDocument& report, const Console& console) {
  const SearchSummary& search = report.model.search;
  const Penalty& penalty = search.objective.penalty;
  std::string line = std::string(kIndentation, ' ') + console.strong("search") + "  " +
                     search.strategy + ", seed " + std::to_string(search.seed);
  if (!search.gp)
    line += ", loss " + std::string(to_text(search.objective.loss)) +
            (search.objective.quantile ? " at the quantile " + to_text(*search.objective.quantile)
                                       : "");
  if (penalty.l1 != 0)
    line += ", L1 " + short_number(penalty.l1);
  if (penalty.l2 != 0)
    line += ", L2 " + short_number(penalty.l2);
  if (penalty.constants == Penalise::scaled && (penalty.l1 != 0 || penalty.l2 != 0))
    line += " of scaled constants";
  const std::string starts =
      search.starts == 1 ? "" : ", best of " + std::to_string(search.starts) + " starts";
  std::string counts = std::to_string(search.evaluations) + " evaluations";
  if (search.generations > 0)
    counts = std::to_string(search.generations) + " generations, " + counts;
  const FittedModel& model = report.model;
  const bool did_more = model.known.uncertainty || model.known.repeats ||
                        model.known.cross_validation || model.known.intervals;
  const std::string end =
      search.prior ? prior_line(*search.prior) : search.termination + " after " + counts;
  return "\n" + line + starts + "\n" + std::string(kIndentation + 8, ' ') + end + ", " +
         seconds_text(report.seconds) +
         (did_more ? "; in all, " + seconds_text(report.all_seconds) : "") + "\n";
}

}  // namespace

std::string bound_in_words(const Bound& bound, const BoundUse& use) {
  return percent(100 * use.coverage) + " of the rows are at or below their " +
         short_number(100 * bound.quantile) + " % bound, and all bounds together are " +
         short_number(use.over_allocation) + " times the measured sum";
}

std::string section(doc::Table table, const Console& console) {
  table.indentation = kIndentation;
  std::vector<std::string> lines = doc::text_lines(table, console.width());
  lines.front() = console.strong(lines.front());
  return "\n" + joined(lines, "\n") + "\n";
}

std::string fit_summary(const FitDocument& report, const Console& console) {
  return header(report, console) +
         (report.model.form->words().lists_terms ? terms_section : constants_section)(report,
                                                                                      console) +
         beside_formula(report) + rules_section(report.shares, console) +
         effect_section(report, console) + laws_section(report.model, console) +
         (report.model.bound ? bound_section : errors_section)(report, console) +
         choice_section(report, console) + uncertainty_section(report.model, console) +
         repeat_section(report.model, console) +
         (report.model.bound ? "" : certainty_section(report.model, console)) +
         failures_line(report, console) + search_line(report, console);
}

namespace {

constexpr std::size_t kMostOfAKind = 5;  // further warnings are summarised

/// The common kind of warnings with the same meaning.
std::string family_of(const std::string& kind) {
  return kind == "flat_direction" || kind == "negligible_term" ? "undetermined" : kind;
}

std::string of_all_constants(const FittedModel& model, ConstantStatus status) {
  const std::vector<ConstantRow> constants = constant_table(model);
  const auto count = std::ranges::count(constants, status, &ConstantRow::status);
  return std::to_string(count) + " of " + std::to_string(constants.size()) + " constants are ";
}

/// One message for many warnings of one kind.
std::string summed_up(const FittedModel& model, const std::vector<const Warning*>& warnings) {
  const std::string kind = family_of(warnings.front()->kind);
  const std::string details = "; the model file shows which";
  if (kind == "undetermined") {
    return of_all_constants(model, ConstantStatus::undetermined) +
           "not determined by these runs and are unreliable" + details;
  }
  if (kind == "at_bound")
    return of_all_constants(model, ConstantStatus::at_bound) + "at a bound of the search" + details;
  return warnings.front()->message + " (and " + std::to_string(warnings.size() - 1) +
         " more of this kind" + details + ")";
}

}  // namespace

std::vector<std::string> warning_lines(const FittedModel& model) {
  std::map<std::string, std::vector<const Warning*>> by_kind;
  for (const Warning& warning : model.warnings)
    by_kind[family_of(warning.kind)].push_back(&warning);
  std::vector<std::string> lines;
  for (const Warning& warning : model.warnings) {
    const auto& others = by_kind[family_of(warning.kind)];
    if (others.size() <= kMostOfAKind)
      lines.push_back(warning.message);
    else if (others.front() == &warning)
      lines.push_back(summed_up(model, others));
  }
  return lines;
}

}  // namespace perfmodel::cli
