#include "fit/process/observed.hpp"

#include <cmath>

namespace perfmodel::process {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// To as many digits, however small it is.
double rounded(double value) {
  int exponent = 0;
  const double share = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(share * 0x1p30), exponent - 30);
}

}  // namespace

double on_grid(double value) {
  return std::nearbyint(value * 0x1p30) * 0x1p-30;
}

std::vector<Index> at_places(const std::vector<Index>& all, std::span<const Index> chosen) {
  std::vector<Index> out;
  for (const Index place : chosen)
    out.push_back(all[static_cast<std::size_t>(place)]);
  return out;
}

Observations observed(const Inputs& coordinates, const MergedRows& rows, const Trend& trend,
                      const std::vector<Index>& chosen) {
  const std::vector<Index> places = at_places(rows.first, chosen);
  const TrendValues values = trend.at(trend.start, places);
  Observations out{.inputs = CodedInputs(take_rows(coordinates, places)),
                   .trend = {.slopes = values.slopes * trend.scales.asDiagonal(),
                             .groups = trend.groups,
                             .group_count = trend.group_count},
                   .y = rows.y(chosen) - values.values,
                   .runs = rows.runs(chosen)};
  out.trend.slopes.rowwise() -= out.trend.slopes.colwise().mean().eval();
  out.trend.slopes = out.trend.slopes.unaryExpr(&on_grid).eval();
  out.y = (out.y.array() - out.y.mean()).unaryExpr(&on_grid).eval();
  out.spread = out.y.squaredNorm() / static_cast<double>(chosen.size()) + kLeastSpread;
  out.scatter = rounded(rows.scatter(chosen).sum());
  for (const Index row : chosen)
    out.repeated_runs += static_cast<double>(rows.run_count(row) - 1);
  return out;
}

}  // namespace perfmodel::process
