#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "fit/process/likelihood.hpp"
#include "fit/process/merged_rows.hpp"
#include "fit/process/trend.hpp"

namespace perfmodel::process {

/// Those of `all` at the chosen places.
std::vector<Eigen::Index> at_places(const std::vector<Eigen::Index>& all,
                                    std::span<const Eigen::Index> chosen);

/// Of y, where nothing is left of it.
constexpr double kLeastSpread = 1e-9;

/// Rounded, so that other units of the time give the same to the last bit.
double on_grid(double value);

/// The chosen rows, for the search: rounded, so that other units of the time give the same to the
/// last bit. The trend refers to the runs that were merged.
Observations observed(const Inputs& coordinates, const MergedRows& rows, const Trend& trend,
                      const std::vector<Eigen::Index>& chosen);

}  // namespace perfmodel::process
