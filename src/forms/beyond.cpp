#include "forms/beyond.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "base/text.hpp"
#include "table/expressions.hpp"

namespace perfmodel {
namespace {

/// Typical growth of errors, from the extrapolation splits of eight public files. It counts as half
/// an extrapolation fold, since estimates from few folds are noisy.
constexpr double kUsualGrowth = 0.35;
constexpr double kUsualEdges = 0.5;

/// The growth estimated from `edges` extrapolation folds, shrunk to the typical one. Without folds,
/// `growth` is that of the time itself.
double expected_growth(double growth, std::size_t edges) {
  if (edges == 0)
    return std::max(growth, kUsualGrowth);
  const auto own = static_cast<double>(edges);
  return std::sqrt((own * growth * growth + kUsualEdges * kUsualGrowth * kUsualGrowth) /
                   (own + kUsualEdges));
}

/// ln of the ratio of a value to the nearest end of the measured range; 0 within the range.
double log_distance(const NumericInput& input, double value) {
  const double ratio =
      value > input.high
          ? input.counted(value) / input.counted(input.high)
          : (value < input.low ? input.counted(input.low) / input.counted(value) : 1);
  return std::log(std::max(1.0, ratio));
}

/// The highest level up to this one that the calibration rows support.
double supported(double level, const PredictionIntervals& intervals) {
  return std::min(level, 1 - 2 / (static_cast<double>(intervals.count) + 1));
}

/// Distance of the scores at both ends, those of stored ranks at them or beyond.
double width(const PredictionIntervals& intervals, double level) {
  const auto [low, high] = end_ranks(level, intervals.count);
  const auto lower = std::ranges::upper_bound(intervals.ranks, low) - 1;
  const auto upper = std::ranges::lower_bound(intervals.ranks, high);
  return intervals.scores[static_cast<std::size_t>(upper - intervals.ranks.begin())] -
         intervals.scores[static_cast<std::size_t>(lower - intervals.ranks.begin())];
}

}  // namespace

std::pair<std::size_t, std::size_t> end_ranks(double level, std::size_t count) {
  const double places = static_cast<double>(count) + 1;
  const double tail = (1 - level) / 2;
  return {static_cast<std::size_t>(std::floor(places * tail + kRankSlack)),
          static_cast<std::size_t>(std::ceil(places * (1 - tail) - kRankSlack))};
}

std::vector<double> growths_beyond(const FittedModel& model, double level) {
  const PredictionIntervals& intervals = model.intervals.value();
  std::vector<double> out(numeric_count(model.spec), 0);
  if (!intervals.beyond)
    return out;
  std::map<std::string, double> growths;
  double squares = 0;
  for (const GrowthOfErrors& column : *intervals.beyond) {
    const double growth = expected_growth(column.growth, column.edges);
    growths[column.column] = growth;
    squares += growth * growth;
  }
  const double usual =
      growths.empty() ? kUsualGrowth : std::sqrt(squares / static_cast<double>(growths.size()));
  // At another level, the growth changes in proportion to the width.
  const double at_default =
      width(intervals, supported(PredictionIntervals::default_level, intervals));
  const double share = at_default > 0 ? width(intervals, level) / at_default : 1;
  for (std::size_t n = 0; n < out.size(); ++n)
    out[n] = share * growths.try_emplace(numeric_input(model.spec, n).column, usual).first->second;
  return out;
}

Eigen::VectorXd moves_beyond(const ModelSpec& spec, const std::vector<double>& growths,
                             const Design& design) {
  Eigen::VectorXd out = Eigen::VectorXd::Zero(index(design.rows));
  for (std::size_t n = 0; n < growths.size(); ++n) {
    for (std::size_t row = 0; row < design.rows; ++row) {
      const double move =
          growths[n] * log_distance(numeric_input(spec, n), numeric_factor(design, n).value(row));
      if (std::abs(move) > std::abs(out[index(row)]))
        out[index(row)] = move;
    }
  }
  return out;
}

std::vector<double> bound_growths(const FittedModel& model) {
  if (!model.bound || !model.intervals)
    return std::vector<double>(numeric_count(model.spec), 0);
  const double level = 2 * model.bound->quantile - 1;
  std::vector<double> out = growths_beyond(model, supported(std::abs(level), *model.intervals));
  for (double& growth : out)
    growth = std::copysign(growth, level);
  return out;
}

}  // namespace perfmodel
