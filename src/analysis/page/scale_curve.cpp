#include "analysis/page/scale_curve.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/central/moved_configuration.hpp"
#include "analysis/central/range_check.hpp"
#include "analysis/page/range.hpp"
#include "analysis/scaling/work_of_model.hpp"
#include "base/index.hpp"
#include "fit/result/form.hpp"
#include "model/design/several_configurations.hpp"
#include "perfmodel/analysis/scaling/study.hpp"
#include "trust/prediction_intervals.hpp"

namespace perfmodel::page {
namespace {

constexpr std::size_t kCurvePoints = 32;
constexpr std::size_t kFewScales = 12;
constexpr double kAllWhole = 16;  // so many whole numbers in a row are all on the curve
constexpr std::size_t kMostForecasts = 12;
constexpr double kLeastEfficiency = 0.5;  // of a study, whose laws nobody reads here

std::vector<double> distinct_values(const NumericFactor& factor, std::size_t rows) {
  std::vector<double> values;
  for (std::size_t row = 0; row < (factor.coded() ? factor.values.size() : rows); ++row)
    values.push_back(factor.values[row]);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

bool all_whole(const std::vector<double>& values) {
  return std::all_of(
      values.begin(), values.end(), [](double value) { return value == std::round(value); });
}

std::vector<double> sorted_within(std::vector<double> scales, double low, double high) {
  std::erase_if(scales, [&](double scale) { return scale < low || scale > high; });
  std::sort(scales.begin(), scales.end());
  scales.erase(std::unique(scales.begin(), scales.end()), scales.end());
  return scales;
}

/// Whole numbers where scales are whole: all of few, else the measured ones and doublings. Others
/// evenly spaced on a logarithmic axis, with both sides of the model's steps.
std::vector<double> scales_of(const FittedModel& model, std::size_t extrinsic,
                              const ScaleCurve& curve) {
  const double low = curve.measured.low;
  const double high = curve.measured.high;
  std::vector<double> scales = {low, high, curve.shown};
  for (double beyond = 2; beyond <= ScaleCurve::beyond; beyond *= 2)
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
  if (!curve.whole)
    for (const double step : model.form->steps(model.spec, extrinsic))
      scales.insert(scales.end(), {step, std::nextafter(step, high)});
  return sorted_within(std::move(scales), std::min(low, curve.shown), ScaleCurve::beyond * high);
}

/// The shown scale times powers of two, from the lowest measured one on.
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
  std::sort(scales.begin(), scales.end());
  return scales;
}

/// Where the configuration can exist and the model gives a time.
std::vector<Forecast> forecasts_at(const FittedModel& model, const MovedConfiguration& moved,
                                   const std::vector<double>& scales,
                                   const std::vector<NotAbove>& orders) {
  std::vector<Forecast> out;
  std::vector<Configuration> configurations;
  for (const double scale : scales) {
    auto configuration = moved.at(scale);
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
  if (model.intervals) {
    const RowIntervals intervals = row_intervals(model, model.intervals->level, design);
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i].interval =
          Interval{out[i].time * intervals[i].lower, out[i].time * intervals[i].upper};
  }
  return out;
}

void add_speedups(scaling::Kind kind, std::vector<Forecast>& forecasts) {
  if (forecasts.size() < 2)
    return;
  std::vector<scaling::Timing> timings;
  for (const Forecast& forecast : forecasts)
    timings.push_back({forecast.scale, forecast.time, 1});
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
    if (std::find(derived.of.begin(), derived.of.end(), scale) != derived.of.end())
      out.push_back(derived.column);
  return out;
}

}  // namespace

ScaleCurve scale_curve(const FittedModel& model, const Configuration& shown, std::size_t extrinsic,
                       const Design& runs, const Eigen::VectorXd& predicted,
                       const std::vector<NotAbove>& orders) {
  const NumericInput& input = model.spec.extrinsic[extrinsic];
  const std::vector<double> distinct = distinct_values(runs.extrinsic[extrinsic], runs.rows);
  ScaleCurve curve{.column = input.column,
                   .measured = input,
                   .shown = shown.extrinsic[extrinsic],
                   .whole = all_whole(distinct) && all_whole({input.low, input.high}),
                   .scales = {},
                   .points = {},
                   .forecasts = {},
                   .work = {},
                   .moved = moved_columns(model.spec, input.column),
                   .runs = {}};
  if (distinct.size() <= kFewScales)
    curve.scales = distinct;
  // A scale of 0 has no place on a logarithmic axis, and none that is twice as large.
  if (input.low <= 0 || curve.shown <= 0)
    return curve;
  const MovedConfiguration moved(model, shown, extrinsic);
  curve.points = forecasts_at(model, moved, scales_of(model, extrinsic, curve), orders);
  curve.forecasts = forecasts_at(model, moved, doublings(curve), orders);
  curve.work = scaling::kind_of_work(scaling::work_columns(model, input.column, curve.moved));
  add_speedups(curve.work.kind, curve.forecasts);
  curve.runs = near_runs(model, shown, extrinsic, runs, predicted);
  return curve;
}

std::vector<ScaleCurve> scale_curves(const FittedModel& model, const Configuration& shown,
                                     const Design& runs, const Eigen::VectorXd& predicted,
                                     const std::vector<NotAbove>& orders) {
  std::vector<ScaleCurve> curves;
  for (std::size_t j = 0; j < model.spec.extrinsic.size(); ++j) {
    if (model.spec.is_derived(model.spec.extrinsic[j].column))
      continue;
    ScaleCurve curve = scale_curve(model, shown, j, runs, predicted, orders);
    if (!curve.points.empty())
      curves.push_back(std::move(curve));
  }
  return curves;
}

}  // namespace perfmodel::page
