#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/eigen.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "gp/gaussian_process.hpp"
#include "optimise/newton.hpp"

namespace perfmodel::gp {
namespace {

using Rows = std::vector<Index>;

/// Sampled rows to find the kernel, and as many others to judge it.
constexpr Index kMostPlaces = 1000;
constexpr std::size_t kNeighbours = 50;
/// Neighbours are looked up again in each round, since they depend on the kernel.
constexpr int kKernelRounds = 2;
constexpr std::size_t kStepsOfRound = 30;  ///< iterations of the search
/// Relative reduction of the cost at which the search stops: predictions hardly change any more.
constexpr double kKernelReduction = 1e-6;

/// The neighbours of each of the rows, followed by the row itself.
std::vector<Rows> places_among_neighbours(const Kernel& kernel, const CodedInputs& coded,
                                          std::span<const Index> rows, std::size_t threads) {
  const Neighbours tree(kernel, coded);
  std::vector<Rows> out(rows.size());
  parallel_for(rows.size(), threads, [&](std::size_t i) {
    for (const Neighbour& near : tree.nearest(rows[i], kNeighbours + 1))
      if (near.row != rows[i] && out[i].size() < kNeighbours)
        out[i].push_back(near.row);
    out[i].push_back(rows[i]);
  });
  return out;
}

using Rows = std::vector<Index>;

constexpr Index kRowsAtOnce = 256;

}  // namespace

PredictiveKernel predictive_kernel(const GaussianProcess& gp, const GpOptions& options) {
  const CodedInputs inputs(gp.inputs);
  const KnownRows known{
      .inputs = inputs, .residual = gp.residual.unaryExpr(&on_grid), .runs = gp.runs};
  const Rows drawn = sampled_rows(inputs.rows, 2 * kMostPlaces, options.seed);
  const std::span<const Index> sample = std::span(drawn).first((drawn.size() + 1) / 2);
  const std::span<const Index> others = std::span(drawn).subspan(sample.size());
  const HyperLayout layout(inputs);
  const auto posterior_of = [&](const Kernel& kernel, std::span<const Index> rows) {
    return LeftOutPosterior(known, places_among_neighbours(kernel, inputs, rows, options.threads),
                            sparse_prior(layout, gp.kernel.noise), options.threads);
  };
  const optimise::Bounds bounds = hyper_bounds(
      layout, known.residual.squaredNorm() / static_cast<double>(inputs.rows) + kLeastSpread);
  const auto position = [&](const Kernel& kernel) {
    return layout.position(kernel).cwiseMax(bounds.lower).cwiseMin(bounds.upper).eval();
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

  PredictiveKernel out{.kernel = gp.kernel};
  for (int round = 0; round < kKernelRounds && !options.stop.stop_requested(); ++round) {
    LeftOutPosterior posterior = posterior_of(out.kernel, sample);
    const optimise::QuasiNewtonResult found =
        quasi_newton({.cost = [&](const VectorXd& hyper) { return posterior.cost(hyper); },
                      .gradient = [&] { return posterior.slopes(); }},
                     bounds, position(out.kernel), search);
    out.kernel = layout.kernel(found.best);
    out.evaluations += found.evaluations;
  }
  out.is_better = error(out.kernel) < error(gp.kernel);
  if (!out.is_better)
    out.kernel = gp.kernel;
  return out;
}

/// A block of rows to predict, as coordinates.
struct Predictor::Asked {
  Inputs places;
  Rows rows;  ///< indices among all rows to predict
};

Predictor::Predictor(const GaussianProcess& gp, Index rows) : gp_(gp), known_(gp.inputs) {
  if (gp.neighbours > 0) {
    const auto near = static_cast<double>(gp.neighbours);
    tree_.emplace(gp.kernel, known_);
    pairs_.emplace(gp.kernel, known_, static_cast<double>(rows) * near * near / 2);
  } else if (known_.rows > kMostExact) {
    local_.emplace(gp.kernel, known_, noise_of(consecutive(0, known_.rows)));
  }
}

VectorXd Predictor::noise_of(std::span<const Index> rows) const {
  VectorXd out(index(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    out[index(i)] = gp_.kernel.noise / gp_.runs[rows[i]];
  return out;
}

/// The covariance of measured runs, from their correlations.
MatrixXd Predictor::noisy(MatrixXd correlations, std::span<const Index> rows) const {
  correlations *= gp_.kernel.variance;
  correlations.diagonal() += noise_of(rows);
  return correlations;
}

void Predictor::from_all(const Asked& asked, const PositiveMatrix* covariance,
                         Prediction& out) const {
  const Kernel& kernel = gp_.kernel;
  const MatrixXd shared = kernel.variance * correlations(kernel, known_, CodedInputs(asked.places));
  // Row by row, since products of matrices round differently for other numbers of rows.
  for (Index i = 0; i < shared.cols(); ++i)
    out.mean[asked.rows[static_cast<std::size_t>(i)]] = shared.col(i).dot(gp_.weights);
  if (out.deviation.size() == 0)
    return;
  if (local_) {
    for (Index i = 0; i < shared.cols(); ++i)
      out.deviation[asked.rows[to_size(i)]] = std::sqrt(local_->given_near(shared.col(i)));
    return;
  }
  if (covariance == nullptr)
    return;
  MatrixXd padded = MatrixXd::Zero(known_.rows, (shared.cols() + 7) / 8 * 8);
  padded.leftCols(shared.cols()) = shared;  // whole blocks of 8 columns, for the same reason
  const MatrixXd whitened = covariance->whitened(std::move(padded)).leftCols(shared.cols());
  out.deviation(asked.rows) =
      (kernel.variance - whitened.colwise().squaredNorm().array()).max(0).sqrt();
}

/// Known rows near another one.
struct Predictor::Place {
  Rows rows;
  VectorXd correlations;  ///< with the other row
  PositiveMatrix covariance;
};

/// The `count` known rows nearest to a row of `inputs`; none if their covariance is singular.
std::optional<Predictor::Place> Predictor::place_of(const Inputs& inputs, Index row,
                                                    Index count) const {
  const std::vector<Neighbour> near = tree_->nearest(
      inputs.numbers.row(row), inputs.levels.row(row).cast<double>(), to_size(count));
  Rows rows = mapped(near, &Neighbour::row);
  VectorXd correlations(index(near.size()));
  for (Index i = 0; i < correlations.size(); ++i)
    correlations[i] = near[to_size(i)].correlation;
  auto covariance = PositiveMatrix::factorised(noisy(pairs_->among(rows), rows));
  if (!covariance)
    return std::nullopt;
  return Place{std::move(rows), std::move(correlations), *std::move(covariance)};
}

void Predictor::from_neighbours(const Asked& asked, Index row, bool deviation,
                                Prediction& out) const {
  const double variance = gp_.kernel.variance;
  const auto near = place_of(asked.places, row, gp_.neighbours);
  if (!near)
    return;
  const VectorXd shared = variance * near->correlations;
  const Index place = asked.rows[static_cast<std::size_t>(row)];
  const VectorXd weights = near->covariance.solve(shared);
  out.mean[place] = weights.dot(gp_.residual(near->rows));
  if (deviation)
    out.deviation[place] = std::sqrt(std::max(0.0, variance - shared.dot(weights)));
}

/// That of all known rows; none if it is singular.
std::optional<PositiveMatrix> Predictor::whole_covariance() const {
  return PositiveMatrix::factorised(
      noisy(correlations_among(gp_.kernel, known_), consecutive(0, known_.rows)));
}

Prediction Predictor::predicted(const Inputs& inputs, bool deviations, std::size_t threads) const {
  Prediction out{.mean = VectorXd::Zero(inputs.rows()),
                 .deviation = VectorXd::Zero(deviations ? inputs.rows() : 0)};
  std::optional<PositiveMatrix> covariance;
  if (deviations && !tree_ && !local_)
    covariance = whole_covariance();
  const auto blocks = static_cast<std::size_t>((inputs.rows() + kRowsAtOnce - 1) / kRowsAtOnce);
  parallel_for(blocks, threads, [&](std::size_t block) {
    const Index begin = index(block) * kRowsAtOnce;
    Asked asked;
    asked.rows = consecutive(begin, std::min(begin + kRowsAtOnce, inputs.rows()));
    asked.places = placed(take_rows(inputs, asked.rows), gp_.coordinates);
    if (!tree_) {
      from_all(asked, covariance ? &*covariance : nullptr, out);
      return;
    }
    for (Index row = 0; row < asked.places.rows(); ++row)
      from_neighbours(asked, row, deviations, out);
  });
  return out;
}

namespace {

using Rows = std::vector<Index>;

constexpr Index kJudgedRows = 200;
constexpr Index kRowsOfTask = 64;

Rows evenly_chosen(Index rows) {
  Rows out;
  const Index count = std::min(rows, kJudgedRows);
  for (Index i = 0; i < count; ++i)
    out.push_back(i * rows / count);
  return out;
}

/// The 95th percentile.
double exceeded_by_few(VectorXd values) {
  std::sort(values.begin(), values.end());
  return values[(19 * values.size() + 19) / 20 - 1];
}

/// The unit vector of a known row among the rows nearest to it.
VectorXd unit_of(Index row, const Rows& near) {
  const auto own = std::find(near.begin(), near.end(), row);
  return VectorXd::Unit(index(near.size()), own == near.end() ? 0 : own - near.begin());
}

}  // namespace

double Predictor::left_out_variance(Index row) const {
  if (local_)
    return local_->left_out(row);
  const auto near = place_of(gp_.inputs, row, gp_.neighbours + 1);
  if (!near)
    return gp_.kernel.variance;
  return 1 / near->covariance.whitened(unit_of(row, near->rows)).squaredNorm() -
         noise_of(std::vector{row})[0];
}

double Predictor::near_variance() const {
  const Rows some = evenly_chosen(known_.rows);
  if (!tree_ && !local_) {
    const auto covariance = whole_covariance();
    if (!covariance)
      return gp_.kernel.variance;
    // Leave-one-out variances are 1 / (K^-1)_ii (Rasmussen and Williams 2006, eq. 5.12).
    return exceeded_by_few(covariance->inverse_diagonal()(some).cwiseInverse() - noise_of(some));
  }
  VectorXd variances(index(some.size()));
  for (std::size_t i = 0; i < some.size(); ++i)
    variances[index(i)] = left_out_variance(some[i]);
  return exceeded_by_few(std::move(variances));
}

RowErrors Predictor::errors_of_known(std::size_t threads) const {
  RowErrors out{.mean = VectorXd::Zero(known_.rows), .variance = VectorXd::Zero(known_.rows)};
  for_each_stripe(known_.rows, kRowsOfTask, threads, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const auto near = place_of(gp_.inputs, row, gp_.neighbours + 1);
      if (!near)
        continue;
      const VectorXd unit = unit_of(row, near->rows);
      const VectorXd of_own = near->covariance.solve(unit);  // a row of the inverse
      const double noise = noise_of(std::vector{row})[0];
      out.mean[row] = noise * of_own.dot(gp_.residual(near->rows));
      out.variance[row] = std::max(0.0, noise - noise * noise * of_own.dot(unit));
    }
  });
  return out;
}

}  // namespace perfmodel::gp
