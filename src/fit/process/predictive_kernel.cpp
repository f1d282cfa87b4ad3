#include "fit/process/predictive_kernel.hpp"

#include <span>
#include <utility>
#include <vector>

#include "base/tasks/parallel.hpp"
#include "fit/process/hyper_search.hpp"
#include "fit/process/kernel/neighbours.hpp"
#include "fit/process/left_out_posterior.hpp"
#include "fit/process/merged_rows.hpp"
#include "fit/process/observed.hpp"
#include "optimise/newton/quasi_newton.hpp"

namespace perfmodel::process {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using Rows = std::vector<Index>;

constexpr Index kMostPlaces = 1000;  ///< to find it, and as many others to judge it
constexpr std::size_t kNeighbours = 50;
/// Another kernel has other neighbours.
constexpr int kKernelRounds = 2;
constexpr std::size_t kStepsOfRound = 30;  ///< of each
/// Closer to the optimum, predictions hardly change.
constexpr double kKernelReduction = 1e-6;

/// Each of the rows among its neighbours, itself last.
std::vector<Rows> places_among_neighbours(const Kernel& kernel, const CodedInputs& coded,
                                          const Inputs& inputs, std::span<const Index> rows,
                                          std::size_t threads) {
  const Neighbours tree(kernel, coded);
  std::vector<Rows> out(rows.size());
  parallel_for(rows.size(), threads, [&](std::size_t i) {
    for (const Neighbour& near :
         tree.nearest(inputs.numbers.row(rows[i]), inputs.levels.row(rows[i]).cast<double>(),
                      kNeighbours + 1))
      if (near.row != rows[i] && out[i].size() < kNeighbours)
        out[i].push_back(near.row);
    out[i].push_back(rows[i]);
  });
  return out;
}

}  // namespace

PredictiveKernel predictive_kernel(const ResidualProcess& process, const ProcessOptions& options) {
  const CodedInputs inputs(process.inputs);
  const KnownRows known{
      .inputs = inputs, .residual = process.residual.unaryExpr(&on_grid), .runs = process.runs};
  const Rows drawn = sampled_rows(inputs.rows, 2 * kMostPlaces, options.seed);
  const std::span<const Index> sample = std::span(drawn).first((drawn.size() + 1) / 2);
  const std::span<const Index> others = std::span(drawn).subspan(sample.size());
  const HyperLayout layout(process.inputs.numbers.cols(), process.inputs.levels.cols(), 0);
  const auto posterior_of = [&](const Kernel& kernel, std::span<const Index> rows) {
    return LeftOutPosterior(
        known, places_among_neighbours(kernel, inputs, process.inputs, rows, options.threads),
        sparse_prior(layout, process.kernel.noise), options.threads);
  };
  const optimise::Bounds bounds = hyper_bounds(
      layout, known.residual.squaredNorm() / static_cast<double>(inputs.rows) + kLeastSpread);
  const auto position = [&](const Kernel& kernel) {
    return layout.position(kernel, {}).cwiseMax(bounds.lower).cwiseMin(bounds.upper).eval();
  };
  const auto error = [&](const Kernel& kernel) {
    LeftOutPosterior posterior = posterior_of(kernel, others);
    posterior.cost(position(kernel));
    return posterior.mean_relative_error();
  };
  optimise::QuasiNewtonOptions search;
  search.iterations = kStepsOfRound;
  search.reduction = kKernelReduction;
  search.stop = options.stop;

  PredictiveKernel out{.kernel = process.kernel};
  for (int round = 0; round < kKernelRounds && !options.stop.stop_requested(); ++round) {
    LeftOutPosterior posterior = posterior_of(out.kernel, sample);
    const optimise::QuasiNewtonResult found =
        quasi_newton({.cost = [&](const VectorXd& hyper) { return posterior.cost(hyper); },
                      .gradient = [&] { return posterior.slopes(); }},
                     bounds, position(out.kernel), search);
    out.kernel = layout.kernel(found.best);
    out.evaluations += found.evaluations;
  }
  out.is_better = error(out.kernel) < error(process.kernel);
  if (!out.is_better)
    out.kernel = process.kernel;
  return out;
}

}  // namespace perfmodel::process
