#pragma once

#include <Eigen/Core>

#include "base/random.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

/// sqrt(n / (n - k)) of n training rows and k constants that the fit used up rows for; where rows
/// are that few, as much as for twice as many rows as constants.
double widening(const FittedModel& model, const Design& training);

/// Draws sets of runs like those that a model was fitted to.
class Resampler {
 public:
  Resampler(const FittedModel& model, const Design& training, Resampling resampling);

  Design draw(RandomStream& random) const;

 private:
  const Design& training_;
  Resampling resampling_;
  Eigen::VectorXd predicted_;
  Eigen::VectorXd log_residuals_;  ///< of the size that those of new runs have

  Design resampled_rows(RandomStream& random) const;
  Design resampled_residuals(RandomStream& random) const;
};

}  // namespace perfmodel
