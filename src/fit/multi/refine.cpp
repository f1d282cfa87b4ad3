#include "fit/multi/refine.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kInfinite = std::numeric_limits<double>::infinity();
/// Widths of the rounded kink of |x|, as shares of the mean absolute residual, one after the other.
constexpr std::array kWidths = {0.5, 0.1, 0.02, 0.004};
/// Which of them comes first where an optimum nearby is wanted.
constexpr std::size_t kSharp = 2;
constexpr std::size_t kIterations = 60;
constexpr std::size_t kShrinkingRounds = 20;
/// A power below this after shrinking is none.
constexpr double kNoPower = 0.02;

SumLoss loss_of(const TermData& data, Loss loss) {
  SumLoss out;
  const double rows = static_cast<double>(data.rows());
  out.residual = loss == Loss::rmsle ? Residual::logarithmic : Residual::linear;
  out.weights = VectorXd::Constant(data.rows(), 1 / rows);
  if (loss == Loss::mape)
    out.weights.array() /= data.time.array();
  if (loss == Loss::mse || loss == Loss::rmsle)
    out.softness = kInfinite;
  return out;
}

/// Descends with ever sharper kinks; one descent where the loss is squared.
SumFit descend_sharpening(const TermData& data, const SumShape& shape, SumLoss loss,
                          const SumFit& start, const DescentOptions& options, Reach reach) {
  SumFit out = start;
  const std::size_t first = reach == Reach::nearby ? kSharp : 0;
  for (std::size_t w = first; w < (loss.squared() ? first + 1 : kWidths.size()); ++w) {
    if (!loss.squared()) {
      const VectorXd total = evaluate_sum(data, shape, out.theta).total;
      loss.softness = std::max(1e-12, kWidths[w] * (data.time - total).cwiseAbs().mean());
    }
    const std::size_t evaluations = out.evaluations;
    out = descend(data, shape, loss, out.theta, options);
    out.evaluations += evaluations;
  }
  return out;
}

/// The coordinates of one input of one term.
struct Group {
  Index first = 0;
  Index count = 1;
};

std::vector<Group> groups_of(const TermCoordinates& coordinates, const SumShape& shape) {
  std::vector<Group> out;
  for (Index k = 0; k < shape.terms; ++k) {
    for (const auto& [first, count] : coordinates.inputs()) {
      if (first < shape.plain_features && count > 0)
        out.push_back({k * shape.features() + first, count});
    }
    for (Index g = shape.plain_features; g < shape.features(); ++g)
      out.push_back({k * shape.features() + g, 1});
  }
  return out;
}

/// lambda |x| is replaced by the parabola lambda x^2 / (2 |x0|) that touches it at the last x0.
SumFit shrink(const TermCoordinates& coordinates, const TermData& data, const SumShape& shape,
              SumLoss loss, double lambda, const SumFit& start, DescentOptions options,
              Reach reach) {
  const std::vector<Group> groups = groups_of(coordinates, shape);
  const VectorXd base = loss.penalties;
  SumFit out = start;
  for (std::size_t round = 0; round < kShrinkingRounds; ++round) {
    for (const Group& group : groups) {
      const double size = out.theta.segment(group.first, group.count).norm();
      loss.penalties.segment(group.first, group.count) =
          base.segment(group.first, group.count).array() +
          lambda / (2 * std::max(size, 0.1 * kNoPower));
    }
    const std::size_t evaluations = out.evaluations;
    out = descend(data, shape, loss, out.theta, options);
    out.evaluations += evaluations;
  }
  for (const Group& group : groups) {
    auto values = out.theta.segment(group.first, group.count);
    if (values.norm() > kNoPower)
      continue;
    values.setZero();
    for (Index j = group.first; j < group.first + group.count; ++j)
      options.held[static_cast<std::size_t>(j)] = true;
  }
  return descend_sharpening(data, shape, loss, out, options, reach);
}

}  // namespace

SumFit refine(const TermCoordinates& coordinates, const TermData& data, const SumShape& shape,
              const FitOptions& options, double ridge_strength, const SumFit& start, Reach reach) {
  SumLoss loss = loss_of(data, options.loss);
  loss.penalties = ridge(shape, ridge_strength + options.penalty.l2);
  const DescentOptions descent{.iterations = kIterations,
                               .held = shape.held(),
                               .instructions = options.instructions,
                               .stop = options.stop};
  SumFit out = descend_sharpening(data, shape, loss, start, descent, reach);
  if (options.penalty.l1 > 0) {
    const VectorXd total = evaluate_sum(data, shape, out.theta).total;
    if (!loss.squared())
      loss.softness = kWidths[1] * (data.time - total).cwiseAbs().mean();
    out = shrink(coordinates, data, shape, loss, options.penalty.l1, out, descent, reach);
  }
  return out;
}

}  // namespace perfmodel
