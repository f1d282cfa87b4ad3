#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/model_words.hpp"
#include "analysis/scaling.hpp"
#include "forms/failure_model.hpp"
#include "forms/form.hpp"
#include "page/figures.hpp"
#include "page/page.hpp"
#include "storage/files.hpp"

namespace perfmodel::page {
namespace {

constexpr std::size_t kShown = 3;     // shares and effects in an answer; the page lists all
constexpr double kMuchError = 20;     // percent
constexpr double kFarAboveNoise = 3;  // times the noise floor

bool has_leak(const FittedModel& model) {
  return contains(mapped(model.warnings, &Warning::kind), "leak");
}

/// True if a constant of the input or term is undetermined or at a bound.
bool has_doubtful(const Content& content, const std::string& name) {
  return std::ranges::any_of(
      content.constants,
      [&](const ConstantGroup& group) {
        return group.name == name &&
               std::ranges::any_of(group.constants, is_doubtful, &ConstantRow::status);
      });
}

template <class... Arguments>
void add_line(doc::Answer& answer, fmt::format_string<const Arguments&...> text,
              const Arguments&... arguments) {
  answer.lines.push_back(fmt::format(text, arguments...));
}

/// How many runs failed, and how likely one of the shown configuration does; empty if none did.
std::string failing_text(const Content& content) {
  if (!content.model.failures)
    return {};
  const FailureFacts& facts = content.model.failures->facts();
  const double p =
      content.model.failures->probability(content.model.spec, content.central.configuration);
  return fmt::format("{} failed, {} did not{}", counted_noun(facts.failed, "run"), facts.finished,
                     std::isfinite(p) ? "; here one fails with P = " + short_number(p) : "");
}

doc::Answer duration_answer(const Content& content) {
  const Unit unit = shown_unit(content.model.spec);
  doc::Answer answer{std::string(words_in(content).question), "", {}};
  const std::string_view value = words_in(content).value;
  const auto& time = content.central.time;
  answer.figure = time ? time_text(*time, unit) : fmt::format("no {}", value);
  add_line(answer, "{} at {}", time ? "predicted" : "is predicted: the model does not hold",
           content.central.place);
  if (const Warning* few = few_rows_warning(content.model)) {
    add_line(answer, "not determined: {}", few->message);
    answer.is_alarming = true;
  }
  if (content.model.bound)
    add_line(answer, "a bound: {} % of new runs are meant to stay at or below it",
             short_number(100 * content.model.bound->quantile));
  else if (time && content.intervals)
    add_line(answer, "{} % interval: {}", short_number(100 * content.model.known.intervals->level),
             time_range_text(*time * content.intervals->factors.lower,
                             *time * content.intervals->factors.upper, unit));
  if (content.groups)
    add_line(answer, "one typical {} means little: see the {} by {}", value,
             words_in(content).values, content.groups->column);
  if (content.has_runs)
    add_line(answer, "measured: {}, median {}",
             time_range_text(content.design.time.minCoeff(), content.design.time.maxCoeff(), unit),
             time_text(content.median_time, unit));
  if (const std::string failing = failing_text(content); !failing.empty())
    answer.lines.push_back(failing);
  return answer;
}

/// Returns a text on the residual correction at the shown configuration; empty if there is none.
std::string correction_text(const Content& content) {
  if (!content.steps || !content.steps->gp)
    return {};
  return fmt::format(
      "beside the formula {}: {} here{}",
      content.is_average ? "an average with a process of the runs" : "a residual correction",
      signed_percent(100 * *content.steps->gp / content.steps->formula),
      typical_correction_in_words(content.model.known.correction.value_or(0)));
}

doc::Answer share_answer(const Content& content) {
  doc::Answer answer{std::string(words_in(content).reasons), "no input", {}};
  const Measure measure = measure_of(content.model.spec);
  const bool has_shares = !content.model.form->words().lists_terms && !content.shares.empty() &&
                          !has_doubtful(content, content.shares.front().name);
  std::vector<Effect> effects;
  for (const Effect& effect : content.effects)
    if (effect.measured && effect.is_determined())
      effects.push_back(effect);
  std::size_t first_effect = 0;
  if (has_shares) {
    answer.figure = fmt::format("{}: {}", clipped(content.shares.front().name, 24),
                                percent(content.shares.front().percent_shown));
    std::string next =
        fmt::format("of the {}{} there", has_gp(*content.model.form) ? "formula's " : "",
                    words_in(content).value);
    for (std::size_t i = 1; i < std::min(kShown, content.shares.size()); ++i)
      next += fmt::format(", {}{} {}", i == 1 ? "then " : "", content.shares[i].name,
                          percent(content.shares[i].percent_shown));
    answer.lines.push_back(next);
  } else if (!effects.empty()) {
    const Effect& strongest = effects.front();
    answer.figure = fmt::format("{}: {}", clipped(strongest.column, 24),
                                change_in_words(strongest.ratio, measure));
    add_line(answer, "from {} to {}{}, all others as in {}", value_text(strongest.from),
             value_text(strongest.to), interval_in_words(strongest), content.central.place);
    first_effect = 1;
  }
  for (std::size_t i = first_effect; i < std::min(kShown, effects.size()); ++i)
    add_line(answer, "{} {}", effects[i].column, effect_in_words(effects[i], &content.model.spec));
  if (const std::string correction = correction_text(content); !correction.empty())
    answer.lines.push_back(correction);
  return answer;
}

doc::Answer scaling_answer(const Content& content) {
  doc::Answer answer{"How does it scale?", "no scale", {}};
  const Measure measure = measure_of(content.model.spec);
  if (content.powers.empty()) {
    answer.lines.emplace_back("the model has no column of scale");
    return answer;
  }
  for (const Turn& turn : content.turns)
    answer.lines.push_back(turn_in_words(content.model, turn) + ": fit another form");
  if (!content.turns.empty()) {
    answer.figure = "not determined";
    answer.is_alarming = true;
    return answer;
  }
  if (content.other_form && content.other_form->is_far_worse()) {
    answer.figure = "not determined";
    answer.lines.emplace_back(
        "products follow these runs three times as closely as Eq. (4): fit another form");
    return answer;
  }
  // The first scale with the best-known effect leads.
  const auto leading = std::ranges::min_element(content.doublings, [](const Effect& a,
                                                                      const Effect& b) {
    return std::pair(!a.measured, !a.is_determined()) < std::pair(!b.measured, !b.is_determined());
  });
  if (leading != content.doublings.end()) {
    answer.figure = leading->is_determined()
                        ? change_in_words(leading->ratio, measure)
                        : fmt::format("{} .. {}", change_in_words(leading->interval->low, measure),
                                      change_in_words(leading->interval->high, measure));
    add_line(answer, "{} {}, at {}", leading->column,
             effect_in_words(*leading, &content.model.spec), content.central.place);
  }
  for (auto effect = content.doublings.begin(); effect != content.doublings.end(); ++effect) {
    if (effect != leading)
      add_line(answer, "{} {}", effect->column, effect_in_words(*effect, &content.model.spec));
    if (const std::string words =
            contradiction_of(content.model, content.central.configuration, *effect);
        !words.empty())
      answer.lines.push_back(words);
  }
  for (const NumericInput& scale : content.model.spec.extrinsic)
    if (const std::string growth = growth_beyond(content.model, scale); !growth.empty())
      add_line(answer, "{} was measured up to {}{}", scale.column, rounded(scale.high), growth);
  return answer;
}

std::string undetermined_text(const Content& content) {
  if (!content.model.known.identifiability)
    return "";
  const std::vector<ConstantRow> constants = constant_table(content.model);
  const auto determined =
      std::ranges::count(constants, ConstantStatus::determined, &ConstantRow::status);
  const std::size_t doubtful = constants.size() - to_size(determined);
  if (doubtful == 0)
    return fmt::format("all {} constants are determined by the fitted runs", constants.size());
  return fmt::format("{} of {} constants are not determined by the fitted runs", doubtful,
                     constants.size());
}

/// A bound is judged by the runs that it covers and by what it allocates in vain.
doc::Answer bound_answer(const Content& content) {
  const auto& [coverage, over_allocation] = *content.bound;
  const double share = content.model.bound->quantile;
  doc::Answer answer{
      "How far can it be trusted?",
      "covers " + percent(100 * coverage) + " of runs",
      {fmt::format("allocates {} more than needed", percent(100 * (over_allocation - 1)))}};
  if (content.fitted_to_these_runs)
    answer.lines.emplace_back("these runs are those that the model was fitted to");
  const auto rows = static_cast<double>(content.metrics.rows);
  answer.is_alarming = coverage < share - 2 * std::sqrt(share * (1 - share) / rows);
  if (answer.is_alarming)
    add_line(answer, "fewer than the {} % that it is meant to cover, by more than chance",
             short_number(100 * share));
  if (const std::size_t warnings = warnings_of(content).size(); warnings > 0)
    answer.lines.push_back(counted_noun(warnings, "warning") + ", listed below");
  return answer;
}

doc::Answer trust_answer(const Content& content) {
  const std::vector<HeldOutError> held_out = held_out_errors(content.model);
  const double of_these = content.metrics.mape_percent;
  const bool leads = content.fitted_to_these_runs && !held_out.empty();
  const double error = leads ? held_out.front().percent : of_these;
  const Warning* const few = few_rows_warning(content.model);
  const bool says_nothing = few && content.fitted_to_these_runs && !leads;
  doc::Answer answer{
      "How far can it be trusted?", says_nothing ? "not known" : percent(error) + " off", {}};
  if (leads)
    answer.lines.push_back(held_out.front().of);
  if (content.used.used > 0 && !content.used.all())
    answer.lines.push_back(content.used.text());
  add_line(answer, "{}mean error of these runs (MAPE){}", leads ? percent(of_these) + " " : "",
           content.fitted_to_these_runs ? ", which the model was fitted to" : "");
  std::ranges::copy(bias_lines(content.biases, of_these, measure_of(content.model.spec)),
                    std::back_inserter(answer.lines));
  const auto& noise = content.noise_floor;
  const bool is_far = noise && error > kFarAboveNoise * noise->mape_percent;
  const bool leaks = has_leak(content.model);
  answer.is_alarming =
      error > kMuchError || is_far || leaks || few || any_drift(content.biases, of_these);
  if (leaks)
    add_line(answer,
             "an input is computed from the measured {}: these errors do not measure the model",
             words_in(content).value);
  else if (error > kMuchError)
    add_line(answer, "too much to plan with: more than {} %", short_number(kMuchError));
  else if (is_far)
    add_line(answer, "more than {} times the difference of repeated runs",
             short_number(kFarAboveNoise));
  if (const auto& other = content.other_form)
    add_line(answer,
             "on held-out runs, products have an error of {}, Eq. (4) of {}: another form may fit "
             "far better",
             percent(100 * other->of_surface), percent(100 * other->of_model));
  for (std::size_t i = 0; i < held_out.size(); ++i) {
    if (i > 0 || !leads)
      add_line(answer, "{}: {}", held_out[i].of, percent(held_out[i].percent));
    if (held_out[i].at_largest)
      add_line(answer, "with the largest values held out: {}", percent(*held_out[i].at_largest));
  }
  const std::size_t warnings = warnings_of(content).size();
  for (const std::string& line :
       {noise_text(content), undetermined_text(content),
        warnings == 0 ? "" : counted_noun(warnings, "warning") + ", listed below"})
    if (!line.empty())
      answer.lines.push_back(line);
  return answer;
}

/// What the runs say about the machine since the old model was fitted; nullopt if it still holds.
std::optional<doc::Answer> drift_answer(const Content& content) {
  const Comparison& older = *content.comparison;
  if (!any_drift(older.biases, older.mape_of_all))
    return std::nullopt;
  doc::Answer answer{"Do the runs take as long as before?", "no", {}, true};
  add_line(answer, "by the old model, {}", display_name(older.model_file));
  std::ranges::copy(bias_lines(older.biases, older.mape_of_all, measure_of(content.model.spec)),
                    std::back_inserter(answer.lines));
  return answer;
}

doc::Answer comparison_answer(const Content& content) {
  const Comparison& other = *content.comparison;
  const bool is_sure = other.interval && (other.interval->low > 0 || other.interval->high < 0);
  doc::Answer answer{"Is it better than the old model?",
                     !is_sure               ? "no clear difference"
                     : other.difference < 0 ? "yes"
                                            : "no, worse",
                     {}};
  add_line(answer, "{} off before, {} now", percent(other.metrics.mape_percent),
           percent(content.metrics.mape_percent));
  answer.lines.push_back(comparison_text(other));
  add_line(answer, "nearer to {} of the runs", percent(100 * other.nearer_share));
  answer.is_alarming = is_sure && other.difference > 0;
  return answer;
}

}  // namespace

bool is_doubtful(ConstantStatus status) {
  return status == ConstantStatus::undetermined || status == ConstantStatus::at_bound;
}

std::vector<doc::Answer> answers_of(const Content& content) {
  std::vector<doc::Answer> answers = {duration_answer(content), share_answer(content),
                                      scaling_answer(content)};
  if (content.has_runs)
    answers.push_back((content.bound ? bound_answer : trust_answer)(content));
  if (content.comparison) {
    answers.insert(answers.begin(), comparison_answer(content));
    if (auto drifted = drift_answer(content))
      answers.insert(answers.begin(), *std::move(drifted));
  }
  return answers;
}

std::string comparison_text(const Comparison& other) {
  const auto points = [](double value) { return (value > 0 ? "+" : "") + short_number(value); };
  if (!other.interval)
    return fmt::format("mean error {} percentage points; too few configurations to exclude chance",
                       points(other.difference));
  return fmt::format(
      "mean error {} percentage points, {} % interval {} .. {}: {} chance",
      points(other.difference), short_number(100 * other.confidence), points(other.interval->low),
      points(other.interval->high),
      other.interval->low <= 0 && other.interval->high >= 0 ? "it may be" : "not by");
}

std::string title_text(const Content& content, const std::string& wanted) {
  if (!wanted.empty())
    return wanted;
  return fmt::format("{}: {} on {}", content.key.empty() ? content.model.spec.target : content.key,
                     display_name(content.model_file), display_name(content.runs.file));
}

std::string subtitle(const Content& content) {
  const std::string& fitted = content.model.provenance.file;
  return fmt::format("{}{}, compared with the {} runs of {}{}", content.model.form->words().title,
                     fitted.empty() ? "" : ", fitted to " + display_name(fitted),
                     content.metrics.rows, display_name(content.runs.file),
                     content.runs.is_sampled
                         ? fmt::format(", a sample spread evenly over its {}", content.runs.rows)
                         : "");
}

std::string noise_text(const Content& content) {
  return noise_floor_in_words(
      content.metrics.mape_percent, content.noise_floor, content.biases.all,
      content.fitted_to_these_runs ? held_out_percent(content.model) : std::nullopt);
}

std::vector<std::string> warnings_of(const Content& content) {
  std::vector<std::string> warnings = mapped(content.model.warnings, &Warning::message);
  for (const std::string& finding : content.range_findings)
    warnings.push_back(finding + ": the predictions there are extrapolated");
  if (content.left_out)
    warnings.push_back(*content.left_out + ": they are left out of this page");
  return warnings;
}

std::string interval_text(const Content& content) {
  if (!content.intervals || content.bound)
    return "";
  const PredictionIntervals& intervals = *content.model.known.intervals;
  const std::optional<IntervalFactors> usual = usual_factors(content.model);
  const IntervalFactors factors = usual.value_or(content.intervals->factors);
  return fmt::format(
      "Prediction intervals: {} % of new {} are expected between {} and {} times the "
      "prediction{}{}; {} of these runs are inside.",
      short_number(100 * intervals.level), words_in(content).values, short_number(factors.lower),
      short_number(factors.upper),
      !intervals.by_deviation ? ""
      : usual                 ? " at the median standard deviation of the held-out rows"
                              : " at the shown configuration",
      intervals.by_deviation ? ", narrower near the runs, wider far from them" : "",
      percent(100 * content.intervals->covered));
}

namespace {

constexpr std::size_t kMostGroupsOfErrors = 12;
constexpr std::size_t kEnoughRuns = 5;  // for an error to be more than chance
constexpr double kMuchWorse = 1.5;      // than all runs

/// Replaces "->" in "4 -> 8" by an arrow between no-break spaces.
std::string with_arrow(std::string text) {
  const std::size_t at = text.find(" -> ");
  return at == std::string::npos ? text : text.replace(at, 4, "\u00a0\u2192\u00a0");
}

}  // namespace

std::string term_table(const Content& content) {
  if (!content.model.form->words().lists_terms || content.shares.empty())
    return "";
  doc::Table table{{doc::words("term"), doc::numbers("here", {}, percent),
                    doc::numbers("all runs", {}, percent), doc::numbers("largest in", {}, percent),
                    doc::words("most at"), doc::words("depends on")}};
  doc::Table small = table;
  table.caption = fmt::format(
      "The terms: their shares of the {}{} at {} and of all runs together, "
      "and in how many runs they are the largest",
      has_gp(*content.model.form) ? "formula's " : "", words_in(content).value,
      content.central.place);
  small.caption = "Smaller terms";
  for (const Share& share : content.shares) {
    doc::Cell meaning = share.title;
    if (share.title == share.name)
      meaning = doc::code(share.formula);
    else
      meaning.folded = share.formula;
    const bool is_small = std::abs(share.percent_shown) < TimeSteps::least &&
                          std::abs(share.percent) < TimeSteps::least;
    (is_small ? small : table)
        .add({share.name, share.percent_shown, share.percent, share.percent_ruled, share.most_at,
              meaning});
  }
  const std::size_t folded = small.rows.size();
  if (folded == 0)
    return doc::html(table);
  return doc::html(table) +
         element("details", "",
                 element("summary", "",
                         fmt::format("{} of less than {} %", counted_noun(folded, "term"),
                                     short_number(TimeSteps::least))) +
                     doc::html(small)) +
         "\n";
}

doc::Table forecast_table(const Content& content, const ScaleCurve& curve) {
  const ShownTime unit(
      readable_unit(range_of_times(curve).value(0.5), shown_unit(content.model.spec)));
  const auto& intervals = content.model.known.intervals;
  const bool has_speedups = tells_speedup(content, curve);
  doc::Table table{doc::scale_columns(
      curve.column, unit.heading(std::string(words_in(content).value)), doc::format_of(unit),
      intervals ? std::optional(intervals->level) : std::nullopt)};
  table.caption =
      fmt::format("Predictions along {}{}: {}", curve.column,
                  has_speedups ? fmt::format(", {} scaling{}", scaling::to_text(curve.work.kind),
                                             curve.work.is_open ? " assumed" : "")
                               : "",
                  curve.work.because);
  if (intervals)
    table.columns[2].align = doc::Align::right;
  if (!has_speedups)
    table.columns.resize(table.columns.size() - 2);
  table.columns.push_back(doc::words(""));
  for (const Forecast& forecast : curve.forecasts) {
    const double times = forecast.scale / curve.shown;
    std::vector<std::string> notes;
    if (times == 1)
      notes.emplace_back("shown");
    else if (times > 1)
      notes.push_back(short_number(times) + " \u00d7 the shown");
    if (!forecast.measured)
      notes.emplace_back("not measured");
    const doc::Cell note = joined(notes, ", ");
    std::vector<doc::Cell> cells = {forecast.scale, forecast.time};
    if (intervals)
      cells.emplace_back(forecast.interval);
    if (has_speedups)
      cells.insert(cells.end(), {forecast.speedup, forecast.efficiency});
    cells.push_back(forecast.measured ? note : doc::doubtful(note));
    table.add(std::move(cells));
  }
  return table;
}

doc::Table group_table(const Content& content) {
  if (!content.groups)
    return {};
  const RunGroups& groups = *content.groups;
  doc::Table table{{doc::words(groups.column), doc::numbers("runs"),
                    doc::numbers(fmt::format("median {}", words_in(content).value), {},
                                 doc::time_in(shown_unit(content.model.spec))),
                    doc::numbers("error (MAPE)", {}, percent),
                    doc::words("scaling at its central run")}};
  table.caption = fmt::format(
      "By {}, since one typical {} means nothing here{}", groups.column, words_in(content).value,
      groups.left_out > 0 ? fmt::format("; {} levels with few runs left out", groups.left_out)
                          : "");
  for (const RunGroup& group : groups.groups) {
    std::string scaling;
    for (const Effect& doubling : group.doublings)
      scaling += fmt::format("{}{} {}", scaling.empty() ? "" : "; ", doubling.column,
                             with_arrow(effect_in_words(doubling, &content.model.spec)));
    table.add({group.level, group.rows, group.median_time, group.mape, scaling});
  }
  return table;
}

doc::Table error_table(const Content& content) {
  const double overall = content.metrics.mape_percent;
  doc::Table table{{doc::words("runs with"), doc::numbers("runs"),
                    doc::numbers(fmt::format("median {}", words_in(content).value), {},
                                 doc::time_in(shown_unit(content.model.spec))),
                    doc::numbers("MAPE", {}, percent),
                    doc::numbers("median error", {}, signed_percent)}};
  table.caption = "Errors by level and by scale; bold if 1.5 times as large as overall";
  for (const ErrorsAlong& along : content.errors_along) {
    if (along.kind == InputKind::number)
      continue;
    table.add_group(along.column);
    const std::size_t shown = std::min(along.groups.size(), kMostGroupsOfErrors);
    for (std::size_t i = 0; i < shown; ++i) {
      const ErrorGroup& group = along.groups[i];
      const bool is_bad = group.mape > kMuchWorse * overall && group.rows >= kEnoughRuns;
      table.add({group.name, group.rows, group.median_time,
                 is_bad ? doc::doubtful(group.mape) : doc::Cell(group.mape), group.middle});
    }
    if (shown < along.groups.size())
      table.add({std::to_string(along.groups.size() - shown) + " levels with smaller errors", "",
                 "", "", ""});
  }
  return table;
}

doc::Table comparison_table(const Content& content) {
  if (!content.comparison)
    return {};
  constexpr std::array<std::string_view, 5> shown = {"mape_percent", "smape_percent", "mae", "rmse",
                                                     "r2"};
  doc::Table table = doc::metrics_table(
      "model", shown, page_time(content),
      {{"old: " + display_name(content.comparison->model_file), content.comparison->metrics},
       {"new: " + display_name(content.model_file), content.metrics}});
  table.caption = "Both models on the same " + std::to_string(content.metrics.rows) + " runs";
  return table;
}

}  // namespace perfmodel::page
