#pragma once

#include "fit/eq4/finish/polish.hpp"
#include "fit/eq4/spread/spread_rows.hpp"

namespace perfmodel {

/// polish() on rows that are spread over processes. `sample`: some of them, which say how near to
/// their kink rows are of which few are to be gathered. Absolute losses know no penalty here.
PolishResult polish_spread(const SpreadRows& rows, const Design& sample, const Regulariser& penalty,
                           const FitOptions& options, const Eigen::VectorXd& start);

/// J'WJ and J'WSSJ of all rows (see NormalEquationsOf) at these constants. The spread of residuals
/// is that of the sample.
struct SpreadCurvature {
  ArrowMatrix normal;
  ArrowMatrix scores;
};
SpreadCurvature curvature_of(const SpreadRows& rows, const Design& sample,
                             const Eigen::VectorXd& scaled);

}  // namespace perfmodel
