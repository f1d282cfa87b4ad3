#pragma once

#include <Eigen/Core>

#include "perfmodel/fit/task/fit_options.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// The expected loss of one row, to second order in its prediction, is weights / 2 * change^2, up
/// to a factor; scores are its derivative's standard deviation over the same factor and the root of
/// the weight.
struct Curvature {
  Eigen::VectorXd weights;
  Eigen::VectorXd scores;
};

/// Noise is taken to be relative, as that of times is: r / y has one distribution. An absolute
/// loss then curves by its density at 0 over y (Koenker 2005, section 3.2), and the density is that
/// of the central half of the residuals: 1 / (4 median |r / y|).
Curvature curvature_of(Loss loss, const Eigen::VectorXd& measured,
                       const Eigen::VectorXd& predicted);

/// The same of rows that may stand for several runs: weights of all of them together, scores of
/// each.
Curvature curvature_of(Loss loss, const Design& runs, const Eigen::VectorXd& predicted);

}  // namespace perfmodel
