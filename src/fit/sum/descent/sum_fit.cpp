#include "fit/sum/descent/sum_fit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fit/sum/kernel/row_kernel.hpp"
#include "optimise/algebra/stoppable_cholesky.hpp"

namespace perfmodel {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A term's logarithm beyond this is as good as infinite, but keeps the arithmetic finite.
constexpr double kLargestLog = 60;
/// Its logarithm is taken of no smaller total.
constexpr double kLeastTotal = 1e-300;
// Levenberg's and Marquardt's damping, as a share of the Hessian's diagonal (Marquardt 1963).
constexpr double kFirstDamping = 1e-2;  // nearly Newton's step: starts lie near log-linear fits
constexpr double kLeastDamping = 1e-9;  // keeps directions without curvature solvable
constexpr double kMostDamping = 1e8;    // steps so short change nothing any more
/// What it is multiplied by after a step that led to a worse place, and to one that is none.
constexpr double kAfterWorse = 4;
constexpr double kAfterInfinite = 10;

/// After a step that gained this share of what the parabola had promised: less where it can be
/// trusted, more where it cannot, with the thresholds of trust regions (Nocedal and Wright 2006,
/// algorithm 4.1).
double next_damping(double damping, double share_of_promise) {
  const double factor = share_of_promise > 0.75 ? 0.2 : share_of_promise > 0.25 ? 0.7 : 2.0;
  return std::max(kLeastDamping, damping * factor);
}

/// Where a descent stands.
struct Point {
  VectorXd theta;
  SumParts parts;
  ArrayXd residual;  ///< one per row, of the time or its logarithm
  double cost = std::numeric_limits<double>::infinity();
};

/// cost + g'd + d'Hd/2 near a point, with rho replaced by the parabola that touches it from above;
/// of the Hessian the lower half counts.
struct Quadratic {
  VectorXd gradient;
  MatrixXd hessian;
};

/// The loss of a sum as a function of its coordinates.
class SumObjective {
 public:
  SumObjective(const TermData& data, const SumShape& shape, const SumLoss& loss,
               const DescentOptions& options)
      : data_(data),
        shape_(shape),
        loss_(loss),
        instructions_(options.instructions),
        measured_(data.time),
        normal_matrix_(options.normal_matrix != nullptr
                           ? options.normal_matrix
                           : normal_matrix_of(data, shape, options.instructions, options.stop)) {
    if (loss.residual == ErrorScale::logarithmic)
      measured_ = measured_.log();
  }

  Point at(VectorXd theta) const {
    Point out;
    out.parts = evaluate_sum(data_, shape_, theta, instructions_);
    out.residual = measured_ - modelled(out.parts.total).array();
    const double s = loss_.softness;
    const ArrayXd rho = loss_.squared() ? ArrayXd(out.residual.square())
                                        : (out.residual.square() + s * s).sqrt() - s;
    if (out.parts.total.allFinite())  // the logarithm of what is not would be any number
      out.cost =
          loss_.weights.dot(rho.matrix()) + loss_.penalties.dot(from_centre(theta).cwiseAbs2());
    out.theta = std::move(theta);
    return out;
  }

  Quadratic near(const Point& point) const {
    const double s = loss_.softness;
    ArrayXd weights = loss_.weights.array();  // rho'(x) / x
    if (loss_.squared())
      weights *= 2;
    else
      weights /= (point.residual.square() + s * s).sqrt();
    ArrayXd slope = ArrayXd::Ones(data_.rows());  // of what the residual is taken of, by the total
    if (loss_.residual == ErrorScale::logarithmic)
      slope /= point.parts.total.array().max(kLeastTotal);
    const ArrayXd pull = weights * slope * point.residual;
    const ArrayXd curvature = weights * slope.square();

    const Index terms = shape_.terms;
    const Index size = terms * shape_.features();
    const VectorXd& theta = point.theta;
    MatrixXd row_weights(data_.rows(), shape_.intercept ? 2 * terms : terms);
    row_weights.leftCols(terms) = point.parts.terms.array().colwise() * pull;
    if (shape_.intercept)
      row_weights.rightCols(terms) = point.parts.terms.array().colwise() * curvature;
    const MatrixXd sums = normal_matrix_->feature_sums(row_weights);

    Quadratic out{VectorXd(theta.size()), MatrixXd(theta.size(), theta.size())};
    out.hessian.topLeftCorner(size, size) = (*normal_matrix_)(point.parts.terms, curvature);
    out.gradient.head(size) = -sums.leftCols(terms).reshaped();
    if (shape_.intercept) {
      const double c = std::exp(theta[size]);
      out.hessian.row(size).head(size) = c * sums.rightCols(terms).reshaped().transpose();
      out.hessian(size, size) = c * c * curvature.sum();
      out.gradient[size] = -c * pull.sum();
    }
    out.gradient += 2 * loss_.penalties.cwiseProduct(from_centre(theta));
    out.hessian.diagonal() += 2 * loss_.penalties;
    return out;
  }

 private:
  const TermData& data_;
  const SumShape& shape_;
  const SumLoss& loss_;
  InstructionSet instructions_;
  ArrayXd measured_;  ///< time or its logarithm
  std::shared_ptr<const NormalMatrix> normal_matrix_;

  VectorXd from_centre(const VectorXd& theta) const {
    return loss_.centre.size() == 0 ? theta : VectorXd(theta - loss_.centre);
  }

  VectorXd modelled(const VectorXd& total) const {
    if (loss_.residual == ErrorScale::linear)
      return total;
    VectorXd out = total.cwiseMax(kLeastTotal);
    row_kernel::functions_for(instructions_)
        .logarithms(static_cast<std::size_t>(out.size()), out.data());
    return out;
  }
};

void hold(const std::vector<bool>& held, Quadratic& model) {
  for (std::size_t h = 0; h < held.size(); ++h) {
    if (!held[h])
      continue;
    const Index j = static_cast<Index>(h);
    model.gradient[j] = 0;
    model.hessian.row(j).setZero();
    model.hessian.col(j).setZero();
    model.hessian(j, j) = 1;
  }
}

/// The step of a coordinate that others follow is one of all of them.
void fold_followers(const SumShape& shape, Quadratic& model) {
  const auto followers = shape.followers();
  if (followers.empty())
    return;
  model.hessian.triangularView<Eigen::StrictlyUpper>() = model.hessian.transpose();
  std::vector<bool> held(static_cast<std::size_t>(shape.size()), false);
  for (const auto& [follower, leader] : followers) {
    model.gradient[leader] += model.gradient[follower];
    model.hessian.row(leader) += model.hessian.row(follower);
    model.hessian.col(leader) += model.hessian.col(follower);
    held[static_cast<std::size_t>(follower)] = true;
  }
  hold(held, model);
}

}  // namespace

VectorXd ridge(const SumShape& shape, double strength) {
  VectorXd out = VectorXd::Constant(shape.size(), strength);
  for (Index k = 0; k < shape.terms; ++k)
    out[k * shape.features()] = 0;
  if (shape.intercept)
    out[out.size() - 1] = 0;
  return out;
}

SumParts evaluate_sum(const TermData& data, const SumShape& shape, const VectorXd& theta,
                      InstructionSet instructions) {
  SumParts out{MatrixXd(data.rows(), shape.terms), VectorXd::Zero(data.rows())};
  for (Index k = 0; k < shape.terms; ++k) {
    auto term = out.terms.col(k);
    term.noalias() = data.features.leftCols(shape.features()) *
                     theta.segment(k * shape.features(), shape.features());
    for (std::size_t j = 0; j < shape.log_powers[static_cast<std::size_t>(k)].size(); ++j) {
      const int r = shape.log_powers[static_cast<std::size_t>(k)][j];
      if (r != 0)
        term += r * data.log_logs.col(static_cast<Index>(j));
    }
    term = term.cwiseMin(kLargestLog);
  }
  row_kernel::functions_for(instructions)
      .exponentials(static_cast<std::size_t>(out.terms.size()), out.terms.data());
  for (Index k = 0; k < shape.terms; ++k) {
    if (shape.sign(k) < 0)
      out.terms.col(k) *= -1;
    out.total += out.terms.col(k);
  }
  if (shape.intercept)
    out.total.array() += std::exp(std::min(theta[theta.size() - 1], kLargestLog));
  return out;
}

std::shared_ptr<const NormalMatrix> normal_matrix_of(const TermData& data, const SumShape& shape,
                                                     InstructionSet instructions,
                                                     const std::stop_token& stop) {
  return std::make_shared<const NormalMatrix>(data.features.leftCols(shape.features()),
                                              instructions, stop, data.levels);
}

SumFit descend(const TermData& data, const SumShape& shape, const SumLoss& loss,
               const VectorXd& start, const DescentOptions& options) {
  if (options.stop.stop_requested())
    return {start};
  const SumObjective objective(data, shape, loss, options);
  const auto model_near = [&](const Point& at) {
    Quadratic out = objective.near(at);
    fold_followers(shape, out);
    hold(options.held, out);
    return out;
  };
  Point point = objective.at(shape.tied(start));
  Quadratic model = model_near(point);
  std::size_t evaluations = 1;
  double gap = 0;
  double damping = kFirstDamping;
  for (std::size_t i = 0; i < options.iterations && damping < kMostDamping; ++i) {
    if (options.stop.stop_requested())
      break;
    MatrixXd damped = model.hessian;
    const double least = 1e-12 * (1e-300 + model.hessian.diagonal().maxCoeff());
    damped.diagonal().array() += damping * model.hessian.diagonal().array().max(least);
    const StoppableCholesky factors(std::move(damped), options.stop);
    if (factors.stopped())
      break;
    const VectorXd step = factors.solve(-model.gradient);
    const double gain = -(model.gradient.dot(step) +
                          0.5 * step.dot(model.hessian.selfadjointView<Eigen::Lower>() * step));
    gap = std::abs(gain) / std::max(point.cost, 1e-300);
    if (!std::isfinite(gain)) {
      damping *= kAfterInfinite;
      continue;
    }
    Point trial = objective.at(shape.tied(point.theta + step));
    ++evaluations;
    if (!(trial.cost < point.cost)) {
      if (gap < options.tolerance)
        break;
      damping *= kAfterWorse;
      continue;
    }
    damping = next_damping(damping, (point.cost - trial.cost) / std::max(gain, 1e-300));
    point = std::move(trial);
    if (gap < options.tolerance)
      break;
    model = model_near(point);
  }
  return {std::move(point.theta), point.cost, evaluations, gap};
}

}  // namespace perfmodel
