#include "fit/sum/choose/far_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "data/median.hpp"
#include "fit/sum/choose/held_out_errors.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr std::size_t kMostPoints = 60;  // of each scale

}  // namespace

std::vector<double> slopes_along(const TermData& data, const std::vector<Index>& features,
                                 std::size_t scale) {
  const VectorXd own = data.features.col(features[scale]);
  std::vector<double> out;
  for (const Index feature : features)  // all are centred
    out.push_back(own.dot(data.features.col(feature)) / own.squaredNorm());
  return out;
}

FarPoints::FarPoints(const TermCoordinates& coordinates, const std::vector<Fold>& folds)
    : coordinates_(coordinates) {
  std::vector<Index> rows;
  for (const Fold& fold : folds) {
    if (!fold.scale || std::find(scales_.begin(), scales_.end(), *fold.scale) != scales_.end())
      continue;
    const std::size_t step = fold.held_out.size() / kMostPoints + 1;
    for (std::size_t i = 0; i < fold.held_out.size(); i += step) {
      rows.push_back(fold.held_out[i]);
      scales_.push_back(*fold.scale);
    }
  }
  measured_ = take_rows(coordinates.data(), rows);
  points_ = measured_;
  const std::vector<Index> features = coordinates.numeric_features();
  std::vector<double> slope;
  for (std::size_t p = 0; p < scales_.size(); ++p) {
    if (p == 0 || scales_[p] != scales_[p - 1])
      slope = slopes_along(coordinates.data(), features, scales_[p]);
    for (std::size_t n = 0; n < features.size(); ++n)
      coordinates.move(points_, static_cast<Index>(p), n, slope[n] * std::log(kStretch));
  }
}

FarPredictions FarPoints::predictions(const SumShape& shape, const VectorXd& theta) const {
  const auto log_time = [&](const TermData& data) -> VectorXd {
    const VectorXd time = evaluate_sum(coordinates_.select(data, shape), shape, theta).total;
    return time.array().max(1e-300).log();
  };
  FarPredictions out;
  out.log_time = log_time(points_);
  out.log_growth = out.log_time - log_time(measured_);
  return out;
}

double FarPoints::disagreement(const std::vector<FarPredictions>& of_fits,
                               std::size_t scale) const {
  if (of_fits.empty())
    return 0;
  double sum = 0;
  double count = 0;
  for (std::size_t p = 0; p < scales_.size(); ++p) {
    if (scales_[p] != scale)
      continue;
    VectorXd log_times(static_cast<Index>(of_fits.size()));
    for (std::size_t f = 0; f < of_fits.size(); ++f)
      log_times[static_cast<Index>(f)] = of_fits[f].log_time[static_cast<Index>(p)];
    sum += std::min(kLargestError, (log_times.array() - median(log_times)).abs().mean());
    count += 1;
  }
  return count > 0 ? sum / count : 0;
}

double FarPoints::growth(const std::vector<FarPredictions>& of_fits) const {
  std::map<std::size_t, double> points_of_scale;
  for (const std::size_t scale : scales_)
    points_of_scale[scale] += 1;
  double sum = 0;
  for (const FarPredictions& of_fit : of_fits) {
    for (std::size_t p = 0; p < scales_.size(); ++p) {
      const double growth = std::max(0.0, of_fit.log_growth[static_cast<Index>(p)]);
      sum += growth / points_of_scale[scales_[p]];
    }
  }
  const double terms = static_cast<double>(of_fits.size() * points_of_scale.size());
  return terms > 0 ? sum / terms : 0;
}

}  // namespace perfmodel
