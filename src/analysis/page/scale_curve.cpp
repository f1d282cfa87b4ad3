#include "analysis/page/scale_curve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "analysis/central/moved_configuration.hpp"
#include "analysis/page/errors.hpp"
#include "base/index.hpp"
#include "fit/result/form.hpp"
#include "trust/prediction_intervals.hpp"

namespace perfmodel::page {
namespace {

constexpr std::size_t kCurvePoints = 64;
constexpr std::size_t kFewScales = 12;
/// Computing derived columns anew reads their formulas anew.
constexpr std::size_t kMostScalesOfFormulas = 64;

std::vector<double> distinct_values(const NumericFactor& factor, std::size_t rows) {
  std::vector<double> values;
  for (std::size_t row = 0; row < rows; ++row)
    values.push_back(factor.value(row));
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// Evenly spaced on a logarithmic axis, both ends included; where the model has a step, both of its
/// sides.
std::vector<double> scales_between(double low, double high, const FittedModel& model,
                                   std::size_t extrinsic, bool whole) {
  const Range range{low, high, Spacing::logarithmic};
  std::vector<double> scales = {low, high};
  for (std::size_t i = 1; i < kCurvePoints && low < high; ++i)
    scales.push_back(range.value(static_cast<double>(i) / static_cast<double>(kCurvePoints)));
  for (const double step : model.form->steps(model.spec, extrinsic)) {
    if (low <= step && step < high) {
      scales.push_back(step);
      scales.push_back(std::nextafter(step, high));
    }
  }
  if (whole)
    for (double& scale : scales)
      scale = std::clamp(std::round(scale), low, high);
  std::sort(scales.begin(), scales.end());
  scales.erase(std::unique(scales.begin(), scales.end()), scales.end());
  return scales;
}

/// The curve up to the first scale at which the model gives no time.
std::vector<Point> curve_along(const MovedConfiguration& moved, const std::vector<double>& scales) {
  std::vector<Point> curve;
  for (const double scale : scales) {
    const auto time = moved.time_at(scale);
    if (!time && !curve.empty())
      break;
    if (time)
      curve.push_back({scale, *time});
  }
  return curve;
}

struct Ratio {
  double scale = 0;
  double ratio = 0;  ///< measured / predicted
};

/// Ratios of equal scales together where there are few scales, else of about equally many rows.
std::vector<std::vector<Ratio>> grouped(std::vector<Ratio> ratios, bool by_scale) {
  std::sort(ratios.begin(), ratios.end(), [](const Ratio& a, const Ratio& b) {
    return a.scale != b.scale ? a.scale < b.scale : a.ratio < b.ratio;
  });
  const std::size_t size = ratios.size() / ScaleCurve::most_groups + 1;
  std::vector<std::vector<Ratio>> groups;
  for (const Ratio& ratio : ratios) {
    const bool same_scale = !groups.empty() && groups.back().back().scale == ratio.scale;
    const bool fits = !by_scale && !groups.empty() && groups.back().size() < size;
    if (!same_scale && !fits)
      groups.emplace_back();
    groups.back().push_back(ratio);
  }
  return groups;
}

std::vector<ScaleGroup> groups_of(const MovedConfiguration& moved, const NumericFactor& factor,
                                  const Design& runs, const Eigen::VectorXd& predicted,
                                  bool by_scale) {
  std::vector<Ratio> ratios;
  for (std::size_t row = 0; row < runs.rows; ++row)
    if (predicted[index(row)] > 0)
      ratios.push_back({factor.value(row), runs.time[index(row)] / predicted[index(row)]});
  std::vector<ScaleGroup> out;
  for (const std::vector<Ratio>& group : grouped(std::move(ratios), by_scale)) {
    const double scale = group[(group.size() - 1) / 2].scale;
    const auto time = moved.time_at(scale);
    std::vector<double> sorted;
    for (const Ratio& each : group)
      sorted.push_back(each.ratio);
    std::sort(sorted.begin(), sorted.end());
    const double highest = std::numeric_limits<double>::max();
    if (!time || sorted.back() > highest / *time || sorted.front() * *time <= 0)
      continue;
    out.push_back({scale, *time * sorted_quantile(sorted, 0.25),
                   *time * sorted_quantile(sorted, 0.5), *time * sorted_quantile(sorted, 0.75),
                   group.size()});
  }
  return out;
}

bool is_near(double a, double b) {
  return a <= b * ScaleCurve::near && b <= a * ScaleCurve::near;
}

/// Whether a run has the same levels and about the same numbers; of the scale exactly the same.
bool is_near(const Design& runs, std::size_t row, const Configuration& configuration) {
  for (std::size_t i = 0; i < runs.intrinsic.size(); ++i)
    if (!is_near(runs.intrinsic[i].value(row), configuration.intrinsic[i]))
      return false;
  for (std::size_t c = 0; c < runs.categorical.size(); ++c)
    if (runs.categorical[c].codes[row] != configuration.levels[c])
      return false;
  for (std::size_t j = 0; j < runs.extrinsic.size(); ++j)
    if (!is_near(runs.extrinsic[j].value(row), configuration.extrinsic[j]))
      return false;
  return true;
}

/// Runs of the moved configurations; `at` gives the one of a scale.
template <class At>
std::vector<Point> runs_near(const NumericFactor& factor, const Design& runs, const At& at) {
  std::vector<Point> near;
  for (std::size_t row = 0; row < runs.rows; ++row) {
    const double scale = factor.value(row);
    const Configuration* const moved = at(scale);
    if (moved != nullptr && is_near(runs, row, *moved))
      near.push_back({scale, runs.time[index(row)]});
  }
  return near;
}

std::vector<Point> runs_near(const MovedConfiguration& moved, const Configuration& typical,
                             std::size_t extrinsic, const Design& runs,
                             const std::vector<double>& distinct) {
  const NumericFactor& factor = runs.extrinsic[extrinsic];
  if (!moved.moves_others()) {
    Configuration here = typical;
    return runs_near(factor, runs, [&](double scale) {
      here.extrinsic[extrinsic] = scale;
      return &here;
    });
  }
  if (distinct.size() > kMostScalesOfFormulas)
    return {};
  std::map<double, std::optional<Configuration>> by_scale;
  for (const double scale : distinct)
    by_scale[scale] = moved.at(scale);
  return runs_near(factor, runs, [&](double scale) {
    const auto& found = by_scale.at(scale);
    return found ? &*found : nullptr;
  });
}

/// The ranges of both axes: all that the figure shows.
std::optional<Cloud> near_cloud(const std::vector<Point>& near) {
  if (near.empty())
    return std::nullopt;
  std::vector<double> x;
  std::vector<double> y;
  for (const Point& point : near) {
    x.push_back(point.x);
    y.push_back(point.y);
  }
  return cloud_of(near, range_of(x, Spacing::logarithmic), range_of(y, Spacing::logarithmic));
}

}  // namespace

std::vector<ScaleCurve> scale_curves(const FittedModel& model, const Configuration& typical,
                                     const Design& runs, const Eigen::VectorXd& predicted) {
  std::vector<ScaleCurve> curves;
  for (std::size_t j = 0; j < model.spec.extrinsic.size(); ++j) {
    const NumericInput& input = model.spec.extrinsic[j];
    if (model.spec.is_derived(input.column))
      continue;
    const MovedConfiguration moved(model, typical, j);
    const std::vector<double> distinct = distinct_values(runs.extrinsic[j], runs.rows);
    ScaleCurve curve;
    curve.column = input.column;
    curve.measured = input;
    if (distinct.size() <= kFewScales)
      curve.scales = distinct;
    // A formula such as ceil(batch / workers) has no meaning between whole numbers of workers.
    const bool whole = moved.moves_others() &&
                       std::all_of(distinct.begin(), distinct.end(),
                                   [](double scale) { return scale == std::round(scale); });
    curve.within = curve_along(moved, scales_between(input.low, input.high, model, j, whole));
    if (!curve.within.empty() && curve.within.back().x == input.high) {
      curve.extrapolated = curve_along(
          moved, scales_between(input.high, ScaleCurve::beyond * input.high, model, j, whole));
    }
    if (model.intervals) {
      const IntervalFactors factors =
          row_intervals(model, model.intervals->level, design_of(typical, model.spec))[0];
      curve.factors = Interval{factors.lower, factors.upper};
    }
    curve.groups =
        groups_of(moved, runs.extrinsic[j], runs, predicted, distinct.size() <= kFewScales);
    curve.near_runs = near_cloud(runs_near(moved, typical, j, runs, distinct));
    if (!curve.within.empty())
      curves.push_back(std::move(curve));
  }
  return curves;
}

}  // namespace perfmodel::page
