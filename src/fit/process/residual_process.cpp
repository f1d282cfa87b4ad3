#include "fit/process/residual_process.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <utility>

#include "base/index.hpp"
#include "base/tasks/parallel.hpp"
#include "fit/process/generalised_least_squares.hpp"
#include "fit/process/hyper_search.hpp"
#include "fit/process/merged_rows.hpp"
#include "fit/process/prediction.hpp"

namespace perfmodel::process {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Rows = std::vector<Index>;

constexpr std::size_t kFirstIterations = 40;  ///< of each start
constexpr double kMoreNoise = 10;             ///< where the covariance is numerically singular
constexpr double kLeastNoise = 1e-14;
constexpr double kLeastSpread = 1e-9;  ///< where nothing is left of y

VectorXd rounded(const VectorXd& values) {
  return values.unaryExpr([](double x) { return std::nearbyint(x * 0x1p30) * 0x1p-30; });
}

/// Among the rows that were given.
Rows positions(const Rows& first, std::span<const Index> rows) {
  Rows out;
  for (const Index row : rows)
    out.push_back(first[static_cast<std::size_t>(row)]);
  return out;
}

Rows first_of(const Rows& rows, Index most) {
  const auto count = std::min(rows.size(), static_cast<std::size_t>(most));
  return {rows.begin(), rows.begin() + index(count)};
}

/// The chosen rows, for the search: rounded, so that other units of the time give the same to the
/// last bit.
Observations observed(const Inputs& coordinates, const MergedRows& rows, const Trend& trend,
                      const Rows& chosen) {
  const TrendValues values = trend.at(trend.start, positions(rows.first, chosen));
  Observations out{.inputs = CodedInputs(take_rows(coordinates, positions(rows.first, chosen))),
                   .trend = {.slopes = values.slopes * trend.scales.asDiagonal(),
                             .groups = trend.groups,
                             .group_count = trend.group_count},
                   .y = rows.y(chosen) - values.values,
                   .runs = rows.runs(chosen)};
  out.trend.slopes.rowwise() -= out.trend.slopes.colwise().mean().eval();
  out.y = rounded(out.y.array() - out.y.mean());
  out.spread = out.y.squaredNorm() / static_cast<double>(chosen.size()) + kLeastSpread;
  out.scatter = rows.scatter(chosen).sum();
  return out;
}

/// The covariance of runs. Hyper-parameters of a sample may leave other rows numerically dependent:
/// the noise then grows until they are not.
PositiveMatrix factorised(Kernel& kernel, const CodedInputs& rows, const VectorXd& runs) {
  const MatrixXd process = kernel.variance * correlations(kernel, rows, rows);
  for (;; kernel.noise = kMoreNoise * kernel.noise + kLeastNoise * kernel.variance) {
    MatrixXd covariance = process;
    covariance.diagonal().array() += kernel.noise / runs.array();
    if (auto factors = PositiveMatrix::factorised(std::move(covariance)))
      return *std::move(factors);
    if (!(kernel.noise < kernel.variance))
      throw std::logic_error("the covariance of the residual process is not positive definite");
  }
}

/// From few rows to many: the best of three starts on the fewest, from there on on twice as many,
/// and so on.
HyperResult best_hyper(const std::function<Observations(Index rows)>& sample, Index most,
                       const ProcessOptions& options) {
  Index rows = std::min(options.start_rows, most);
  HyperResult best;
  if (options.start) {
    best.hyper = *options.start;
    rows = std::max<Index>(most / 2, 1);
  } else {
    const Observations few = sample(rows);
    std::array<HyperResult, 3> results;
    parallel_for(results.size(), options.threads, [&](std::size_t i) {
      results[i] = climb(few, i == 2 ? lively_start(few) : hyper_start(few, i == 0 ? 0.5 : 0.05),
                         rows < most ? kFirstIterations : options.iterations, options.stop);
    });
    std::size_t evaluations = 0;
    best = results[0];
    for (const HyperResult& result : results) {
      evaluations += result.evaluations;
      if (result.cost < best.cost)
        best = result;
    }
    best.evaluations = evaluations;
  }
  while (rows < most) {
    rows = 2 * rows < most ? 2 * rows : most;
    const std::size_t before = best.evaluations;
    best = climb(sample(rows), best.hyper, rows < most ? kFirstIterations : options.iterations,
                 options.stop);
    best.evaluations += before;
  }
  return best;
}

}  // namespace

std::vector<Coordinate> process_coordinates(const Inputs& inputs,
                                            const std::vector<CoordinateForm>& forms) {
  std::vector<Coordinate> out;
  for (Index j = 0; j < inputs.numbers.cols(); ++j) {
    VectorXd values = inputs.numbers.col(j);
    std::sort(values.begin(), values.end());  // the sums must not depend on the order of the rows
    out.push_back(standardised(
        forms.empty() ? usual_form(values) : forms[static_cast<std::size_t>(j)], values));
  }
  return out;
}

HyperParameters search_hyper_parameters(const Inputs& inputs, const VectorXd& y, const Trend& trend,
                                        const ProcessOptions& options) {
  HyperParameters out;
  out.coordinates = process_coordinates(inputs, options.forms);
  const Inputs coordinates = placed(inputs, out.coordinates);
  const MergedRows rows = MergedRows::of(coordinates, y);
  const Rows order = sampled_rows(rows.rows(), options.hyper_rows, options.seed);
  const auto sample = [&](Index most) {
    return observed(coordinates, rows, trend, first_of(order, most));
  };
  const HyperResult best = best_hyper(sample, index(order.size()), options);
  const Observations all = sample(index(order.size()));
  const HyperLayout layout(all);
  out.kernel = layout.kernel(best.hyper);
  out.group_deviations = (best.hyper.tail(layout.groups) / 2).array().exp();
  out.level_deviation = std::sqrt(kLevelVariance * all.spread);
  out.position = best.hyper;
  out.cost = best.cost;
  out.evaluations = best.evaluations;
  return out;
}

std::vector<ProcessFit> fit_processes(const Inputs& inputs, const VectorXd& y, const Trend& trend,
                                      HyperParameters hyper,
                                      const std::vector<VectorXd>& group_deviations,
                                      const ProcessOptions& options) {
  const Inputs coordinates = placed(inputs, hyper.coordinates);
  MergedRows rows = MergedRows::of(coordinates, y);
  const double mean = rows.y.mean();
  rows.y.array() -= mean;
  Rows exact = sampled_rows(rows.rows(), options.exact_rows, options.seed);
  std::sort(exact.begin(), exact.end());
  const Rows exact_positions = positions(rows.first, exact);

  const CodedInputs coded(take_rows(coordinates, exact_positions));
  const PositiveMatrix factors = factorised(hyper.kernel, coded, rows.runs(exact));
  const auto fitted = [&](const VectorXd& of_groups) {
    hyper.group_deviations = of_groups;
    VectorXd deviations = trend.scales;
    for (Index k = 0; k < deviations.size(); ++k)
      deviations[k] *= hyper.group_deviations[trend.groups[static_cast<std::size_t>(k)]];
    TrendEstimate estimate =
        generalised_least_squares(trend, exact_positions, rows.y(exact), factors, deviations,
                                  hyper.level_deviation, options.trend_steps);

    ProcessFit out{.hyper = {},
                   .process = {},
                   .constants = estimate.constants,
                   .level = mean + estimate.level,
                   .trend = {},
                   .whitening = {.rows = exact_positions, .factors = factors}};
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
      out.process.residual = rows.y - trend.at(out.constants, rows.first).values;
      out.process.residual.array() -= estimate.level;
      out.process.neighbours = options.neighbours;
    }
    out.trend = {.slopes =
                     [at = trend.at, constants = out.constants,
                      first = rows.first](std::span<const Index> asked) {
                       return at(constants, positions(first, asked)).slopes;
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

ProcessFit fit_process(const Inputs& inputs, const VectorXd& y, const Trend& trend,
                       const HyperParameters& hyper, const ProcessOptions& options) {
  return std::move(
      fit_processes(inputs, y, trend, hyper, {hyper.group_deviations}, options).front());
}

}  // namespace perfmodel::process
