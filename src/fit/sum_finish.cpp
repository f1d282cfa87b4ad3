#include "fit/sum_finish.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "fit/losses.hpp"
#include "fit/normal_matrix.hpp"
#include "fit/term_search.hpp"
#include "optimise/least_absolute_deviations.hpp"
#include "optimise/newton.hpp"

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

namespace {

/// Standard deviations of the coordinates of a thrown term around those of the term it copies.
constexpr std::array kScatters = {0.3, 0.6, 1.2};
/// Share of the time of the copied term that the thrown one begins with.
constexpr double kShareOfThrown = 0.25;
/// Where a C of 0 starts again, of the shortest time: no descent of ln C leads away from 0 itself.
constexpr double kLeastIntercept = 0.01;
/// Keeps a descent out of flat directions on its way; the finish does without.
constexpr double kRidgeOnTheWay = 1e-6;
/// Every so many starts are no throw but a nudge, of this standard deviation.
constexpr std::size_t kNudgeEvery = 4;
constexpr double kNudge = 0.1;
/// Throws side by side, all from the best so far: the same for any number of threads.
constexpr std::size_t kBatch = 8;
/// Throws per term and start without a gain after which the best is taken for the best.
constexpr std::size_t kPatience = 3;
/// A larger table gets fewer throws.
constexpr std::size_t kRowsOfFullPatience = 2000;
constexpr double kGain = 1e-9;
/// A finish takes off little of what rounded kinks leave: more is not worth one.
constexpr double kPromise = 1.02;

SumFit finished(const GoalTask& task, const SumFit& near) {
  return finish(task.data, task.shape, task.goal, near,
                {.held = {}, .instructions = task.options.instructions, .stop = task.options.stop});
}

/// Near an optimum; at it where that promises to cost no more than `worth`.
SumFit optimum_from(const GoalTask& task, const VectorXd& theta, double worth) {
  SumFit start;
  start.theta = theta;
  SumFit near = approach(task.data, task.shape, task.options, kRidgeOnTheWay, start);
  near.cost = goal_cost(task.data, task.shape, task.goal, near.theta);
  if (near.cost > kPromise * worth)
    return near;
  return finished(task, near);
}

/// Coordinates that may start anywhere.
VectorXd revived(const GoalTask& task, VectorXd theta) {
  if (task.shape.intercept) {
    double& log_intercept = theta[theta.size() - 1];
    log_intercept = std::max(log_intercept, std::log(kLeastIntercept * task.data.time.minCoeff()));
  }
  const std::vector<bool> held = task.shape.held();
  for (std::size_t j = 0; j < held.size(); ++j)
    if (held[j])
      theta[index(j)] = 0;
  return theta;
}

/// One of the terms replaced by a scattered copy of one.
VectorXd thrown(const GoalTask& task, const VectorXd& theta, std::size_t number) {
  RandomStream random(task.options.seed, "throw", number);
  const Index features = task.shape.features();
  const auto terms = static_cast<std::size_t>(task.shape.terms);
  const Index copied = index(random.below(terms));
  VectorXd term = theta.segment(copied * features, features);
  term[0] += std::log(kShareOfThrown);
  for (Index j = 1; j < features; ++j)
    term[j] += kScatters[number % kScatters.size()] * random.normal();
  VectorXd out = theta;
  out.segment(index(number % terms) * features, features) = term;
  return revived(task, std::move(out));
}

/// Everything moved a little: of the optima that kinks make beside each other, another.
SumFit nudged(const GoalTask& task, const VectorXd& theta, std::size_t number) {
  RandomStream random(task.options.seed, "nudge", number);
  SumFit near;
  near.theta = revived(task, theta);
  for (Index j = 0; j < near.theta.size(); ++j)
    near.theta[j] += kNudge * random.normal();
  near.theta = revived(task, std::move(near.theta));
  return finished(task, near);
}

}  // namespace

SumFit minimise_goal(const GoalTask& task, const VectorXd& start) {
  SumFit best = optimum_from(task, start, std::numeric_limits<double>::infinity());
  const auto rows = static_cast<std::size_t>(task.data.rows());
  const std::size_t patience = kPatience * task.starts *
                               static_cast<std::size_t>(task.shape.terms) * kRowsOfFullPatience /
                               std::max(rows, kRowsOfFullPatience);
  std::size_t idle = 0;
  for (std::size_t number = 0; idle < patience && !task.options.stop.stop_requested();) {
    std::array<SumFit, kBatch> ends;
    parallel_for(kBatch, task.options.threads, [&](std::size_t k) {
      if (task.options.stop.stop_requested())
        return;  // what it would have found costs infinitely much
      const std::size_t own = number + k;
      ends[k] = own % kNudgeEvery == kNudgeEvery - 1
                    ? nudged(task, best.theta, own)
                    : optimum_from(task, thrown(task, best.theta, own), best.cost);
    });
    number += kBatch;
    idle += kBatch;
    std::size_t evaluations = best.evaluations;
    for (const SumFit& end : ends) {
      evaluations += end.evaluations;
      if (end.cost < (1 - kGain) * best.cost) {
        best = end;
        idle = 0;
      }
    }
    best.evaluations = evaluations;
  }
  return best;
}

double goal_cost(const TermData& data, const SumShape& shape, const SumGoal& goal,
                 const Eigen::VectorXd& theta) {
  const Eigen::VectorXd total = evaluate_sum(data, shape, theta).total;
  if (!total.allFinite() || !(total.minCoeff() > 0))
    return std::numeric_limits<double>::infinity();
  return loss_value(goal.loss(), data.time, total) +
         goal.penalty(finish_coordinates(shape, goal, theta));
}

SumFit finish(const TermData& data, const SumShape& shape, const SumGoal& goal, const SumFit& start,
              const DescentOptions& options, double gap_to_stop) {
  SumFit out = is_absolute(goal.loss())
                   ? finish_absolute(data, shape, goal, start, options, gap_to_stop)
                   : finish_smooth(data, shape, goal, start, options, gap_to_stop);
  out.evaluations += start.evaluations;
  SumFit tidied = out;
  tidied.theta =
      search_coordinates(shape, goal.without_traces(finish_coordinates(shape, goal, out.theta)));
  tidied.cost = goal_cost(data, shape, goal, tidied.theta);
  return tidied.cost <= (1 + kSumGap) * out.cost ? tidied : out;
}

namespace {

/// A share of a bound's distance below which a step has arrived there.
constexpr double kSumRounding = 1e-13;

/// A sum under a loss of absolute errors.
class LinearisedSum : public LinearisedRows {
 public:
  LinearisedSum(const TermData& data, const SumShape& shape, const SumGoal& goal,
                InstructionSet instructions)
      : data_(data), shape_(shape), goal_(goal), instructions_(instructions) {
    weights_ = VectorXd::Constant(data.rows(), 1 / static_cast<double>(data.rows()));
    if (goal.loss() == Loss::mape)
      weights_.array() /= data.time.array();
  }

  double cost(const VectorXd& x) const override {
    const VectorXd total = parts(x).total;
    if (!total.allFinite())
      return std::numeric_limits<double>::infinity();
    return weights_.dot((data_.time - total).cwiseAbs()) + goal_.penalty(x);
  }

  void linearise_at(const VectorXd& x) override {
    at_ = x;
    const SumParts parts = this->parts(x);
    predicted_ = parts.total;
    jacobian_.resize(data_.rows(), shape_.size());
    for (Index k = 0; k < shape_.terms; ++k) {
      jacobian_.middleCols(k * shape_.features(), shape_.features()) =
          data_.features.leftCols(shape_.features()).array().colwise() * parts.terms.col(k).array();
    }
    for (const auto& [follower, leader] : shape_.followers())
      jacobian_.col(leader) += jacobian_.col(follower);
    if (shape_.intercept)
      jacobian_.rightCols(1).setOnes();
  }

  optimise::LadProblem problem(double radius, double& constant) const override {
    optimise::LadProblem out;
    set_box(radius, out);
    const Index penalised = goal_.penalised().rows();
    const Index l1_rows = goal_.l1() > 0 ? penalised : 0;
    const Index l2_rows = goal_.l2() > 0 ? penalised * optimise::kSquareRows : 0;
    const Index rows = data_.rows();
    out.matrix.resize(rows + l1_rows + l2_rows, shape_.size());
    out.response.resize(out.matrix.rows());
    out.weights.resize(out.matrix.rows());
    out.linear = VectorXd::Zero(shape_.size());
    out.matrix.topRows(rows) = jacobian_;
    out.response.head(rows) = data_.time - predicted_;
    out.weights.head(rows) = weights_;
    constant = 0;
    const VectorXd u = penalised > 0 ? VectorXd(goal_.penalised() * at_) : VectorXd();
    if (l1_rows > 0) {
      out.matrix.middleRows(rows, l1_rows) = goal_.penalised();
      out.response.segment(rows, l1_rows) = -u;
      out.weights.segment(rows, l1_rows).setConstant(goal_.l1());
    }
    if (l2_rows > 0)
      add_squared_penalty(rows + l1_rows, u, out, constant);
    return out;
  }

  VectorXd correction(const optimise::LadResult& step, const VectorXd& trial) const override {
    const VectorXd predicted = parts(trial).total;
    VectorXd raises = VectorXd::Zero(index(step.active_rows.size()));
    for (std::size_t k = 0; k < step.active_rows.size(); ++k) {
      const Index row = step.active_rows[k];
      if (row < data_.rows())  // else one of the penalty
        raises[index(k)] = data_.time[row] - predicted[row];
    }
    return step.vertex->change_for(raises);
  }

  VectorXd inside(const VectorXd& x, double) const override {
    const VectorXd& lower = goal_.box().lower;
    const VectorXd& upper = goal_.box().upper;
    VectorXd out = x.cwiseMax(lower).cwiseMin(upper);
    for (Index j = 0; j < out.size(); ++j)
      if (out[j] - lower[j] < kSumRounding * (upper[j] - lower[j]))
        out[j] = lower[j];
      else if (upper[j] - out[j] < kSumRounding * (upper[j] - lower[j]))
        out[j] = upper[j];
    return out;
  }

  double length(const VectorXd& step) const override {
    const Index curved = shape_.terms * shape_.features();
    return curved == 0 ? 0 : step.head(curved).cwiseAbs().maxCoeff();
  }

 private:
  const TermData& data_;
  const SumShape& shape_;
  const SumGoal& goal_;
  InstructionSet instructions_;
  VectorXd weights_;
  VectorXd at_;
  VectorXd predicted_;
  optimise::RowMajorMatrix jacobian_;

  SumParts parts(const VectorXd& x) const {
    return evaluate_sum(data_, shape_, search_coordinates(shape_, x), instructions_);
  }

  /// The trust region holds all but C, in which the sum is linear.
  void set_box(double radius, optimise::LadProblem& out) const {
    VectorXd reach = VectorXd::Constant(shape_.size(), radius);
    if (shape_.intercept)
      reach[reach.size() - 1] = std::numeric_limits<double>::infinity();
    out.bounds.lower = (goal_.box().lower - at_).cwiseMax(-reach).cwiseMin(0);
    out.bounds.upper = (goal_.box().upper - at_).cwiseMin(reach).cwiseMax(0);
  }

  /// l2 (u + v)^2, v = g'd: the linear part is exact.
  void add_squared_penalty(Index row, const VectorXd& u, optimise::LadProblem& out,
                           double& constant) const {
    const VectorXd reach = out.bounds.upper.cwiseMax(-out.bounds.lower);
    for (Index k = 0; k < u.size(); ++k) {
      const VectorXd direction = goal_.penalised().row(k);
      out.linear += 2 * goal_.l2() * u[k] * direction;
      constant -= goal_.l2() * u[k] * u[k];
      const double reached =
          direction.cwiseAbs().dot((direction.array() == 0).select(0, reach.array()).matrix());
      optimise::put_square(direction, goal_.l2(), reached, row + k * optimise::kSquareRows, out,
                           constant);
    }
  }
};

}  // namespace

SumFit finish_absolute(const TermData& data, const SumShape& shape, const SumGoal& goal,
                       const SumFit& start, const DescentOptions& options, double gap_to_stop) {
  LinearisedSum sum(data, shape, goal, options.instructions);
  const SequentialLadResult end = minimise_by_sequential_lad(
      sum, finish_coordinates(shape, goal, start.theta), gap_to_stop, options.stop);
  return {search_coordinates(shape, end.at), end.cost, end.evaluations, end.relative_gap};
}

namespace {

using Eigen::ArrayXd;

/// Derivatives of a loss by the prediction of each row.
struct RowDerivatives {
  ArrayXd slope;
  ArrayXd curvature;
  ArrayXd convex_curvature;  ///< without what bends downwards
};

/// A sum under a loss with two derivatives.
class SmoothSum : public CurvedProblem {
 public:
  SmoothSum(const TermData& data, const SumShape& shape, const SumGoal& goal,
            const DescentOptions& options)
      : data_(data),
        shape_(shape),
        goal_(goal),
        instructions_(options.instructions),
        normal_matrix_(data.features.leftCols(shape.features()), options.instructions, options.stop,
                       data.levels) {}

  double cost(const VectorXd& x) const override {
    const VectorXd total = parts(x).total;
    if (!total.allFinite() || !(total.minCoeff() > 0))
      return std::numeric_limits<double>::infinity();
    return loss_value(goal_.loss(), data_.time, total) + goal_.penalty(x);
  }

  CostParabola quadratic(const VectorXd& x) const override {
    const SumParts at = parts(x);
    const RowDerivatives rows = derivatives(at.total.array());
    Parabola out{gradient(at, rows.slope), hessian(at, rows.curvature),
                 hessian(at, rows.convex_curvature)};
    add_bend(at, rows.slope, out.hessian);
    for (const auto& [follower, leader] : shape_.followers()) {
      out.gradient[leader] += out.gradient[follower];
      for (MatrixXd* const matrix : {&out.hessian, &out.gauss_newton}) {
        matrix->row(leader) += matrix->row(follower);
        matrix->col(leader) += matrix->col(follower);
      }
    }
    if (goal_.loss() == Loss::rmsle)
      take_root(at, out);
    if (goal_.penalised().size() > 0)
      add_penalty(x, out);
    return {std::move(out.gradient), dense_arrow(std::move(out.hessian)),
            dense_arrow(std::move(out.gauss_newton))};
  }

 private:
  /// See CostParabola.
  struct Parabola {
    VectorXd gradient;
    MatrixXd hessian;
    MatrixXd gauss_newton;
  };

  const TermData& data_;
  const SumShape& shape_;
  const SumGoal& goal_;
  InstructionSet instructions_;
  NormalMatrix normal_matrix_;

  SumParts parts(const VectorXd& x) const {
    return evaluate_sum(data_, shape_, search_coordinates(shape_, x), instructions_);
  }

  /// Of the mean over the rows: of the squared logarithms where the loss is their root.
  RowDerivatives derivatives(const ArrayXd& total) const {
    const double share = 1 / static_cast<double>(data_.rows());
    if (goal_.loss() == Loss::mse) {
      const ArrayXd twice = ArrayXd::Constant(data_.rows(), 2 * share);
      return {twice * (total - data_.time.array()), twice, twice};
    }
    const ArrayXd residual = data_.time.array().log() - total.log();
    ArrayXd pull = 2 * share * residual;  // rho'
    ArrayXd bend = ArrayXd::Constant(data_.rows(), 2 * share);
    if (goal_.loss() == Loss::soft_l1) {
      const ArrayXd size = (residual.square() + kSoftness * kSoftness).sqrt();
      pull = share * residual / size;
      bend = share * kSoftness * kSoftness / size.cube();
    }
    return {-pull / total, (bend + pull) / total.square(), bend / total.square()};
  }

  VectorXd gradient(const SumParts& at, const ArrayXd& slope) const {
    VectorXd out(shape_.size());
    const MatrixXd weighted = at.terms.array().colwise() * slope;
    out.head(shape_.terms * shape_.features()) = normal_matrix_.feature_sums(weighted).reshaped();
    if (shape_.intercept)
      out[out.size() - 1] = slope.sum();
    return out;
  }

  /// sum over the rows of c j j', j being the derivatives of the prediction.
  MatrixXd hessian(const SumParts& at, const ArrayXd& c) const {
    const Index size = shape_.terms * shape_.features();
    MatrixXd out(shape_.size(), shape_.size());
    out.topLeftCorner(size, size) = normal_matrix_(at.terms, c);
    if (shape_.intercept) {
      const MatrixXd weighted = at.terms.array().colwise() * c;
      const VectorXd mixed = normal_matrix_.feature_sums(weighted).reshaped();
      out.col(size).head(size) = mixed;
      out.row(size).head(size) = mixed.transpose();
      out(size, size) = c.sum();
    }
    return out;
  }

  /// The second derivatives of the prediction: term times feature times feature, within a term.
  void add_bend(const SumParts& at, const ArrayXd& slope, MatrixXd& hessian) const {
    const Index features = shape_.features();
    const MatrixXd one = MatrixXd::Ones(data_.rows(), 1);
    for (Index k = 0; k < shape_.terms; ++k) {
      hessian.block(k * features, k * features, features, features) +=
          normal_matrix_(one, slope * at.terms.col(k).array());
    }
  }

  /// From the mean square m to its root: d sqrt(m) = dm / (2 sqrt(m)), which bends, too.
  void take_root(const SumParts& at, Parabola& out) const {
    const double root = std::max(1e-300, loss_value(Loss::rmsle, data_.time, at.total));
    out.gradient /= 2 * root;
    out.hessian /= 2 * root;
    out.gauss_newton /= 2 * root;
    out.hessian -= out.gradient * out.gradient.transpose() / root;
  }

  void add_penalty(const VectorXd& x, Parabola& out) const {
    const VectorXd u = goal_.penalised() * x;
    const VectorXd curvature = tangent_curvature(u, goal_.l1(), goal_.l2());
    out.gradient += goal_.penalised().transpose() * curvature.cwiseProduct(u);
    const MatrixXd bend =
        goal_.penalised().transpose() * curvature.asDiagonal() * goal_.penalised();
    out.hessian += bend;
    out.gauss_newton += bend;
  }
};

}  // namespace

SumFit finish_smooth(const TermData& data, const SumShape& shape, const SumGoal& goal,
                     const SumFit& start, const DescentOptions& options, double gap_to_stop) {
  const SmoothSum sum(data, shape, goal, options);
  const DampedNewtonResult end = minimise_by_damped_newton(
      sum, goal.box(), finish_coordinates(shape, goal, start.theta), gap_to_stop, options.stop);
  return {search_coordinates(shape, end.at), end.cost, end.evaluations, end.relative_gap};
}

}  // namespace perfmodel
