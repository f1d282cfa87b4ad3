#pragma once

#include "fit/multi/sum_fit.hpp"
#include "perfmodel/fit/fit_options.hpp"

namespace perfmodel {

/// Where a descent of absolute errors may end: their kinks make many optima.
enum class Reach {
  far,     ///< kinks are rounded off at first, which leads past the smaller ones
  nearby,  ///< next to the start
};

/// Takes constants that a robust fit of ln(time) found down to an optimum of the user's loss. With
/// an L1 penalty whole inputs of a term (a power, or the factors of a column) go to exactly 0.
SumFit refine(const TermCoordinates& coordinates, const TermData& data, const SumShape& shape,
              const FitOptions& options, double ridge_strength, const SumFit& start,
              Reach reach = Reach::far);

}  // namespace perfmodel
