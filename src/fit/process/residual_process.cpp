#include "fit/process/residual_process.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/index.hpp"
#include "fit/process/generalised_least_squares.hpp"
#include "fit/process/observed.hpp"
#include "fit/process/prediction.hpp"
#include "fit/process/student_noise.hpp"

namespace perfmodel::process {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Rows = std::vector<Index>;

constexpr double kMoreNoise = 10;  ///< where the covariance is numerically singular
constexpr double kLeastNoise = 1e-14;

Rows every_row(const MergedRows& rows) {
  Rows out(static_cast<std::size_t>(rows.rows()));
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

/// The covariance of runs. Hyper-parameters of a sample may leave other rows numerically dependent:
/// the noise then grows until they are not.
PositiveMatrix factorised(Kernel& kernel, const CodedInputs& rows, const VectorXd& runs,
                          std::size_t threads) {
  const MatrixXd process = kernel.variance * correlations_among(kernel, rows, threads);
  for (;; kernel.noise = kMoreNoise * kernel.noise + kLeastNoise * kernel.variance) {
    MatrixXd covariance = process;
    covariance.diagonal().array() += kernel.noise / runs.array();
    if (auto factors = PositiveMatrix::factorised(std::move(covariance), threads))
      return *std::move(factors);
    if (!(kernel.noise < kernel.variance))
      throw std::logic_error("the covariance of the residual process is not positive definite");
  }
}

}  // namespace

std::vector<ProcessFit> fit_processes(const Inputs& inputs, const VectorXd& y, const Trend& trend,
                                      HyperParameters hyper,
                                      const std::vector<VectorXd>& group_deviations,
                                      const ProcessOptions& options) {
  const Inputs coordinates = placed(inputs, hyper.coordinates);
  MergedRows rows = MergedRows::of(coordinates, y, options.run_weights);
  Rows exact = sampled_rows(rows.rows(), options.exact_rows, options.seed);
  std::sort(exact.begin(), exact.end());
  const bool weigh = hyper.heavy_tails && options.run_weights.size() == 0;
  if (weigh)
    weigh_rows(coordinates, trend, exact, hyper.kernel, hyper.group_deviations, options.threads,
               rows);
  // What the level's prior is about: the same in any unit of the time.
  const double mean = (rows.y - trend.at(trend.start, rows.first).values).mean();
  const Rows exact_positions = at_places(rows.first, exact);

  const CodedInputs coded(take_rows(coordinates, exact_positions));
  const PositiveMatrix factors = factorised(hyper.kernel, coded, rows.runs(exact), options.threads);
  const auto fitted = [&](const VectorXd& of_groups) {
    hyper.group_deviations = of_groups;
    VectorXd deviations = trend.scales;
    for (Index k = 0; k < deviations.size(); ++k)
      deviations[k] *= hyper.group_deviations[trend.groups[static_cast<std::size_t>(k)]];
    TrendEstimate estimate =
        generalised_least_squares(trend, exact_positions, rows.y(exact).array() - mean, factors,
                                  deviations, hyper.level_deviation, options.trend_steps);

    ProcessFit out{.hyper = {},
                   .process = {},
                   .constants = estimate.constants,
                   .level = mean + estimate.level,
                   .trend = {},
                   .whitening = {.rows = exact_positions, .factors = factors},
                   .run_weights = rows.run_weights()};
    out.process = {.coordinates = hyper.coordinates,
                   .kernel = hyper.kernel,
                   .inputs = take_rows(coordinates, rows.first),
                   .runs = rows.runs,
                   .residual = {},
                   .weights = {}};
    if (index(exact.size()) == rows.rows()) {
      out.process.near_variance = near_variance(factors, hyper.kernel.noise / rows.runs.array());
      out.process.weights = factors.solve(estimate.residual);
      out.process.residual = std::move(estimate.residual);
    } else {
      out.process.neighbours = options.neighbours;
      const VectorXd known = trend.at(out.constants, rows.first).values.array() + out.level;
      out.process.residual = rows.y - known;
      if (weigh) {
        MergedRows all = rows;
        weigh_runs(all, every_row(all), Predictor(out.process).errors_of_known(options.threads),
                   hyper.kernel.noise);
        out.run_weights = all.run_weights();
        out.process.runs = all.runs;
        out.process.residual = all.y - known;
      }
    }
    out.trend = {.slopes =
                     [at = trend.at, constants = out.constants,
                      first = rows.first](std::span<const Index> asked) {
                       return at(constants, at_places(first, asked)).slopes;
                     },
                 .covariance = std::move(estimate.covariance)};
    out.hyper = hyper;
    return out;
  };
  std::vector<ProcessFit> out;
  for (const VectorXd& of_groups : group_deviations)
    out.push_back(fitted(of_groups));
  return out;
}

VectorXd left_out_errors(const ProcessFit& fit) {
  if (fit.process.weights.size() == 0)
    return {};
  return fit.process.weights.cwiseQuotient(fit.whitening.factors.inverse_diagonal());
}

ProcessFit fit_process(const Inputs& inputs, const VectorXd& y, const Trend& trend,
                       const HyperParameters& hyper, const ProcessOptions& options) {
  return std::move(
      fit_processes(inputs, y, trend, hyper, {hyper.group_deviations}, options).front());
}

}  // namespace perfmodel::process
