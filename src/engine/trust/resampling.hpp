#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/eigen.hpp"
#include "base/parallel.hpp"
#include "fit/fit.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

/// The results of `count` fits of which `options.threads` run at a time; their number does not
/// change the result. `make` gets the number of a fit, and options with which it is silent and
/// takes one thread. After a stop request no further fit begins, and those that it cut short are
/// missing, since they may not have reached their optimum. `fit_done` is called with the number of
/// fits done, by one thread at a time.
template <class Result>
std::vector<std::optional<Result>> fits_until_stopped(
    std::size_t count, const FitOptions& options,
    const std::function<Result(std::size_t fit, const FitOptions& own)>& make,
    const std::function<void(std::size_t)>& fit_done) {
  FitOptions own = options;
  own.threads = 1;
  own.be_silent();
  return run_tasks<Result>(
      count, options.threads,
      [&](std::size_t k) -> std::optional<Result> {
        if (options.stop.stop_requested())
          return std::nullopt;
        std::optional<Result> result = make(k, own);
        return options.stop.stop_requested() ? std::nullopt : std::move(result);
      },
      fit_done);
}

/// Constants of refits to resampled data.
struct BootstrapSamples {
  Resampling resampling = Resampling::rows;
  MatrixXd constants;  ///< unscaled, or NaN; constants of the model x samples
};

/// Refits the form to `samples` resampled data sets (Efron 1979), each from the fitted optimum: Eq.
/// (4) by local refinement, a sum of product terms by one descent that keeps the terms and their
/// order. `options` are those of the fit. Rows are drawn with replacement; if there are fewer than
/// three per constant, residuals of ln(time) are drawn instead and added to the fitted values,
/// which keeps every configuration in every sample.
///
/// The model must have been fitted to these rows by this run of the program. The same seed gives
/// the same samples for any number of threads. After a stop request no further sample begins, and
/// the result has fewer columns, perhaps none. `sample_done` is called with the number done, by one
/// thread at a time.
BootstrapSamples bootstrap(const FittedModel& model, const Design& training,
                           const FitOptions& options, std::size_t samples,
                           const std::function<void(std::size_t)>& sample_done = nullptr);

/// Percentile intervals of the constants, of differences between levels of Eq. (4) and of the local
/// scaling powers of a sum. They are widened about the fitted value by sqrt(n / (n - k)) for n rows
/// and k constants in use, since resampled rows repeat each other and scatter too little;
/// coefficients and factors of a sum are widened as logarithms. Needs at least two samples.
Uncertainty percentile_intervals(const FittedModel& model, const Design& training,
                                 const BootstrapSamples& samples, double confidence);

/// The spread of each metric, named as in model.json, except metrics that are undefined in a part
/// (R2 if all measured times are equal). Empty if there are no parts.
std::vector<Spread> metrics_spread(const std::vector<Metrics>& parts);

/// The mean of each metric over at least one part; `rows` is their sum.
Metrics mean_metrics(const std::vector<Metrics>& parts);

/// Fits with the seeds options.seed, options.seed + 1, ..., `options.threads` at a time and each on
/// one thread; the number of threads does not change the result.
///
/// `fit_done` is called with the number of fits done, by one thread at a time. After a stop request
/// no further fit begins, but there is always at least the first.
std::vector<FittedModel> fit_repeatedly(const ModelSpec& spec, const Design& training,
                                        const FitOptions& options, std::size_t repeats,
                                        const std::function<void(std::size_t)>& fit_done = nullptr);

/// Index of the fit with the lowest cost, the first one in case of a tie.
std::size_t best_of(const std::vector<FittedModel>& fits);

/// Spread over seeds of at least two fits of the same rows.
RepeatSummary summarise(const std::vector<FittedModel>& fits);

/// A run and its standardised residual.
struct Outlier {
  std::size_t row = 0;
  /// (r - median r) / (1.4826 median |r - median r|) of r = ln(measured / predicted): standard
  /// deviations if most runs scatter normally (Iglewicz and Hoaglin 1993).
  double robust_z = 0;
};

/// Absolute z beyond which a run counts as an outlier (Iglewicz and Hoaglin 1993).
constexpr double kOutlierZ = 3.5;

/// All rows by falling |z|; predictions that are not > 0 come first. Empty if most residuals are
/// equal, which leaves no scale to measure by.
std::vector<Outlier> ranked_outliers(const VectorXd& measured, const VectorXd& predicted);

}  // namespace perfmodel
