#include "fit/sum/choose/steepness.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "fit/sum/choose/far_points.hpp"
#include "fit/sum/descent/sum_fit.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr std::size_t kMostRows = 60;

/// A row with each value of the scale, which is known by its feature.
std::map<double, Index> row_of_value(const TermData& data, Index feature) {
  std::map<double, Index> out;
  for (Index row = 0; row < data.rows(); ++row)
    out.emplace(data.features(row, feature), row);
  return out;
}

std::vector<Index> rows_at(const TermData& data, Index feature, double value) {
  std::vector<Index> all;
  for (Index row = 0; row < data.rows(); ++row)
    if (data.features(row, feature) == value)
      all.push_back(row);
  std::vector<Index> out;
  for (std::size_t i = 0; i < all.size(); i += all.size() / kMostRows + 1)
    out.push_back(all[i]);
  return out;
}

}  // namespace

Steepness::Steepness(const TermCoordinates& coordinates, std::size_t scale)
    : coordinates_(coordinates) {
  const TermData& data = coordinates.data();
  const std::vector<Index> features = coordinates.numeric_features();
  const std::vector<double> slope = slopes_along(data, features, scale);
  const std::map<double, Index> values = row_of_value(data, features[scale]);
  auto value = values.rbegin();
  const double largest = value->first;
  const TermData there = take_rows(data, rows_at(data, features[scale], largest));
  const auto moved = [&](double shift) {
    TermData out = there;
    for (Index row = 0; row < out.rows(); ++row)
      for (std::size_t n = 0; n < features.size(); ++n)
        coordinates.move(out, row, n, slope[n] * shift);
    return out;
  };
  at_[3] = moved(std::log(kStretch));
  log_gap_[2] = std::log(kStretch);
  double above = largest;
  for (std::size_t place = 3; place-- > 0; ++value) {
    at_[place] = moved(value->first - largest);
    // Steps in the scale as well.
    for (Index row = 0; row < there.rows(); ++row)
      coordinates.copy_numeric(at_[place], row, scale, data, value->second);
    if (place < 2)
      log_gap_[place] = above - value->first;
    above = value->first;
  }
}

double Steepness::excess(const SumShape& shape, const VectorXd& theta) const {
  std::array<VectorXd, kPlaces> log_time;
  for (std::size_t place = 0; place < kPlaces; ++place) {
    const VectorXd time = evaluate_sum(coordinates_.select(at_[place], shape), shape, theta).total;
    log_time[place] = time.array().max(1e-300).log();
  }
  const auto slope = [&](std::size_t place) {
    return (log_time[place + 1] - log_time[place]).mean() / log_gap_[place];
  };
  return slope(2) - std::max(slope(0), slope(1));
}

}  // namespace perfmodel
