#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/model_words.hpp"
#include "base/statistics.hpp"
#include "base/text.hpp"
#include "codegen/dialect.hpp"
#include "codegen/formula_code.hpp"
#include "columns/design.hpp"
#include "columns/spec.hpp"
#include "forms/beyond.hpp"
#include "forms/failure_model.hpp"
#include "forms/form.hpp"
#include "forms/scaling_belief.hpp"
#include "page/page_content.hpp"
#include "perfmodel/export.hpp"
#include "perfmodel/predict.hpp"
#include "roles/quantities.hpp"
#include "table/expressions.hpp"
#include "table/table.hpp"

namespace perfmodel::page {
namespace {

std::size_t cell_of(double position) {
  const auto cells = static_cast<double>(Cloud::cells_per_side);
  const double cell = std::floor(position * cells);
  return static_cast<std::size_t>(std::clamp(cell, 0.0, cells - 1));
}

std::vector<Cell> counted(const std::vector<Point>& points, const Range& x, const Range& y) {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> counts;
  for (const Point& point : points)
    ++counts[{cell_of(x.position(point.x)), cell_of(y.position(point.y))}];
  const auto border = [](const Range& range, std::size_t cell) {
    return range.value(static_cast<double>(cell) / static_cast<double>(Cloud::cells_per_side));
  };
  std::vector<Cell> cells;
  for (const auto& [place, count] : counts) {
    const auto [column, row] = place;
    cells.push_back(
        {border(x, column), border(x, column + 1), border(y, row), border(y, row + 1), count});
  }
  return cells;
}

constexpr double kSame = 1 + 1e-6;
/// Limit because every moved configuration parses the formulas of derived columns again.
constexpr std::size_t kMostMovedScales = 256;

enum class Distance { same, near, far };

/// Compares the ratio of two numbers with the limits; both may be 0.
Distance between(double a, double b) {
  const auto within = [&](double factor) { return a <= b * factor && b <= a * factor; };
  return within(kSame) ? Distance::same : within(NearRuns::near) ? Distance::near : Distance::far;
}

Distance distance_of(const Design& runs, std::size_t row, const Configuration& configuration) {
  for (std::size_t c = 0; c < runs.categorical.size(); ++c)
    if (runs.categorical[c].codes[row] != configuration.levels[c])
      return Distance::far;
  Distance farthest = Distance::same;
  const auto look_at = [&](const std::vector<NumericFactor>& factors,
                           const std::vector<double>& values) {
    for (std::size_t i = 0; i < factors.size() && farthest != Distance::far; ++i)
      farthest = std::max(farthest, between(factors[i].value(row), values[i]));
  };
  look_at(runs.intrinsic, configuration.intrinsic);
  look_at(runs.extrinsic, configuration.extrinsic);
  return farthest;
}

/// Configuration at a scale and its time.
struct Place {
  Configuration configuration;
  double time = 0;
};

using Places = std::map<double, std::optional<Place>>;

/// Returns nullopt if there is no such configuration, or if too many scales were requested.
const std::optional<Place>& place_at(double scale, const FittedModel& model,
                                     const Configuration& from, std::size_t numeric,
                                     Places& known) {
  const auto [found, is_new] = known.try_emplace(scale);
  if (is_new && known.size() <= kMostMovedScales) {
    const auto configuration = with_scale(model.spec, from, numeric, scale);
    const auto time = configuration ? time_of(model, *configuration) : std::nullopt;
    if (time)
      found->second = Place{*configuration, *time};
  }
  return found->second;
}

std::vector<Point> thinned(const std::vector<Point>& points) {
  return mapped(
      evenly_chosen(points.size(), std::min(points.size(), NearRuns::most)),
      [&](std::size_t i) { return points[i]; });
}

}  // namespace

Cloud cloud_of(const std::vector<Point>& points, const Range& x, const Range& y) {
  Cloud cloud{.x = x, .y = y, .points = {}, .cells = {}};
  for (const Point& point : points)
    if (x.contains(point.x) && y.contains(point.y))
      cloud.points.push_back(point);
  cloud.inside = cloud.points.size();
  cloud.outside = points.size() - cloud.inside;
  if (cloud.inside > Cloud::most_points) {
    cloud.cells = counted(cloud.points, x, y);
    cloud.points.clear();
  }
  return cloud;
}

NearRuns near_runs(const FittedModel& model, const Configuration& configuration,
                   std::size_t numeric, const Design& runs, const Eigen::VectorXd& predicted) {
  Places places;
  const NumericFactor& factor = numeric_factor(runs, numeric);
  NearRuns out;
  for (std::size_t row = 0; row < runs.rows; ++row) {
    bool has_levels = true;
    for (std::size_t c = 0; c < runs.categorical.size() && has_levels; ++c)
      has_levels = model.spec.is_derived(model.spec.categorical[c].column) ||
                   runs.categorical[c].codes[row] == configuration.levels[c];
    if (!has_levels)
      continue;
    const double scale = factor.value(row);
    const std::optional<Place>& place = place_at(scale, model, configuration, numeric, places);
    if (!place)
      continue;
    const Distance distance = distance_of(runs, row, place->configuration);
    const double time = runs.time[index(row)];
    const double ratio = place->time / predicted[index(row)];
    if (distance == Distance::same)
      out.measured.push_back({scale, time});
    else if (distance == Distance::near && ratio <= NearRuns::most_adjusted &&
             1 / ratio <= NearRuns::most_adjusted && ratio > 0)
      out.adjusted.push_back({scale, time * ratio});
  }
  out.all_measured = out.measured.size();
  out.all_adjusted = out.adjusted.size();
  out.measured = thinned(out.measured);
  out.adjusted = thinned(out.adjusted);
  return out;
}

namespace {

constexpr std::size_t kCurvePoints = 32;
constexpr std::size_t kFewScales = 12;
constexpr double kAllWhole = 16;  // so many whole numbers in a row are all on the curve
constexpr std::size_t kMostForecasts = 12;
constexpr double kLeastEfficiency =
    0.5;  // required argument of a study, whose laws are not used here

std::vector<double> sorted_within(std::vector<double> scales, double low, double high) {
  std::erase_if(scales, [&](double scale) { return scale < low || scale > high; });
  return sorted_unique(std::move(scales));
}

/// Returns the scales of the curve. Whole-number scales: all of them if few, else the measured ones
/// and doublings. Others: evenly spaced logarithms, plus both sides of the model's steps.
std::vector<double> scales_of(const FittedModel& model, std::size_t numeric,
                              const ScaleCurve& curve) {
  const double low = curve.measured.low;
  const double high = curve.measured.high;
  const bool is_scale = numeric < model.spec.extrinsic.size();
  const double most = is_scale ? ScaleCurve::beyond : 1;
  std::vector<double> scales = {low, high, curve.shown};
  for (double beyond = 2; beyond <= most; beyond *= 2)
    scales.push_back(beyond * high);
  if (curve.whole) {
    if (high - low < kAllWhole)
      for (double scale = low; scale <= high; ++scale)
        scales.push_back(scale);
    for (double scale = low; scale <= high; scale *= 2)
      scales.push_back(scale);
    scales.insert(scales.end(), curve.scales.begin(), curve.scales.end());
  }
  if (!curve.whole || (curve.scales.empty() && high - low >= kAllWhole)) {
    const Range range{low, high, Spacing::logarithmic};
    for (std::size_t i = 1; i < kCurvePoints && low < high; ++i) {
      const double scale = range.value(static_cast<double>(i) / static_cast<double>(kCurvePoints));
      scales.push_back(curve.whole ? std::round(scale) : scale);
    }
  }
  if (!curve.whole && is_scale)
    for (const double step : model.form->steps(model.spec, numeric))
      scales.insert(scales.end(), {step, std::nextafter(step, high)});
  return sorted_within(std::move(scales), std::min(low, curve.shown), most * high);
}

/// Returns the lowest measured scale, to which speedups are relative, and the shown scale times
/// powers of two.
std::vector<double> doublings(const ScaleCurve& curve) {
  std::vector<double> scales = {curve.shown};
  const auto exists = [&](double scale) { return !curve.whole || scale == std::round(scale); };
  for (double scale = curve.shown / 2;
       scale >= curve.measured.low && exists(scale) && scales.size() < kMostForecasts / 2;
       scale /= 2)
    scales.push_back(scale);
  const double end = ScaleCurve::beyond * std::max(curve.shown, curve.measured.high);
  for (double scale = 2 * curve.shown; scale <= end && scales.size() < kMostForecasts; scale *= 2)
    scales.push_back(scale);
  scales.push_back(curve.measured.low);
  return sorted_within(std::move(scales), std::min(curve.measured.low, curve.shown), end);
}

/// Returns forecasts at the scales with a possible configuration and a time from the model.
std::vector<Forecast> forecasts_at(const FittedModel& model, const Configuration& shown,
                                   std::size_t numeric, const std::vector<double>& scales,
                                   const std::vector<NotAbove>& orders) {
  std::vector<Forecast> out;
  std::vector<Configuration> configurations;
  for (const double scale : scales) {
    auto configuration = with_scale(model.spec, shown, numeric, scale);
    if (!configuration || !keeps_to(orders, *configuration))
      continue;
    const auto time = time_of(model, *configuration);
    if (!time)
      continue;
    out.push_back({.scale = scale, .time = *time, .interval = {}});
    configurations.push_back(*std::move(configuration));
  }
  if (out.empty())
    return out;
  const Design design = design_of(configurations, model.spec);
  const RangeCheck range = check_range(model, design);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i].measured = range.in_range[i];
  if (model.known.intervals) {
    const RowIntervals intervals = row_intervals(model, model.known.intervals->level, design);
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i].interval = intervals[i].around(out[i].time);
  }
  return out;
}

void add_speedups(scaling::Kind kind, std::vector<Forecast>& forecasts) {
  if (forecasts.size() < 2)
    return;
  const std::vector<scaling::Timing> timings = mapped(forecasts, [](const Forecast& forecast) {
    return scaling::Timing{forecast.scale, forecast.time, 1};
  });
  const scaling::ScalingStudy study = scaling::study(timings, kind, kLeastEfficiency);
  for (std::size_t i = 0; i < forecasts.size(); ++i) {
    forecasts[i].speedup = study.rows[i].speedup;
    forecasts[i].efficiency = study.rows[i].efficiency;
  }
}

std::vector<std::string> moved_columns(const ModelSpec& spec, const std::string& scale) {
  std::vector<std::string> out;
  for (const Tie& tie : spec.ties)
    if (tie.scale == scale)
      out.push_back(tie.column);
  for (const DerivedColumn& derived : spec.derived)
    if (contains(derived.of, scale))
      out.push_back(derived.column);
  return out;
}

}  // namespace

ScaleCurve scale_curve(const FittedModel& model, const Configuration& shown, std::size_t numeric,
                       const Design& runs, const Eigen::VectorXd& predicted,
                       const std::vector<NotAbove>& orders) {
  const NumericInput& input = numeric_input(model.spec, numeric);
  const bool is_scale = numeric < shown.extrinsic.size();
  const std::vector<double> distinct = sorted_unique(numeric_factor(runs, numeric).values);
  ScaleCurve curve{.column = input.column,
                   .measured = input,
                   .shown = is_scale ? shown.extrinsic[numeric]
                                     : shown.intrinsic[numeric - shown.extrinsic.size()],
                   .whole = all_whole(distinct) && all_whole({input.low, input.high}),
                   .scales = {},
                   .points = {},
                   .forecasts = {},
                   .work = {},
                   .moved = moved_columns(model.spec, input.column),
                   .runs = {}};
  if (distinct.size() <= kFewScales)
    curve.scales = distinct;
  // A scale of 0 can neither be drawn on a logarithmic axis nor be doubled.
  if (input.low <= 0 || curve.shown <= 0)
    return curve;
  curve.points = forecasts_at(model, shown, numeric, scales_of(model, numeric, curve), orders);
  curve.runs = near_runs(model, shown, numeric, runs, predicted);
  if (!is_scale)
    return curve;
  curve.forecasts = forecasts_at(model, shown, numeric, doublings(curve), orders);
  scaling::WorkColumns work = scaling::work_columns(model, input.column, curve.moved);
  work.least_share = scaling::least_share(mapped(curve.forecasts, &Forecast::time));
  curve.work = scaling::kind_of_work(work);
  add_speedups(curve.work.kind, curve.forecasts);
  return curve;
}

std::vector<ScaleCurve> scale_curves(const FittedModel& model, const Configuration& shown,
                                     const Design& runs, const Eigen::VectorXd& predicted,
                                     const std::vector<NotAbove>& orders) {
  std::vector<ScaleCurve> curves;
  for (std::size_t j = 0; j < model.spec.extrinsic.size(); ++j) {
    if (model.spec.follows(model.spec.extrinsic[j].column))
      continue;
    ScaleCurve curve = scale_curve(model, shown, j, runs, predicted, orders);
    if (!curve.points.empty())
      curves.push_back(std::move(curve));
  }
  return curves;
}

namespace {

std::string array_of(const std::vector<std::string>& items) {
  return "[" + joined(items, ", ") + "]";
}

std::string texts(const std::vector<std::string>& items) {
  return array_of(mapped(items, javascript_literal));
}

template <class Numbers>
std::string numbers(const Numbers& items) {
  return array_of(mapped(
      items, [](double number) { return to_text(number); }));
}

/// Writes the control of a number; without a range if only derived columns use it.
std::string number_control(const NumericInput& input, bool is_scale, double start, bool has_range) {
  return "{name: " + javascript_literal(input.column) + ", start: " + to_text(start) +
         (has_range ? ", low: " + to_text(input.low) + ", high: " + to_text(input.high) : "") +
         (input.zero ? ", zero: " + to_text(input.zero->unit) : "") +
         (is_scale ? ", scale: true" : "") +
         (all_whole({start}) && (!has_range || all_whole({input.low, input.high})) ? ", whole: true"
                                                                                   : "") +
         "}";
}

std::string level_control(const CategoricalInput& input, std::size_t start) {
  return "{name: " + javascript_literal(input.column) +
         ", start: " + javascript_literal(input.levels[start]) +
         ", levels: " + texts(input.levels) + "}";
}

/// Returns the columns in the order of predict(); nullopt if the value of one is unknown.
std::optional<std::string> columns_of(const ModelSpec& spec, const Configuration& start) {
  std::vector<std::string> out;
  for (const std::string& name : required_columns(spec)) {
    const std::size_t before = out.size();
    if (const auto j = place_of_input(spec.extrinsic, name))
      out.push_back(number_control(spec.extrinsic[*j], true, start.extrinsic[*j], true));
    if (const auto i = place_of_input(spec.intrinsic, name))
      out.push_back(number_control(spec.intrinsic[*i], false, start.intrinsic[*i], true));
    if (const auto c = place_of_input(spec.categorical, name))
      out.push_back(level_control(spec.categorical[*c], start.levels[*c]));
    for (const SourceColumn& source : spec.sources)
      if (source.column == name && out.size() == before)
        out.push_back(number_control({.column = name}, false, source.typical, false));
    if (out.size() != before + 1)
      return std::nullopt;
  }
  return array_of(out);
}

/// The inputs in the order of inputs() and of the processes, unlike numeric_input()'s.
std::vector<NumericInput> numbers_of(const ModelSpec& spec) {
  std::vector<NumericInput> out = spec.intrinsic;
  out.insert(out.end(), spec.extrinsic.begin(), spec.extrinsic.end());
  return out;
}

std::string ranges_of(const FittedModel& model) {
  std::vector<std::string> out;
  for (const NumericInput& input : numbers_of(model.spec)) {
    out.push_back("{name: " + javascript_literal(input.column) + ", low: " + to_text(input.low) +
                  ", high: " + to_text(input.high) + ", least: " + to_text(least_believed(input)) +
                  ", beyond: " + javascript_literal(growth_beyond(model, input)) + "}");
  }
  return array_of(out);
}

/// Returns [0, number, low, high] or [1, categorical column, level]; nullopt for a column that is
/// not in the model.
std::optional<std::string> part_of(const RegionPart& part, const ModelSpec& spec) {
  if (const auto n = place_of_input(numbers_of(spec), part.column))
    return array_of({"0", std::to_string(*n), to_text(part.low), to_text(part.high)});
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    const std::vector<std::string>& levels = spec.categorical[c].levels;
    const auto found = std::ranges::find(levels, part.level);
    if (spec.categorical[c].column == part.column && found != levels.end())
      return array_of({"1", std::to_string(c), std::to_string(found - levels.begin())});
  }
  return std::nullopt;
}

std::string regions_of(const FittedModel& model) {
  std::vector<std::string> out;
  for (const UnmeasuredRegion& region : model.known.unmeasured) {
    std::vector<std::string> parts;
    for (const RegionPart& part : region.parts)
      if (const auto text = part_of(part, model.spec))
        parts.push_back(*text);
    if (parts.size() == region.parts.size())
      out.push_back("[" + javascript_literal(to_text(region)) + ", " + array_of(parts) + "]");
  }
  return "[" + joined(out, ",\n") + "]";
}

std::string ties_of(const ModelSpec& spec) {
  return array_of(mapped(
      spec.ties,
      [](const Tie& tie) {
        const std::vector<std::string> factors = mapped(
            tie.factors,
            [](const Factor& factor) {
              return array_of({javascript_literal(factor.column), std::to_string(factor.power)});
            });
        return array_of({javascript_literal(tie.scale), javascript_literal(tie.column),
                         std::to_string(tie.power), array_of(factors), to_text(tie.divisor)});
      }));
}

/// Writes pairs of levels that were not measured, each with a level in place of the second.
std::string pairs_of(const FittedModel& model) {
  return array_of(mapped(
      unmeasured_pairs(model),
      [&](const UnmeasuredPair& pair) {
        const CategoricalInput& first = model.spec.categorical[pair.first];
        const CategoricalInput& second = model.spec.categorical[pair.second];
        return texts({first.column, first.levels[pair.level], second.column,
                      second.levels[pair.other], second.levels[pair.measured]});
      }));
}

/// Writes the process of the runs that the model believes beside its formula.
std::string belief_of(const FittedModel& model) {
  if (!model.belief)
    return "null";
  const gp::ScalingProcess& process = model.belief->of_runs();
  const gp::Inputs& known = process.known();
  std::vector<std::string> runs;
  for (Eigen::Index row = 0; row < known.rows(); ++row) {
    runs.push_back(array_of({numbers(known.numbers.row(row)), numbers(known.levels.row(row)),
                             to_text(process.left()[row]), to_text(process.counts()[row])}));
  }
  std::vector<std::string> settings;
  for (const gp::ScalingSetting& setting : process.settings()) {
    std::vector<double> all = gp::ScalingProcess::variances(setting);
    all.insert(all.begin(), setting.weight);
    settings.push_back(numbers(all));
  }
  const double level =
      model.known.intervals ? model.known.intervals->level : PredictionIntervals::default_level;
  return "{share: " + to_text(model.belief->share_of_formula()) +
         ", spread: " + to_text(model.belief->spread()) +
         ", widening: " + to_text(model.belief->widening()) +
         ", ofFolds: " + to_text(model.known.intervals ? share_of_folds(model) : 1) +
         ", z: " + to_text(normal_quantile((1 + level) / 2)) +
         ", ofBound: " + to_text(model.bound ? normal_quantile(model.bound->quantile) : 0) +
         ", mostDeviations: " + to_text(kMostDeviations) + ", mostMore: " + to_text(kMostMore) +
         ", pairs: " + pairs_of(model) + ", level: " + to_text(process.level()) +
         ", centre: " + numbers(process.centre()) + ",\nsettings: " + array_of(settings) +
         ",\nruns: " + array_of(runs) + "}";
}

/// Writes the ends of the interval as logarithms, for a deviation of 1.
std::string interval_of(const FittedModel& model) {
  if (!model.known.intervals)
    return "null";
  const IntervalFactors ends =
      interval_factors(*model.known.intervals, model.known.intervals->level, 1);
  return "{level: " + to_text(model.known.intervals->level) +
         ", low: " + to_text(std::log(ends.lower)) + ", high: " + to_text(std::log(ends.upper)) +
         ", added: " + to_text(model.known.intervals->added_deviation) +
         ", typical: " + to_text(typical_deviation(*model.known.intervals)) +
         ", byDeviation: " + (model.known.intervals->by_deviation ? "true" : "false") + "}";
}

/// Writes the data of the Gaussian process for the standard deviation of a prediction and the test
/// for near runs.
std::string gp_of(const FittedModel& model) {
  const auto belief = model.form->gp_belief(model.spec);
  if (!belief)
    return "null";
  const Design one = take_rows(belief->known, std::array<std::size_t, 1>{0});
  std::vector<std::string> clamps;
  for (std::size_t n = 0; n < belief->most.size(); ++n)
    if (std::isfinite(belief->most[n]))
      clamps.push_back(array_of({std::to_string(n), to_text(belief->most[n])}));
  return "{variance: " + to_text(belief->covariance(one, one)(0, 0)) +
         ", noise: " + to_text(belief->noise) + ", near: " + to_text(belief->near_variance) +
         ", caps: " + array_of(clamps) + ", runs: " + numbers(belief->runs) +
         ",\nknown: process_known, between: (a, b) => process_correlation(a[1], a[2], b)}";
}

/// What is to be known beside every time of the panel.
std::vector<std::string> doubts_of(const FittedModel& model) {
  std::vector<std::string> out;
  if (const Warning* few = few_rows_warning(model))
    out.push_back("not determined: " + few->message);
  if (model.failures)
    out.push_back(std::to_string(model.failures->facts().failed) +
                  " runs failed: whether this one would, perfmodel predict tells");
  return out;
}

/// Keeps the correlations that predict() computed last, for the interval.
constexpr std::string_view kKeepCorrelations =
    "const plain_correlations = process_correlations;\n"
    "process_correlations = (numbers, levels) =>\n"
    "  (model.correlations = plain_correlations(numbers, levels));\n";

}  // namespace

std::optional<std::string> exploration_script(const FittedModel& model,
                                              const CentralConfiguration& start) {
  const ModelSpec& spec = model.spec;
  const auto columns = columns_of(spec, start.configuration);
  if (!columns)
    return std::nullopt;
  const TimeUnit shown = readable_unit(start.time.value_or(0), shown_unit(spec));
  // predict() of this spec takes the inputs, not the columns that they are derived from.
  ModelSpec inputs_alone = spec;
  inputs_alone.derived.clear();
  std::string code;
  std::string inputs;
  try {
    code = form_code(*model.form, inputs_alone, model.constants, FormulaLanguage::javascript);
    inputs = function_code(spec, FormulaLanguage::javascript, "", [](const CodeInputs& operands) {
      std::vector<std::string> numbers = operands.intrinsic;
      numbers.insert(numbers.end(), operands.extrinsic.begin(), operands.extrinsic.end());
      return "[" + array_of(numbers) + ", " + array_of(operands.levels) + "]";
    });
  } catch (const InputError&) {
    return std::nullopt;
  }
  const std::string gp = gp_of(model);
  return "const model = {};\n{\n" + code + (gp == "null" ? "" : kKeepCorrelations.data()) +
         "model.predict = predict;\nmodel.process = " + gp + ";\n}\n{\n" + inputs +
         "model.inputs = predict;\n}\n{\n" +
         form_code(model.form->trend(), inputs_alone, model.constants,
                   FormulaLanguage::javascript) +
         "model.trend = predict;\nmodel.inputColumns = " + texts(required_columns(inputs_alone)) +
         ";\n}\nObject.assign(model, {target: " + javascript_literal(spec.target) +
         ", unit: " + javascript_literal(spec.unit) +
         ", shown: {name: " + javascript_literal(shown.name) +
         ", factor: " + to_text(shown.factor) + "}" +
         ", place: " + javascript_literal(start.place) + ",\ncolumns: " + *columns +
         ",\nnumbers: " + ranges_of(model) + ",\nregions: " + regions_of(model) +
         ",\nties: " + ties_of(spec) + ",\ndoubts: " + texts(doubts_of(model)) +
         ",\ninterval: " + interval_of(model) + ",\nbelief: " + belief_of(model) + "});\n";
}

}  // namespace perfmodel::page
