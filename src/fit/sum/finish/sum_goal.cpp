#include "fit/sum/finish/sum_goal.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/index.hpp"
#include "fit/sum/kernel/contrasts.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// exp(60) times the typical time, or 1/exp(60) of it, is no time of a term any more.
constexpr double kWidestLogFactor = 60;
/// A penalised constant below this is as good as 0.
constexpr double kTrace = 1e-8;
/// No C is larger than twice the longest time, whatever the loss.
constexpr double kWidestIntercept = 2;

/// The penalised combinations of the coordinates of one term, and its box.
struct TermGoal {
  MatrixXd penalised;
  std::vector<bool> power;  ///< of each feature
};

TermGoal term_goal(const TermCoordinates& coordinates, const SumShape& shape) {
  TermGoal out;
  out.power.assign(static_cast<std::size_t>(shape.features()), false);
  for (const Index feature : coordinates.numeric_features())
    out.power[static_cast<std::size_t>(feature)] = true;
  std::vector<std::pair<Index, Index>> inputs;  // first feature and count, the regimes in use last
  for (const auto& [first, count] : coordinates.inputs())
    if (first < shape.plain_features && count > 0)
      inputs.emplace_back(first, count);
  for (Index g = shape.plain_features; g < shape.features(); ++g)
    inputs.emplace_back(g, 1);
  Index rows = 0;
  for (const auto& [first, count] : inputs)
    rows += out.power[static_cast<std::size_t>(first)] ? 1 : count + 1;
  out.penalised = MatrixXd::Zero(rows, shape.features());
  Index row = 0;
  for (const auto& [first, count] : inputs) {
    if (out.power[static_cast<std::size_t>(first)]) {
      out.penalised(row++, first) = 1;
      continue;
    }
    out.penalised.block(row, first, count + 1, count) =
        contrasts(static_cast<std::size_t>(count) + 1);
    row += count + 1;
  }
  return out;
}

}  // namespace

SumGoal::SumGoal(const TermCoordinates& coordinates, const SumShape& shape,
                 const FitOptions& options, double ridge)
    : loss_(options.loss), l1_(options.penalty.l1), l2_(options.penalty.l2 + ridge) {
  const Index features = shape.features();
  const TermGoal term = term_goal(coordinates, shape);
  if (l1_ > 0 || l2_ > 0)
    penalised_ = MatrixXd::Zero(shape.terms * term.penalised.rows(), shape.size());
  box_.lower = VectorXd::Constant(shape.size(), -kWidestLogFactor);
  box_.upper = VectorXd::Constant(shape.size(), kWidestLogFactor);
  for (Index k = 0; k < shape.terms; ++k) {
    if (penalised_.size() > 0)
      penalised_.block(k * term.penalised.rows(), k * features, term.penalised.rows(), features) =
          term.penalised;
    for (Index j = 0; j < features; ++j) {
      if (!term.power[static_cast<std::size_t>(j)])
        continue;
      box_.lower[k * features + j] = -kWidestSumPower;
      box_.upper[k * features + j] = kWidestSumPower;
    }
  }
  const std::vector<bool> held = shape.held();
  for (std::size_t j = 0; j < held.size(); ++j)
    if (held[j])
      box_.lower[index(j)] = box_.upper[index(j)] = 0;
  for (const auto& [follower, leader] : shape.followers()) {
    box_.lower[follower] = box_.upper[follower] = 0;
    if (penalised_.size() > 0)
      penalised_.col(leader) += penalised_.col(follower);
  }
  if (shape.intercept) {
    box_.lower[shape.size() - 1] = 0;
    box_.upper[shape.size() - 1] = kWidestIntercept * coordinates.data().time.maxCoeff();
  }
}

double SumGoal::penalty(const VectorXd& x) const {
  if (penalised_.size() == 0)
    return 0;
  const VectorXd u = penalised_ * x;
  return l1_ * u.cwiseAbs().sum() + l2_ * u.squaredNorm();
}

VectorXd SumGoal::without_traces(const VectorXd& x) const {
  VectorXd out = x;
  if (l1_ == 0)
    return out;
  const Eigen::ArrayXd size = (penalised_.cwiseAbs() * x.cwiseAbs()).array();
  for (Index j = 0; j < out.size(); ++j) {
    const Eigen::ArrayXd share = penalised_.col(j).array();
    if ((share != 0).any() && ((share == 0) || (size < kTrace)).all())
      out[j] = 0;
  }
  return out;
}

VectorXd finish_coordinates(const SumShape& shape, const SumGoal& goal, VectorXd theta) {
  if (shape.intercept)
    theta[theta.size() - 1] = std::exp(theta[theta.size() - 1]);
  return theta.cwiseMax(goal.box().lower).cwiseMin(goal.box().upper);
}

VectorXd search_coordinates(const SumShape& shape, VectorXd x) {
  if (shape.intercept)
    x[x.size() - 1] = std::log(x[x.size() - 1]);
  return shape.tied(std::move(x));
}

}  // namespace perfmodel
