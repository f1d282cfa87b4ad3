#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "fit/fit.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/table.hpp"

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

/// Of at least two values.
Spread spread_of(const std::string& name, const std::vector<double>& values);

/// One spread per metric, named as in model.json; without those that have no value somewhere (R2
/// where all measured times are equal). Empty for no parts.
std::vector<Spread> metrics_spread(const std::vector<Metrics>& parts);

/// The mean of each metric over at least one part; `rows` is their sum.
Metrics mean_metrics(const std::vector<Metrics>& parts);

/// Fits with the seeds options.seed, options.seed + 1, ... in this order, `options.threads` of them
/// at a time and each on one thread. The number of threads changes no result.
///
/// `fit_done` is told after each fit how many are done, from one thread at a time. After a stop
/// request no further fit begins; there is always at least the first. Those that `hooks` leave
/// to others are not among them.
std::vector<FittedModel> fit_repeatedly(const ModelSpec& spec, const Design& training,
                                        const FitOptions& options, std::size_t repeats,
                                        const std::function<void(std::size_t)>& fit_done = nullptr,
                                        const TaskHooks<FittedModel>& hooks = {});

/// The fit with the lowest cost; of equal ones the first.
std::size_t best_of(const std::vector<FittedModel>& fits);

/// Spread over seeds of fits of the same rows. At least two fits.
RepeatSummary summarise(const std::vector<FittedModel>& fits);

/// A run and how unusual its distance from the model is.
struct Outlier {
  std::size_t row = 0;
  /// (r - median r) / (1.4826 median |r - median r|) of r = ln(measured / predicted): standard
  /// deviations, where most runs scatter normally (Iglewicz and Hoaglin 1993).
  double robust_z = 0;
};

/// |z| from which on a run is called an outlier, after the same authors.
constexpr double kOutlierZ = 3.5;

/// All rows, the farthest first. Predictions that are not > 0 are the farthest. Empty where most
/// residuals are equal, so that there is no scale to measure by.
std::vector<Outlier> ranked_outliers(const Eigen::VectorXd& measured,
                                     const Eigen::VectorXd& predicted);

}  // namespace perfmodel
