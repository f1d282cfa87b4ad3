#include "fit/sum/descent/approach.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "fit/task/loss_value.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kInfinite = std::numeric_limits<double>::infinity();
/// Widths of the rounded kink of |x|, as shares of the mean absolute residual, one after the other.
constexpr std::array kWidths = {0.5, 0.1, 0.02, 0.004};
/// Which of them comes first where an optimum nearby is wanted.
constexpr std::size_t kSharp = 2;
/// Of each width; the exact finish goes on from there.
constexpr std::size_t kIterations = 150;

SumLoss loss_of(const TermData& data, Loss loss) {
  SumLoss out;
  const double rows = static_cast<double>(data.rows());
  const bool logarithmic = loss == Loss::rmsle || loss == Loss::soft_l1;
  out.residual = logarithmic ? ErrorScale::logarithmic : ErrorScale::linear;
  out.weights = VectorXd::Constant(data.rows(), 1 / rows);
  if (loss == Loss::mape)
    out.weights.array() /= data.time.array();
  if (is_squared(loss))
    out.softness = kInfinite;
  else if (loss == Loss::soft_l1)
    out.softness = kSoftness;
  return out;
}

/// Descends with ever sharper kinks; one descent where the loss has none.
SumFit descend_sharpening(const TermData& data, const SumShape& shape, SumLoss loss,
                          const SumFit& start, const DescentOptions& options, Reach reach) {
  SumFit out = start;
  const std::size_t first = reach == Reach::nearby ? kSharp : 0;
  const bool sharpens = loss.residual == ErrorScale::linear && !loss.squared();
  for (std::size_t w = first; w < (sharpens ? kWidths.size() : first + 1); ++w) {
    if (sharpens) {
      const VectorXd total = evaluate_sum(data, shape, out.theta).total;
      loss.softness = std::max(1e-12, kWidths[w] * (data.time - total).cwiseAbs().mean());
    }
    const std::size_t evaluations = out.evaluations;
    out = descend(data, shape, loss, out.theta, options);
    out.evaluations += evaluations;
  }
  return out;
}

SumFit approach_by(SumLoss loss, const TermData& data, const SumShape& shape,
                   const FitOptions& options, const SumFit& start, Reach reach) {
  return descend_sharpening(
      data, shape, std::move(loss), start,
      {.iterations = kIterations,
       .held = shape.held(),
       .instructions = options.instructions,
       .stop = options.stop,
       .normal_matrix = normal_matrix_of(data, shape, options.instructions, options.stop)},
      reach);
}

}  // namespace

SumFit approach(const TermData& data, const SumShape& shape, const FitOptions& options,
                double ridge_strength, const SumFit& start, Reach reach) {
  SumLoss loss = loss_of(data, options.loss);
  loss.penalties = ridge(shape, ridge_strength + options.penalty.l2);
  return approach_by(std::move(loss), data, shape, options, start, reach);
}

SumFit approach_near(const TermData& data, const SumShape& shape, const FitOptions& options,
                     VectorXd penalties, const VectorXd& start) {
  SumLoss loss = loss_of(data, options.loss);
  loss.penalties = std::move(penalties);
  loss.centre = start;
  SumFit from;
  from.theta = start;
  return approach_by(std::move(loss), data, shape, options, from, Reach::far);
}

}  // namespace perfmodel
