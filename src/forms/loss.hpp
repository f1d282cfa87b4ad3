#pragma once

#include <Eigen/Core>
#include <span>

#include "perfmodel/model.hpp"

namespace perfmodel {

/// s of the loss soft_l1: errors of ln(time) beyond it count by their size, not its square.
inline constexpr double kSoftness = 0.1;

/// What a loss calls the error: that of the time, that over the measured time, or that of ln(time).
enum class ErrorOf { time, relative, logarithm };

/// What it counts of errors e: |e| has kinks, by which an optimum is found; e^2 of equal rows is
/// that of their mean and a constant; anything else has two derivatives.
enum class ErrorShape { absolute, squared, smooth };

/// The first two derivatives of what is counted.
struct Bend {
  Eigen::ArrayXd slope;
  Eigen::ArrayXd curvature;
};

/// A loss: the mean over the rows of what it counts of their errors, or the root of that.
struct LossFacts {
  Loss loss;
  ErrorOf of;
  ErrorShape shape;
  Eigen::ArrayXd (*count)(const Eigen::ArrayXd& errors);
  Bend (*bend)(const Eigen::ArrayXd& errors);
  bool is_root = false;
  bool of_sums = false;  ///< only sums of product terms can be fitted by it; nobody can ask for it
  /// What the kernel of the search takes in its place for Eq. (4): mae, mape, mse or rmsle.
  Loss searched_as = loss;
};

/// In the order of their listing in help.
std::span<const LossFacts> all_losses();
const LossFacts& facts_of(Loss loss);

}  // namespace perfmodel
