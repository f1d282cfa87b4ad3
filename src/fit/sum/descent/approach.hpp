#pragma once

#include "fit/sum/descent/sum_fit.hpp"
#include "perfmodel/fit/task/fit_options.hpp"

namespace perfmodel {

/// Where a descent of absolute errors may end: their kinks make many optima.
enum class Reach {
  far,     ///< kinks are rounded off at first, which leads past the smaller ones
  nearby,  ///< next to the start
};

/// Takes constants that a search found down to near an optimum of the user's loss, with its squared
/// penalty and a ridge, the kinks of absolute errors rounded off to a small share of the mean
/// error.
SumFit approach(const TermData& data, const SumShape& shape, const FitOptions& options,
                double ridge_strength, const SumFit& start, Reach reach = Reach::far);

/// The same with a squared penalty of its own for the distance of each coordinate from the start.
SumFit approach_near(const TermData& data, const SumShape& shape, const FitOptions& options,
                     Eigen::VectorXd penalties, const Eigen::VectorXd& start);

}  // namespace perfmodel
