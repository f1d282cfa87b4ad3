#include "io/html/answers.hpp"

#include <algorithm>

#include "analysis/wording/words.hpp"
#include "base/readable.hpp"
#include "base/text.hpp"
#include "fit/result/form.hpp"

namespace perfmodel::page {
namespace {

constexpr std::size_t kShown = 3;  // shares and effects; the page has all of them

std::string time_text(double time, const std::string& unit) {
  return short_number(time) + (unit.empty() ? "" : " " + unit);
}

Answer duration_answer(const Content& content) {
  const std::string& unit = content.model.spec.unit;
  Answer answer{"How long does an iteration take?", "", {}};
  const auto& time = content.typical.time;
  answer.figure = time ? time_text(*time, unit) : "no time";
  answer.lines.push_back(time ? "predicted at the typical configuration"
                              : "is predicted at the typical configuration: the model does not "
                                "hold there");
  if (time && content.intervals) {
    answer.lines.push_back(short_number(100 * content.intervals->level) +
                           " % interval: " + short_number(*time * content.intervals->factors.low) +
                           " .. " + time_text(*time * content.intervals->factors.high, unit));
  }
  answer.lines.push_back("measured: " + short_number(content.shortest_time) + " .. " +
                         time_text(content.longest_time, unit) + ", median " +
                         time_text(content.median_time, unit));
  return answer;
}

std::string effect_text(const Effect& effect) {
  return effect.column + " = " + effect.slow + " takes " + rounded(effect.ratio()) +
         " times as long as " + effect.fast;
}

Answer share_answer(const Content& content) {
  Answer answer{"What makes it long?", "not known", {}};
  std::size_t first_effect = 0;
  if (content.model.form->words().lists_terms && !content.effects.empty()) {
    const Effect& strongest = content.effects.front();
    answer.figure = clipped(strongest.column, 24) + ": \u00d7" + rounded(strongest.ratio());
    answer.lines.push_back("from " + strongest.fast + " to " + strongest.slow +
                           ", all others typical");
    first_effect = 1;
  } else if (!content.shares.empty()) {
    answer.figure =
        clipped(content.shares.front().name, 24) + ": " + percent(content.shares.front().percent);
    std::string next = "of the predicted time";
    for (std::size_t i = 1; i < std::min(kShown, content.shares.size()); ++i) {
      next += (i == 1 ? ", then " : ", ") + content.shares[i].name + " " +
              percent(content.shares[i].percent);
    }
    answer.lines.push_back(next);
  }
  for (std::size_t i = first_effect; i < std::min(kShown, content.effects.size()); ++i)
    answer.lines.push_back(effect_text(content.effects[i]));
  return answer;
}

Answer scaling_answer(const Content& content) {
  Answer answer{"How does it scale?", "not at all", {}};
  if (content.powers.empty()) {
    answer.lines.emplace_back("the model has no column of scale");
    return answer;
  }
  const ScalingPower& first = content.powers.front();
  answer.figure = clipped(first.column, 20) + ": power " + rounded(first.power);
  for (const ScalingPower& power : content.powers) {
    const std::string doubt =
        power.status == ConstantStatus::undetermined || power.status == ConstantStatus::at_bound
            ? " (" + std::string(to_text(power.status)) + ")"
            : "";
    answer.lines.push_back(power.column + ", power " + short_number(power.power) + doubt + ": " +
                           scaling_in_words(power.power));
  }
  return answer;
}

/// The part that no fit has seen, where there is one.
const Part* unseen_part(const Content& content) {
  for (const std::string name : {"test", "validation"}) {
    const auto found = std::find_if(content.parts.begin(), content.parts.end(),
                                    [&](const Part& part) { return part.name == name; });
    if (found != content.parts.end())
      return &*found;
  }
  return nullptr;
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
  Answer answer{"How far can it be trusted?", percent(content.metrics.mape_percent) + " off", {}};
  answer.lines.push_back(std::string("in the mean of these runs (MAPE)") +
                         (content.fitted_to_these_runs ? ", which the model was fitted to" : ""));
  if (const Part* const part = unseen_part(content)) {
    answer.lines.push_back("on its fit's " + part->name +
                           " part: " + percent(part->metrics.mape_percent));
  }
  const std::size_t warnings =
      content.model.warnings.size() + content.range_findings.size() + (content.left_out ? 1 : 0);
  for (const std::string& line :
       {noise_text(content), undetermined_text(content),
        warnings == 0 ? std::string()
                      : std::to_string(warnings) + (warnings == 1 ? " warning" : " warnings") +
                            ", listed below"})
    if (!line.empty())
      answer.lines.push_back(line);
  return answer;
}

}  // namespace

std::string shown_name(const std::string& file) {
  return file == "-" ? "standard input" : file;
}

std::vector<Answer> answers_of(const Content& content) {
  return {duration_answer(content), share_answer(content), scaling_answer(content),
          trust_answer(content)};
}

std::string subtitle(const Content& content) {
  const std::string& fitted = content.model.provenance.file;
  return std::string(content.model.form->words().title) +
         (fitted.empty() ? "" : ", fitted to " + shown_name(fitted)) + ", held against the " +
         std::to_string(content.metrics.rows) + " runs of " + shown_name(content.runs.file);
}

std::string noise_text(const Content& content) {
  return noise_floor_in_words(content.metrics.mape_percent, content.noise_floor);
}

std::string interval_text(const Content& content) {
  if (!content.intervals)
    return "";
  const IntervalCoverage& intervals = *content.intervals;
  return "Prediction intervals: " + short_number(100 * intervals.level) +
         " % of new times shall lie between " + short_number(intervals.factors.low) + " and " +
         short_number(intervals.factors.high) + " times the prediction" +
         (intervals.at_typical ? " at the typical configuration, nearer to it where runs are near "
                                 "and farther from it where none are"
                               : "") +
         "; of these runs " + percent(100 * intervals.covered) + " do.";
}

}  // namespace perfmodel::page
