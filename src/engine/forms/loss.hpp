#pragma once

#include <span>

#include "base/eigen.hpp"
#include "perfmodel/fit_options.hpp"

namespace perfmodel {

/// s of the loss soft_l1, which is linear in errors of ln(time) beyond s and quadratic below.
inline constexpr double kSoftness = 0.1;

/// The error e of a loss: of the time, relative to the measured time, or of ln(time).
enum class ErrorOf { time, relative, logarithm };

/// The function of e that a loss averages. An optimum of |e| lies at kinks; the sum of e^2 over
/// equal rows is that of their mean plus a constant; other functions are twice differentiable.
enum class ErrorShape { absolute, squared, smooth };

/// The first two derivatives of the loss with respect to e.
struct Bend {
  ArrayXd slope;
  ArrayXd curvature;
};

/// A loss: the mean of a function of the errors over the rows, or the root of that mean.
struct LossFacts {
  Loss loss;
  ErrorOf of;
  ErrorShape shape;
  ArrayXd (*count)(const ArrayXd& errors);
  Bend (*bend)(const ArrayXd& errors);
  bool is_root = false;
  bool of_sums = false;  ///< internal: only for sums of product terms
  /// The loss that the search of Eq. (4) minimises instead: mae, mape, mse or rmsle.
  Loss searched_as = loss;
};

/// All losses, in the order of the help text.
std::span<const LossFacts> all_losses();
const LossFacts& facts_of(Loss loss);

/// A loss with the weights of the signs of its errors. Twice the pinball loss of a quantile tau,
/// |e| + (2 tau - 1) e, is least for predictions that a share tau of the rows stays below (Koenker
/// and Bassett 1978); for tau = 1/2 it is |e|.
struct SignedLoss {
  Loss loss;
  double tilt = 0;  ///< 2 tau - 1 of an absolute loss, 0 of any other

  SignedLoss(Loss symmetric) : loss(symmetric) {}  // implicit, since most losses are symmetric
  explicit SignedLoss(const FitOptions& options);
};

}  // namespace perfmodel
