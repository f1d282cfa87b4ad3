#include "io/html/answers.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/central/range_check.hpp"
#include "analysis/wording/words.hpp"
#include "base/readable.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "fit/result/form.hpp"

namespace perfmodel::page {
namespace {

constexpr std::size_t kShown = 3;     // shares and effects; the page has all of them
constexpr double kMuchError = 20;     // percent
constexpr double kFarAboveNoise = 3;  // times the noise floor

bool is_doubtful(ConstantStatus status) {
  return status == ConstantStatus::undetermined || status == ConstantStatus::at_bound;
}

bool has_doubtful(const std::vector<ConstantRow>& constants) {
  return std::any_of(
      constants.begin(), constants.end(),
      [](const ConstantRow& row) { return is_doubtful(row.status); });
}

bool has_leak(const FittedModel& model) {
  return std::any_of(
      model.warnings.begin(), model.warnings.end(),
      [](const Warning& warning) { return warning.kind == "leak"; });
}

/// Of the power of a scale.
ConstantStatus status_of_scale(const Content& content, const std::string& column) {
  const auto found =
      std::find_if(content.powers.begin(), content.powers.end(),
                   [&](const ScalingPower& power) { return power.column == column; });
  return found == content.powers.end() ? ConstantStatus::unknown : found->status;
}

/// The constants of an input or a term.
std::vector<ConstantRow> constants_called(const Content& content, const std::string& name) {
  std::vector<ConstantRow> out;
  for (const ConstantGroup& group : content.constants)
    if (group.name == name)
      out.insert(out.end(), group.constants.begin(), group.constants.end());
  return out;
}

/// Whether the fitted runs leave open what an input does, as far as the model says.
bool is_doubtful_effect(const Content& content, const std::string& column) {
  std::vector<ConstantRow> differences;
  for (const LevelDifference& item : content.differences)
    if (item.column == column)
      differences.push_back(item.difference);
  return is_doubtful(status_of_scale(content, column)) ||
         has_doubtful(differences.empty() ? constants_called(content, column) : differences);
}

Answer duration_answer(const Content& content) {
  const std::string& unit = content.model.spec.unit;
  Answer answer{"How long does an iteration take?", "", {}};
  const auto& time = content.typical.time;
  answer.figure = time ? time_text(*time, unit) : "no time";
  answer.lines.push_back((time ? "predicted at " : "is predicted: the model does not hold at ") +
                         content.typical.place);
  if (time && content.intervals) {
    answer.lines.push_back(short_number(100 * content.intervals->level) + " % interval: " +
                           time_range_text(*time * content.intervals->factors.low,
                                           *time * content.intervals->factors.high, unit));
  }
  if (content.groups) {
    answer.lines.push_back("one typical time means little: see the times by " +
                           content.groups->column);
  }
  answer.lines.push_back(
      "measured: " + time_range_text(content.shortest_time, content.longest_time, unit) +
      ", median " + time_text(content.median_time, unit));
  return answer;
}

std::string effect_text(const Effect& effect) {
  return effect.column + " = " + effect.slow + " takes " + rounded(effect.ratio()) +
         " times as long as " + effect.fast;
}

Answer share_answer(const Content& content) {
  Answer answer{"What makes it long?", "not determined", {}};
  const bool has_shares = !content.model.form->words().lists_terms && !content.shares.empty() &&
                          !has_doubtful(constants_called(content, content.shares.front().name));
  std::vector<Effect> effects;
  for (const Effect& effect : content.effects)
    if (!is_doubtful_effect(content, effect.column))
      effects.push_back(effect);
  std::size_t first_effect = 0;
  if (has_shares) {
    answer.figure = clipped(content.shares.front().name, 24) + ": " +
                    percent(content.shares.front().percent_shown);
    std::string next = "of the time there";
    for (std::size_t i = 1; i < std::min(kShown, content.shares.size()); ++i) {
      next += (i == 1 ? ", then " : ", ") + content.shares[i].name + " " +
              percent(content.shares[i].percent_shown);
    }
    answer.lines.push_back(next);
  } else if (!effects.empty()) {
    const Effect& strongest = effects.front();
    answer.figure = clipped(strongest.column, 24) + ": \u00d7" + rounded(strongest.ratio());
    answer.lines.push_back("from " + strongest.fast + " to " + strongest.slow +
                           ", all others as in " + content.typical.place);
    first_effect = 1;
  }
  for (std::size_t i = first_effect; i < std::min(kShown, effects.size()); ++i)
    answer.lines.push_back(effect_text(effects[i]));
  return answer;
}

Answer scaling_answer(const Content& content) {
  Answer answer{"How does it scale?", "no scale", {}};
  if (content.powers.empty()) {
    answer.lines.emplace_back("the model has no column of scale");
    return answer;
  }
  answer.figure = "not determined";
  if (content.other_form && content.other_form->is_far_worse()) {
    answer.lines.emplace_back(
        "products follow these runs three times as closely as Eq. (4): fit another form");
    return answer;
  }
  bool is_open = true;
  for (const Doubling& doubling : content.doublings) {
    const ConstantStatus status = status_of_scale(content, doubling.column);
    const std::string doubt = is_doubtful(status) ? " (" + std::string(to_text(status)) + ")" : "";
    if (is_open && doubt.empty() && doubling.measured) {
      answer.figure = change_in_words(doubling.ratio);
      answer.lines.insert(answer.lines.begin(),
                          doubling.column + " " + short_number(doubling.from) + " -> " +
                              short_number(doubling.to) + ", at " + content.typical.place);
      is_open = false;
    } else {
      answer.lines.push_back(doubling.column + " " + doubling_in_words(doubling) + doubt);
    }
  }
  for (const NumericInput& scale : content.model.spec.extrinsic)
    if (const std::string growth = growth_beyond(content.model, scale); !growth.empty())
      answer.lines.push_back(scale.column + " was measured up to " + rounded(scale.high) + growth);
  return answer;
}

/// How far a model is off where it has not looked.
struct HeldOut {
  double percent = 0;
  std::string of;
};

/// By what is known of the form that was chosen, of folds, and of parts of the runs; the first is
/// the one that says most of new runs.
std::vector<HeldOut> held_out_of(const Content& content) {
  std::vector<HeldOut> out;
  for (const Part& part : content.parts)
    if (part.name != "training")
      out.insert(out.begin(), {part.metrics.mape_percent, "held out of its fit, " + part.name});
  const FittedModel& model = content.model;
  const bool has_process = model.form->process_size().has_value();
  const auto& choice = model.search.form;
  if (!choice)
    return out;
  for (const HeldOutErrors& errors : choice->held_out) {
    if (errors.form != (has_process ? "process" : model.form->name()))
      continue;
    out.insert(out.begin(), {100 * std::expm1(errors.random), "on runs held out at random"});
    if (errors.far_ends)
      out.insert(out.begin() + 1,
                 {100 * std::expm1(*errors.far_ends), "with the largest values held out"});
  }
  return out;
}

std::string undetermined_text(const Content& content) {
  if (!content.model.identifiability)
    return "";
  std::size_t all = 0;
  std::size_t doubtful = 0;
  for (const ConstantGroup& group : content.constants) {
    for (const ConstantRow& row : group.constants) {
      ++all;
      doubtful += row.status != ConstantStatus::determined ? 1 : 0;
    }
  }
  if (doubtful == 0)
    return "all " + std::to_string(all) + " constants are determined by the fitted runs";
  return std::to_string(doubtful) + " of " + std::to_string(all) +
         " constants are not determined by the fitted runs";
}

Answer trust_answer(const Content& content) {
  const std::vector<HeldOut> held_out = held_out_of(content);
  const double of_these = content.metrics.mape_percent;
  const bool leads = content.fitted_to_these_runs && !held_out.empty();
  const double error = leads ? held_out.front().percent : of_these;
  Answer answer{"How far can it be trusted?", percent(error) + " off", {}};
  if (leads)
    answer.lines.push_back(held_out.front().of);
  answer.lines.push_back((leads ? percent(of_these) + " in" : std::string("in")) +
                         " the mean of these runs (MAPE)" +
                         (content.fitted_to_these_runs ? ", which the model was fitted to" : ""));
  const auto& noise = content.noise_floor;
  const bool is_far = noise && error > kFarAboveNoise * noise->mape_percent;
  const bool leaks = has_leak(content.model);
  answer.is_alarming = error > kMuchError || is_far || leaks;
  if (leaks) {
    answer.lines.emplace_back(
        "an input is given by the measured time: these errors are no measure");
  } else if (answer.is_alarming) {
    answer.lines.push_back(
        error > kMuchError
            ? "too much to plan with: more than " + short_number(kMuchError) + " %"
            : "more than " + short_number(kFarAboveNoise) + " times what repeated runs differ by");
  }
  if (const auto& other = content.other_form)
    answer.lines.push_back(
        "products, held out of their fit: " + percent(100 * std::expm1(other->of_surface)) +
        " off where Eq. (4) has " + percent(100 * std::expm1(other->of_model)) +
        ": another form may fit far better");
  for (std::size_t i = leads ? 1 : 0; i < held_out.size(); ++i)
    answer.lines.push_back(held_out[i].of + ": " + percent(held_out[i].percent));
  const std::size_t warnings = warnings_of(content).size();
  for (const std::string& line :
       {noise_text(content), undetermined_text(content),
        warnings == 0 ? std::string()
                      : std::to_string(warnings) + (warnings == 1 ? " warning" : " warnings") +
                            ", listed below"})
    if (!line.empty())
      answer.lines.push_back(line);
  return answer;
}

Answer comparison_answer(const Content& content) {
  const Comparison& other = *content.comparison;
  const bool is_sure = other.interval && (other.interval->low > 0 || other.interval->high < 0);
  Answer answer{"Is it better than the old model?",
                !is_sure               ? "no clear difference"
                : other.difference < 0 ? "yes"
                                       : "no, worse",
                {}};
  answer.lines = {percent(other.metrics.mape_percent) + " off before, " +
                      percent(content.metrics.mape_percent) + " now",
                  comparison_text(other),
                  "nearer to " + percent(100 * other.nearer_share) + " of the runs"};
  answer.is_alarming = is_sure && other.difference > 0;
  return answer;
}

}  // namespace

std::string shown_name(const std::string& file) {
  return file == "-" ? "standard input" : file;
}

std::vector<Answer> answers_of(const Content& content) {
  std::vector<Answer> answers = {duration_answer(content), share_answer(content),
                                 scaling_answer(content), trust_answer(content)};
  if (content.comparison)
    answers.insert(answers.begin(), comparison_answer(content));
  return answers;
}

std::string settings_text(const std::vector<Setting>& settings) {
  std::string out;
  for (const Setting& setting : settings)
    out += (out.empty() ? "" : ", ") + setting.column + " = " + setting.value;
  return out;
}

std::string comparison_text(const Comparison& other) {
  const auto points = [](double value) { return (value > 0 ? "+" : "") + short_number(value); };
  std::string text = "mean error " + points(other.difference) + " points of percent";
  if (!other.interval)
    return text + "; too few configurations to tell whether that is chance";
  return text + ", " + short_number(100 * other.confidence) + " % interval " +
         points(other.interval->low) + " .. " + points(other.interval->high) +
         (other.interval->low <= 0 && other.interval->high >= 0 ? ": it may be chance"
                                                                : ": not by chance");
}

std::string title_text(const Content& content, const std::string& wanted) {
  return wanted.empty() ? content.model.spec.target + ": " + shown_name(content.model_file) +
                              " on " + shown_name(content.runs.file)
                        : wanted;
}

std::string subtitle(const Content& content) {
  const std::string& fitted = content.model.provenance.file;
  return std::string(content.model.form->words().title) +
         (fitted.empty() ? "" : ", fitted to " + shown_name(fitted)) + ", held against the " +
         std::to_string(content.metrics.rows) + " runs of " + shown_name(content.runs.file) +
         (content.runs.is_sampled
              ? ", a sample spread evenly over its " + std::to_string(content.runs.rows)
              : "");
}

std::string noise_text(const Content& content) {
  return noise_floor_in_words(content.metrics.mape_percent, content.noise_floor);
}

std::vector<std::string> warnings_of(const Content& content) {
  std::vector<std::string> warnings;
  for (const Warning& warning : content.model.warnings)
    warnings.push_back(warning.message.text());
  for (const std::string& finding : content.range_findings)
    warnings.push_back(finding + ": the predictions there are extrapolated");
  if (content.left_out)
    warnings.push_back(*content.left_out + ": they are left out of this page");
  return warnings;
}

std::string interval_text(const Content& content) {
  if (!content.intervals)
    return "";
  const IntervalCoverage& intervals = *content.intervals;
  const Interval factors = intervals.usual.value_or(intervals.factors);
  return "Prediction intervals: " + short_number(100 * intervals.level) +
         " % of new times shall lie between " + short_number(factors.low) + " and " +
         short_number(factors.high) + " times the prediction" +
         (intervals.differ
              ? std::string(intervals.usual
                                ? " where the model is as unsure as of the median held-out row"
                                : " at the shown configuration") +
                    ", nearer to it where runs are near and farther from it where none are"
              : "") +
         "; of these runs " + percent(100 * intervals.covered) + " do.";
}

}  // namespace perfmodel::page
