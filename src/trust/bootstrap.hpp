#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>

#include "base/tasks/tasks.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

/// Constants that other runs of the same kind would have given.
struct BootstrapSamples {
  Resampling resampling = Resampling::rows;
  Eigen::MatrixXd constants;  ///< raw, one column per sample, in the order of the model's
};

/// Fits `samples` resampled sets of the training rows (Efron 1979), each from the fitted optimum:
/// Eq. (4) by its exact finish, a sum of product terms by one descent that keeps its terms (which
/// therefore stay the same ones, in their order). `options` are those of the fit. Rows are drawn
/// with replacement; where there are fewer than three per constant, residuals of ln(time) are drawn
/// instead and put on the fitted times, which keeps every configuration in every sample.
///
/// The same seed gives the same samples for any number of threads. After a stop request no further
/// sample begins: fewer columns come back, perhaps none. `sample_done` is told how many are done,
/// from one thread at a time. The model was fitted to these rows, by this program run. Samples that
/// `hooks` leave to others have no column.
BootstrapSamples bootstrap(const FittedModel& model, const Design& training,
                           const FitOptions& options, std::size_t samples,
                           const std::function<void(std::size_t)>& sample_done = nullptr,
                           const TaskHooks<Eigen::VectorXd>& hooks = {});

/// Percentile intervals of the constants, of the differences of levels of Eq. (4) and of the local
/// scaling powers of a sum, widened about the fitted value by sqrt(n / (n - k)) of n rows and k
/// constants in use: resampled rows repeat each other and so scatter too little. The coefficients
/// and factors of a sum are widened as logarithms. At least two samples.
Uncertainty percentile_intervals(const FittedModel& model, const Design& training,
                                 const BootstrapSamples& samples, double confidence);

}  // namespace perfmodel
