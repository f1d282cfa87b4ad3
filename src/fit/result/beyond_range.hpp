#pragma once

#include "fit/result/form.hpp"

namespace perfmodel {

/// What a formula says of rows whose numbers are outside of their measured ranges.
struct BeyondRange {
  /// Whether it depends on one of those numbers, as a power does that goes on and a step that does
  /// not.
  Eigen::Array<bool, Eigen::Dynamic, 1> depends;
  /// Of the laws that saturate, 1 - 1/n does so the quickest: each doubling adds half of what the
  /// one before added. Where the formula stops more suddenly at the edge of its range, after a step
  /// for one, this is what ln t lacks of that: > 0 where it grew up to there.
  Eigen::ArrayXd lacking;
};

/// `form`: without a residual process.
BeyondRange beyond_range(const Form& form, const ModelSpec& spec, const Eigen::VectorXd& constants,
                         const Design& design);

}  // namespace perfmodel
