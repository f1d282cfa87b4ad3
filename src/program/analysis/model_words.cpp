#include "analysis/model_words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "columns/spec.hpp"
#include "forms/form.hpp"
#include "roles/column_facts.hpp"
#include "roles/roles.hpp"
#include "table/table.hpp"
#include "trust/prediction_intervals.hpp"
#include "trust/resampling.hpp"

namespace perfmodel {
namespace {

/// The difference in ln(time) by which a run tells two laws apart.
constexpr double kTellsApart = 0.1;

// Ratios of the model's MAPE to the noise floor beyond which one of the two is named as the limit.
constexpr double kShapeLimits = 1.5;
constexpr double kNoiseLimits = 1.15;
constexpr double kNoError = 0.05;          // percent: displayed as 0.0
constexpr double kWorthAWord = 3;          // percent of the time beyond the noise
constexpr double kLargeWithoutNoise = 20;  // percent
constexpr double kNoChange = 0.005;        // relative: displayed as "1.00 times"

}  // namespace

std::string change_in_words(double ratio, Measure measure) {
  if (ratio == 1)
    return "no effect in the model";
  if (std::abs(ratio - 1) < kNoChange)
    return "less than 0.5 % change";
  const MeasureWords& words = words_of_measure(measure);
  return fmt::format("{} times {}", rounded(std::max(ratio, 1 / ratio)),
                     ratio > 1 ? words.greater : words.smaller);
}

std::string value_text(const InputValue& value) {
  const auto* level = std::get_if<std::string>(&value);
  return level ? *level : short_number(std::get<double>(value));
}

std::string interval_in_words(const Effect& effect) {
  if (!effect.interval)
    return {};
  const auto [low, high] = *effect.interval;
  const bool grows = effect.ratio > 1;
  return fmt::format(" ({} .. {})", rounded(grows ? low : 1 / high),
                     rounded(grows ? high : 1 / low));
}

std::string band_in_words(const Effect& effect, Measure measure) {
  const auto [low, high] = *effect.over_runs;
  const bool grows = low > 1 - kNoChange;
  if (!grows && high > 1 + kNoChange)
    return change_in_words(low, measure) + " .. " + change_in_words(high, measure);
  const MeasureWords& words = words_of_measure(measure);
  return fmt::format("{} .. {} times {}", rounded(std::max(1., grows ? low : 1 / high)),
                     rounded(grows ? high : 1 / low), grows ? words.greater : words.smaller);
}

std::string effect_in_words(const Effect& effect, const ModelSpec* spec) {
  const bool is_scale = spec == nullptr || place_of_input(spec->extrinsic, effect.column);
  return fmt::format("{} -> {}: {}{}{}{}", value_text(effect.from), value_text(effect.to),
                     change_in_words(effect.ratio, spec ? measure_of(*spec) : Measure::time),
                     interval_in_words(effect), effect.is_determined() ? "" : "?",
                     effect.measured ? ""
                     : is_scale      ? " (extrapolated)"
                                     : " (combination not measured)");
}

std::string contradiction_of(const FittedModel& model, const Configuration& at,
                             const Effect& effect) {
  FittedModel formula = model;
  formula.form = {model.form, &model.form->trend()};
  const double alone = ratio_of(formula, at, effect);
  if (!((alone > 1 + kNoChange && effect.ratio < 1 - kNoChange) ||
        (alone < 1 - kNoChange && effect.ratio > 1 + kNoChange)))
    return {};
  return fmt::format("{} {} -> {}: the formula alone gives {}; the correction reverses it",
                     effect.column, value_text(effect.from), value_text(effect.to),
                     change_in_words(alone, measure_of(model.spec)));
}

std::string turn_in_words(const FittedModel& model, const Turn& turn) {
  const MeasureWords& words = words_of_measure(measure_of(model.spec));
  return fmt::format(
      "along '{0}' the runs contradict {2}, beyond their noise: their {1} are lowest near {0} = "
      "{3} and {4} at {5}, where {2} expects the lowest",
      turn.column, words.values, model.form->words().noun, setting_text(turn.fastest),
      change_in_words(turn.slower, measure_of(model.spec)), setting_text(turn.advised));
}

std::string answer_in_words(const FittedModel& model) {
  const std::optional<Centre> centre = centre_of(model);
  const std::optional<double> time = centre ? time_of(model, centre->configuration) : std::nullopt;
  if (!time)
    return {};
  const Unit unit = shown_unit(model.spec);
  const Measure measure = measure_of(model.spec);
  std::string out =
      fmt::format("At {}, {} is {}", centre->place, model.spec.target, time_text(*time, unit));
  if (const auto& known = model.known.intervals; known && !model.bound) {
    const IntervalFactors ends =
        row_intervals(model, known->level, design_of(centre->configuration, model.spec))[0];
    out += fmt::format(" ({} in {} % of new runs)",
                       time_range_text(*time * ends.lower, *time * ends.upper, unit),
                       short_number(100 * known->level));
  }
  std::vector<std::string> reasons;
  for (const Effect& effect : effects_of(model, centre->configuration))
    if (reasons.size() < 3 && effect.is_determined() && effect.measured &&
        std::abs(effect.ratio - 1) > kWorthAWord / 100)
      reasons.push_back(fmt::format("{} ({} from {} to {})", effect.column,
                                    change_in_words(effect.ratio, measure), value_text(effect.from),
                                    value_text(effect.to)));
  if (!reasons.empty())
    out += fmt::format(". {} {}", words_of_measure(measure).reasons, joined(reasons, ", "));
  if (const std::optional<double> error = held_out_percent(model))
    out += fmt::format(". Typical error on new runs: {}", percent(*error));
  return out + ".";
}

const Warning* few_rows_warning(const FittedModel& model) {
  const auto found = std::ranges::find(model.warnings, "few_rows", &Warning::kind);
  return found == model.warnings.end() ? nullptr : &*found;
}

std::string guess_of_target(const FittedModel& model) {
  for (const std::string& notice : model.provenance.notices)
    if (notice.find(kOtherTargets) != std::string::npos)
      return notice;
  return {};
}

std::string heading_of_laws(const FittedModel& model) {
  constexpr std::size_t few = 4;
  const std::string words = "laws that these runs allow";
  const ModelSpec& spec = model.spec;
  std::vector<std::string> at;
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    if (!spec.is_tied(spec.intrinsic[i].column))
      at.push_back(spec.intrinsic[i].column + " = " + setting_text(model.typical->intrinsic[i]));
  for (std::size_t c = 0; c < spec.categorical.size(); ++c)
    at.push_back(spec.categorical[c].column + " = " +
                 spec.categorical[c].levels[model.typical->levels[c]]);
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    if (spec.extrinsic[j].column != model.known.laws.value().column &&
        !spec.is_tied(spec.extrinsic[j].column))
      at.push_back(spec.extrinsic[j].column + " = " + setting_text(model.typical->extrinsic[j]));
  return at.empty()        ? words
         : at.size() > few ? words + ", at the median configuration"
                           : words + ", at " + joined(at, " and ");
}

double telling_value(const Laws& laws) {
  const double ratio = laws.laws[0].times.front() / laws.laws[1].times.front();
  return laws.values[std::abs(std::log(ratio)) > kTellsApart ? 0 : 1];
}

std::vector<std::string> laws_in_words(const FittedModel& model) {
  if (!model.known.laws)
    return {};
  const auto& [column, values, laws] = *model.known.laws;
  const Unit unit = shown_unit(model.spec);
  std::vector<std::string> out;
  for (const Law& law : laws) {
    std::vector<std::string> times;
    for (std::size_t k = 0; k < values.size(); ++k)
      times.push_back(fmt::format("{} at {} = {}", time_text(law.times[k], unit), column,
                                  short_number(values[k])));
    out.push_back(fmt::format("{:>4.0f} %  {}: {}", 100 * law.weight, law.formula.substr(4),
                              joined(times, ", ")));
  }
  const double value = telling_value(*model.known.laws);
  const std::size_t at = value == values.front() ? 0 : 1;
  out.push_back(fmt::format("a run at {} = {} would tell them apart: {} or {}", column,
                            short_number(value), time_text(laws[0].times[at], unit),
                            time_text(laws[1].times[at], unit)));
  return out;
}

std::vector<HeldOutError> held_out_errors(const FittedModel& model) {
  std::vector<HeldOutError> out;
  if (model.known.metrics.test)
    out.push_back(
        {model.known.metrics.test->mape_percent, "on the test part, held out of the fit", {}});
  if (const auto& folds = model.known.cross_validation)
    out.push_back({mean_metrics(folds->folds).mape_percent,
                   fmt::format("on runs held out in {} folds", folds->folds.size()),
                   {}});
  if (!model.search.form)
    return out;
  const auto& all = model.search.form->held_out;
  const auto found = std::ranges::find(all, has_gp(*model.form) ? "process" : model.form->name(),
                                       &HeldOutErrors::form);
  if (found != all.end())
    out.push_back({100 * found->random, "on runs held out at random",
                   found->extrapolation_folds ? std::optional(100 * *found->extrapolation_folds)
                                              : std::nullopt});
  return out;
}

std::optional<double> held_out_percent(const FittedModel& model) {
  const std::vector<HeldOutError> errors = held_out_errors(model);
  return errors.empty() ? std::nullopt : std::optional(errors.front().percent);
}

bool lacks_fit(const FittedModel& model) {
  const double mape = model.known.metrics.train.mape_percent;
  const double noise = model.known.noise_floor ? model.known.noise_floor->mape_percent : 0;
  return model.known.noise_floor ? mape > kShapeLimits * noise && mape > noise + kWorthAWord
                                 : mape > kLargeWithoutNoise;
}

std::string typical_correction_in_words(double share) {
  return 100 * share < kNoError ? "" : ", typically " + percent(100 * share);
}

std::string noise_floor_in_words(double mape_percent, const std::optional<NoiseFloor>& floor,
                                 const DriftFigure& bias, std::optional<double> held_out) {
  if (!floor)
    return {};
  const double error = held_out.value_or(mape_percent);
  std::string reading = ": shape and noise both limit it";
  if (error < kNoError)
    reading.clear();
  else if (error < kNoiseLimits * floor->mape_percent)
    reading = ": at the noise floor";
  else if (bias.interval && bias.interval->low * bias.interval->high > 0)
    reading = is_drift(bias, error) ? ": the bias limits it" : ": the bias is a part of it";
  else if (error > kShapeLimits * floor->mape_percent)
    reading = held_out && mape_percent < kNoiseLimits * floor->mape_percent
                  ? ": at the noise floor on its own runs only"
                  : ": the shape limits it";
  return fmt::format("model {}{}, noise floor {} from {} replicated rows{}", percent(mape_percent),
                     held_out ? fmt::format(", {} on held-out runs", percent(*held_out)) : "",
                     percent(floor->mape_percent), floor->rows, reading);
}

namespace {

/// "9.7 % longer (95 % interval 9.2 .. 10)"; `than` stands before the interval.
std::string bias_in_words(const DriftFigure& bias, Measure measure, const char* than = "") {
  constexpr double rounding = 1e-9;  // of rows that are predicted exactly
  const auto end = [](double value) { return rounded(std::abs(value) < rounding ? 0 : value); };
  const bool is_time = measure == Measure::time;
  return fmt::format(
      "{} {}{}{}", percent(std::abs(bias.value)),
      bias.value < 0 ? (is_time ? "less" : "lower") : (is_time ? "longer" : "higher"), than,
      bias.interval ? fmt::format(" ({} % interval {} .. {})", short_number(100 * kDriftConfidence),
                                  end(bias.interval->low), end(bias.interval->high))
                    : "");
}

}  // namespace

std::vector<std::string> bias_lines(const Biases& biases, double mape_percent, Measure measure) {
  if (!biases.all.interval && biases.levels.empty())
    return {};
  constexpr auto reading = ": drift, or another machine";
  std::vector<std::string> out = {
      fmt::format("bias: {} {}{}", measure == Measure::time ? "runs take" : "measured values are",
                  bias_in_words(biases.all, measure, " than predicted"),
                  is_drift(biases.all, mape_percent) ? reading : "")};
  constexpr std::size_t most = 5;
  for (const auto& [column, level, bias, mape] : biases.levels)
    if (out.size() <= most)
      out.push_back(fmt::format("{} = {}: {}{}", column, level, bias_in_words(bias, measure),
                                is_drift(bias, mape) ? reading : ""));
  if (biases.levels.size() > most)
    out.push_back(fmt::format("{} more levels differ", biases.levels.size() - most));
  if (!biases.levels.empty())
    out.push_back("all others: " + bias_in_words(biases.others, measure));
  return out;
}

Biases judged_biases(const FittedModel& model, const Design& runs,
                     const Eigen::VectorXd& predicted) {
  Biases out = biases_of(model.spec, runs, predicted);
  const double expected = held_out_percent(model).value_or(model.known.metrics.train.mape_percent);
  for (LevelBias& level : out.levels)
    level.mape = std::max(level.mape, 2 * expected);
  return out;
}

bool any_drift(const Biases& biases, double mape_percent) {
  return is_drift(biases.all, mape_percent) ||
         std::ranges::any_of(
             biases.levels,
             [](const LevelBias& level) { return is_drift(level.bias, level.mape); });
}

std::vector<std::string> left_out_inputs(const Table& runs, const FittedModel& model) {
  constexpr WordList given{"input inputs size file files data dataset read rchar"};
  constexpr std::size_t fewest = 10;
  constexpr std::size_t most = 2000;  // each costs a prediction
  constexpr double close = 0.7;
  std::vector<std::string> out;
  if (runs.rows() < fewest || runs.rows() > most)
    return out;
  std::vector<double> rest;
  for (const LeftOut& item : model.provenance.left_out) {
    const Column* const column = runs.find(item.column);
    if (item.because != LeftOut::Because::result || !item.identity.empty() || column == nullptr ||
        !column->is_numeric() || !column->bad_cells.empty() ||
        !given.has_one_of(name_words(item.column)))
      continue;
    if (rest.empty()) {
      const Design design = make_design(runs, model.spec, Target::required);
      const Eigen::ArrayXd logs = (design.time.array() / predict(model, design).array()).log();
      rest.assign(logs.begin(), logs.end());
    }
    const double correlation = rank_correlation(column->numbers, rest);
    if (std::abs(correlation) < close)
      continue;
    std::vector<std::string> numbers = {item.column};
    for (const NumericInput& input : model.spec.intrinsic)
      numbers.push_back(input.column);
    const std::vector<std::string> levels =
        mapped(model.spec.categorical, [](const CategoricalInput& input) { return input.column; });
    out.push_back(fmt::format(
        "column '{}' was left out, but goes with what the model does not explain (rank correlation "
        "{:.2f}); if it is known before a run, pass --intrinsic {}{}{}",
        item.column, correlation, shell_word(joined(numbers, ",")),
        levels.empty() ? "" : " --categorical ",
        levels.empty() ? "" : shell_word(joined(levels, ","))));
  }
  return out;
}

}  // namespace perfmodel
