#include "analysis/page/near_runs.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/index.hpp"

namespace perfmodel::page {
namespace {

constexpr double kSame = 1 + 1e-6;
/// Computing derived columns anew reads their formulas anew.
constexpr std::size_t kMostMovedScales = 256;

enum class Distance { same, near, far };

/// The larger of two numbers over the smaller; both may be 0.
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

/// The configuration at a scale and its time, computed once.
struct Place {
  Configuration configuration;
  double time = 0;
};

class Places {
 public:
  explicit Places(const MovedConfiguration& moved) : moved_(moved) {}

  /// Nothing where there is none, and where there are too many.
  const Place* at(double scale) {
    const auto [found, is_new] = known_.try_emplace(scale);
    if (is_new && known_.size() <= kMostMovedScales) {
      const auto configuration = moved_.at(scale);
      const auto time = configuration ? moved_.time_at(scale) : std::nullopt;
      if (time)
        found->second = Place{*configuration, *time};
    }
    return found->second ? &*found->second : nullptr;
  }

 private:
  const MovedConfiguration& moved_;
  std::map<double, std::optional<Place>> known_;
};

std::vector<Point> evenly_chosen(const std::vector<Point>& points) {
  if (points.size() <= NearRuns::most)
    return points;
  std::vector<Point> out;
  for (std::size_t i = 0; i < NearRuns::most; ++i)
    out.push_back(points[i * points.size() / NearRuns::most]);
  return out;
}

}  // namespace

NearRuns near_runs(const FittedModel& model, const Configuration& configuration,
                   std::size_t extrinsic, const Design& runs, const Eigen::VectorXd& predicted) {
  const MovedConfiguration moved(model, configuration, extrinsic);
  Places places(moved);
  const NumericFactor& factor = runs.extrinsic[extrinsic];
  NearRuns out;
  for (std::size_t row = 0; row < runs.rows; ++row) {
    bool has_levels = true;
    for (std::size_t c = 0; c < runs.categorical.size() && has_levels; ++c)
      has_levels = model.spec.is_derived(model.spec.categorical[c].column) ||
                   runs.categorical[c].codes[row] == configuration.levels[c];
    const double scale = factor.value(row);
    const Place* const place = has_levels ? places.at(scale) : nullptr;
    if (place == nullptr)
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
  out.measured = evenly_chosen(out.measured);
  out.adjusted = evenly_chosen(out.adjusted);
  return out;
}

}  // namespace perfmodel::page
