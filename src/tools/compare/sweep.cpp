#include "compare/sweep.hpp"

#include <fmt/format.h>
#include <Eigen/Cholesky>
#include <cmath>

#include "base/random.hpp"
#include "base/text.hpp"
#include "fit/fit.hpp"
#include "forms/form.hpp"
#include "search/losses.hpp"
#include "trust/resampling.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kMostDrawn = 2000;
constexpr Index kMostKnownToDraw = 2000;

/// A draw from the GP's posterior given the training runs, minus its mean: a root of the covariance
/// times standard normal numbers.
VectorXd drawn_difference(const FittedModel& model, const Design& design, std::uint64_t seed) {
  const auto belief = model.form->gp_belief(model.spec);
  if (!belief)
    throw UsageError("--draw needs a model with a residual correction");
  if (design.rows > kMostDrawn || belief->runs.size() > kMostKnownToDraw)
    throw UsageError(
        fmt::format("--draw looks at all pairs of configurations: at most {} can be drawn, by a "
                    "model that knows at most {}",
                    kMostDrawn, kMostKnownToDraw));
  MatrixXd known = belief->covariance(belief->known, belief->known);
  known.diagonal() += belief->noise * belief->runs.cwiseInverse();
  const MatrixXd learned = known.llt().matrixL().solve(belief->covariance(belief->known, design));
  MatrixXd covariance = belief->covariance(design, design);
  covariance.noalias() -= learned.transpose() * learned;
  // The covariance is singular if a configuration is repeated or known exactly.
  const Eigen::LDLT<MatrixXd> factors(covariance);
  RandomStream random(seed, "draw of the process");
  VectorXd normal(index(design.rows));
  for (double& value : normal)
    value = random.normal();
  const VectorXd scaled = factors.vectorD().cwiseMax(0).cwiseSqrt().cwiseProduct(normal);
  return factors.transpositionsP().transpose() * VectorXd(factors.matrixL() * scaled);
}

void judge(const SweepData& data, Loss loss, SweepPoint& point) {
  const VectorXd predicted = predict(point.model, data.validation);
  point.model.known.metrics.validation = compute_metrics(data.validation.time, predicted);
  if (data.test != nullptr)
    point.model.known.metrics.test =
        compute_metrics(data.test->time, predict(point.model, *data.test));
  const ArrayXd losses = row_losses(loss, data.validation.time, predicted);
  const double rows = static_cast<double>(losses.size());
  point.validation_loss = losses.mean();
  point.standard_error =
      rows < 2 ? 0 : std::sqrt((losses - point.validation_loss).square().sum() / (rows - 1) / rows);
}

/// Index of the point with the lowest validation loss among those for which `counts` is true; the
/// first one in case of a tie.
template <class Counts>
std::size_t lowest(const std::vector<SweepPoint>& points, const Counts& counts) {
  std::size_t best = points.size();
  for (std::size_t k = 0; k < points.size(); ++k)
    if (counts(points[k]) &&
        (best == points.size() || points[k].validation_loss < points[best].validation_loss))
      best = k;
  return best;
}

}  // namespace

VectorXd simulate(const FittedModel& model, const Design& design, const Noise& noise,
                  std::uint64_t seed) {
  VectorXd times = predict(model, design);
  if (noise.draw)
    times.array() *= drawn_difference(model, design, seed).array().exp();
  // A stream for each kind, so that adding one kind of noise does not change the other.
  RandomStream relative(seed, "relative noise");
  RandomStream additive(seed, "additive noise");
  for (double& time : times)
    time = time * std::exp(noise.relative * relative.normal()) + noise.additive * additive.normal();
  return times;
}

std::vector<double> log_grid(double low, double high, std::size_t count) {
  std::vector<double> grid;
  const double steps = static_cast<double>(count) - 1;
  for (std::size_t k = 0; k < count; ++k) {
    const double share = count == 1 ? 0 : static_cast<double>(k) / steps;
    const double exponent = std::log10(low) + share * (std::log10(high) - std::log10(low));
    // Twelve digits, so that a grid of decades contains 0.001 and not 0.0009999999999999998.
    const double value = std::pow(10, exponent);
    const double digit = std::pow(10, std::floor(std::log10(value)) - 11);
    grid.push_back(digit < 1 ? std::round(value / digit) / std::round(1 / digit)
                             : std::round(value / digit) * digit);
  }
  grid.front() = low;
  grid.back() = high;
  return grid;
}

std::vector<SweepPoint> sweep(const SweepData& data, const FitOptions& options,
                              const std::vector<PenaltyKind>& penalties,
                              const std::vector<double>& lambdas,
                              const std::function<void(std::size_t)>& fit_done) {
  std::vector<SweepPoint> points(1);
  for (const PenaltyKind penalty : penalties) {
    for (const double lambda : lambdas) {
      points.emplace_back();
      points.back().penalty = penalty;
      points.back().lambda = lambda;
    }
  }
  auto found = fits_until_stopped<SweepPoint>(
      points.size(), options,
      [&](std::size_t k, FitOptions own) {
        SweepPoint point = points[k];
        own.penalty.l1 = point.penalty == PenaltyKind::l1 ? point.lambda : 0;
        own.penalty.l2 = point.penalty == PenaltyKind::l2 ? point.lambda : 0;
        point.model = fit(data.spec, data.training, own);
        judge(data, options.loss, point);
        return point;
      },
      fit_done);
  if (options.stop.stop_requested())
    throw Interrupted();
  for (std::size_t k = 0; k < points.size(); ++k)
    if (found[k])
      points[k] = std::move(*found[k]);
  return points;
}

std::size_t choose(const std::vector<SweepPoint>& points, LambdaRule rule) {
  const std::size_t best = lowest(
      points, [](const SweepPoint&) { return true; });
  const std::size_t penalised =
      points[best].penalty != PenaltyKind::none
          ? best
          : lowest(points, [](const SweepPoint& p) { return p.penalty != PenaltyKind::none; });
  if (rule == LambdaRule::lowest || penalised == points.size())
    return best;
  const double limit = points[best].validation_loss + points[best].standard_error;
  std::size_t chosen = best;
  for (std::size_t k = 0; k < points.size(); ++k)
    if (points[k].penalty == points[penalised].penalty && points[k].validation_loss <= limit &&
        points[k].lambda > points[chosen].lambda)
      chosen = k;
  return chosen;
}

}  // namespace perfmodel
