#include "sums/sum_finish.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "search/losses.hpp"
#include "sums/normal_matrix.hpp"

namespace perfmodel {
namespace {

using optimise::LevelColumns;

/// Largest |ln| of a coefficient or factor: exp(+-60) typical times is no plausible time of a term.
constexpr double kWidestLogFactor = 60;
/// Penalised constants below this count as 0.
constexpr double kTrace = 1e-8;
/// Largest C in units of the longest time, whatever the loss.
constexpr double kWidestIntercept = 2;
/// The same if terms are subtracted from C.
constexpr double kWidestMinuend = 1e6;

/// The penalised combinations of the coordinates of one term: one row each.
std::vector<Eigen::Triplet<double>> penalised_of_term(const TermCoordinates& coordinates,
                                                      const SumShape& shape) {
  const std::vector<Index> powers = coordinates.numeric_features();
  const LevelColumns block = coordinates.data().level_block();
  std::vector<Eigen::Triplet<double>> out;
  int row = 0;
  const auto put = [&](Index j, double value) {
    out.emplace_back(row, static_cast<int>(j), value);
  };
  const auto add_input = [&](Index first, Index count) {
    const bool own = contains(powers, first) || block.holds(first);
    const MatrixXd basis = own ? MatrixXd() : contrasts(static_cast<std::size_t>(count) + 1);
    for (Index l = 0; l < (own ? count : count + 1); ++l, ++row) {
      if (own)
        put(first + l, 1);
      else
        for (Index j = 0; j < count; ++j)
          put(first + j, basis(l, j));
    }
  };
  for (const auto& [first, count] : coordinates.inputs())
    if (first < shape.plain_features && count > 0)
      add_input(first, count);
  for (Index g = shape.plain_features; g < shape.features(); ++g)
    add_input(g, 1);
  return out;
}

/// Replaces ln C by C and clamps to the box; search_coordinates() is the inverse.
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

/// Loss plus penalties of a sum at search coordinates, in units of the typical time.
double goal_cost(const TermData& data, const SumShape& shape, const SumGoal& goal,
                 const VectorXd& theta) {
  const VectorXd total = evaluate_sum(data, shape, theta).total;
  if (!total.allFinite() || !(total.minCoeff() > 0))
    return std::numeric_limits<double>::infinity();
  return loss_value(goal.loss(), data.time, total) + goal(finish_coordinates(shape, goal, theta));
}

/// Standard deviations of the coordinates of a random term about those of the term that it copies.
constexpr std::array kScatters = {0.3, 0.6, 1.2};
/// Initial time of the random term, as a share of the copied term's.
constexpr double kShareOfRandomTerm = 0.25;
/// Restart value of a C of 0, as a share of the shortest time: a descent in ln C cannot leave 0.
constexpr double kLeastIntercept = 0.01;
/// Keeps intermediate descents out of flat directions; the final refinement has no ridge.
constexpr double kRidgeOnTheWay = 1e-6;
/// One in this many starts is a small perturbation with this standard deviation.
constexpr std::size_t kPerturbEvery = 4;
constexpr double kPerturbation = 0.1;
/// Starts per batch, all from the best so far: the same for any number of threads.
constexpr std::size_t kBatch = 8;
/// Starts without gain, per term and requested start, after which the search ends.
constexpr std::size_t kPatience = 3;
/// Larger tables get fewer starts.
constexpr std::size_t kRowsOfFullPatience = 2000;
constexpr double kGain = 1e-9;
constexpr std::size_t kManyConstants = 100;
/// Smoothed kinks cost little: starts that exceed the best cost by more are not refined.
constexpr double kPromise = 1.02;

/// Descends to near an optimum, and refines it if its cost is at most kPromise * `worth`.
SumFit optimum_from(const GoalTask& task, const VectorXd& theta, double worth) {
  SumFit near = approach(task.data, task.shape, task.options, kRidgeOnTheWay, theta);
  near.cost = goal_cost(task.data, task.shape, task.goal, near.theta);
  if (near.cost > kPromise * worth)
    return near;
  return finish(task.data, task.shape, task.goal, near, task.options);
}

/// Makes coordinates valid for a start: C is not 0, and fixed coordinates are 0.
VectorXd feasible_start(const GoalTask& task, VectorXd theta) {
  if (task.shape.intercept) {
    double& log_intercept = theta[theta.size() - 1];
    log_intercept = std::max(log_intercept, std::log(kLeastIntercept * task.data.time.minCoeff()));
  }
  return task.shape.without_held(std::move(theta));
}

/// Replaces one term by a perturbed copy of a term.
VectorXd with_random_term(const GoalTask& task, const VectorXd& theta, std::size_t number) {
  RandomStream random(task.options.seed, "throw", number);
  const Index features = task.shape.features();
  const auto terms = static_cast<std::size_t>(task.shape.terms);
  const Index copied = index(random.below(terms));
  VectorXd term = theta.segment(copied * features, features);
  term[0] += std::log(kShareOfRandomTerm);
  for (Index j = 1; j < features; ++j)
    term[j] += kScatters[number % kScatters.size()] * random.normal();
  VectorXd out = theta;
  out.segment(index(number % terms) * features, features) = term;
  return feasible_start(task, std::move(out));
}

/// Perturbs all coordinates slightly: kinks make many adjacent optima.
SumFit perturbed_optimum(const GoalTask& task, const VectorXd& theta, std::size_t number) {
  RandomStream random(task.options.seed, "nudge", number);
  SumFit near;
  near.theta = feasible_start(task, theta);
  for (Index j = 0; j < near.theta.size(); ++j)
    near.theta[j] += kPerturbation * random.normal();
  near.theta = feasible_start(task, std::move(near.theta));
  return finish(task.data, task.shape, task.goal, near, task.options);
}

}  // namespace

SumGoal::SumGoal(const TermCoordinates& coordinates, const SumShape& shape,
                 const FitOptions& options, double ridge)
    : PenaltyTerms(options.penalty.l1, options.penalty.l2 + ridge), loss_(options) {
  const Index features = shape.features();
  if (l1_ > 0 || l2_ > 0) {
    const auto of_term = penalised_of_term(coordinates, shape);
    const Index rows = of_term.empty() ? 0 : of_term.back().row() + 1;
    const auto put_entries = [&](const auto& put) {
      for (Index k = 0; k < shape.terms; ++k)
        for (const auto& entry : of_term)
          put(k * rows + entry.row(), k * features + entry.col(), entry.value());
      for (const auto& [follower, leader] : shape.followers())
        for (const auto& entry : of_term)
          if (entry.col() == leader)
            put(follower / features * rows + entry.row(), leader, entry.value());
    };
    penalised_ = {shape.terms * rows, shape.size(), !coordinates.data().many_levels.empty(),
                  put_entries};
  }
  box_.lower = VectorXd::Constant(shape.size(), -kWidestLogFactor);
  box_.upper = VectorXd::Constant(shape.size(), kWidestLogFactor);
  for (Index k = 0; k < shape.terms; ++k) {
    for (const Index power : coordinates.numeric_features()) {
      box_.lower[k * features + power] = -kWidestSumPower;
      box_.upper[k * features + power] = kWidestSumPower;
    }
  }
  const std::vector<bool> held = shape.held();
  for (std::size_t j = 0; j < held.size(); ++j)
    if (held[j])
      box_.lower[index(j)] = box_.upper[index(j)] = 0;
  for (const auto& [follower, leader] : shape.followers())
    box_.lower[follower] = box_.upper[follower] = 0;
  if (shape.intercept) {
    box_.lower[shape.size() - 1] = 0;
    box_.upper[shape.size() - 1] = (contains(shape.signs, -1) ? kWidestMinuend : kWidestIntercept) *
                                   coordinates.data().time.maxCoeff();
  }
}

PenalisedConstants SumGoal::linearise(const VectorXd& x) const {
  return {penalised_ * x, penalised_};
}

VectorXd SumGoal::without_traces(const VectorXd& x) const {
  VectorXd out = x;
  if (l1_ == 0)
    return out;
  const optimise::RowMajorMatrix& all = penalised_.dense;  // contrasts only
  const ArrayXd size = (all.cwiseAbs() * x.cwiseAbs()).array();
  for (Index j = 0; j < out.size(); ++j) {
    const ArrayXd share = all.col(j).array();
    if ((share != 0).any() && ((share == 0) || (size < kTrace)).all())
      out[j] = 0;
  }
  return out;
}

SumFit minimise_goal(const GoalTask& task, const VectorXd& start) {
  SumFit best = optimum_from(task, start, std::numeric_limits<double>::infinity());
  const auto rows = static_cast<std::size_t>(task.data.rows());
  // With more constants than runs, every start gains a little: many constants would take hours.
  const auto constants = static_cast<std::size_t>(task.shape.size());
  const bool gains_without_end = constants >= kManyConstants && constants >= rows;
  // Random factors of hundreds of levels hardly ever lead to a better optimum.
  const bool gains_rarely = constants >= kManyConstants && !task.data.many_levels.empty();
  const std::size_t patience = gains_without_end || gains_rarely
                                   ? 0
                                   : kPatience * task.starts *
                                         static_cast<std::size_t>(task.shape.terms) *
                                         kRowsOfFullPatience / std::max(rows, kRowsOfFullPatience);
  std::size_t idle = 0;
  for (std::size_t number = 0; idle < patience && !task.options.stop.stop_requested();) {
    std::array<SumFit, kBatch> ends;
    parallel_for(kBatch, task.options.threads, [&](std::size_t k) {
      if (task.options.stop.stop_requested())
        return;  // the cost stays infinite
      const std::size_t own = number + k;
      ends[k] = own % kPerturbEvery == kPerturbEvery - 1
                    ? perturbed_optimum(task, best.theta, own)
                    : optimum_from(task, with_random_term(task, best.theta, own), best.cost);
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

namespace {

/// A step that ends within this share of the distance to a bound has reached it.
constexpr double kSumRounding = 1e-13;

/// A sum in the coordinates of its local refinement.
class SumModel : public SmoothModel {
 public:
  SumModel(const TermData& data, const SumShape& shape, const SumGoal& goal,
           const FitOptions& options)
      : data_(data), shape_(shape), goal_(goal), instructions_(options.instructions) {
    if (!is_absolute(goal.loss().loss))
      normal_matrix_ = normal_matrix_of(data, shape, options.instructions, options.stop);
  }

  VectorXd predict(const VectorXd& x) const override { return parts(x).total; }

  std::unique_ptr<LinearisedModel> linearised(const VectorXd& x) const override {
    if (!data_.many_levels.empty())
      return std::make_unique<SparselyLinearised>(data_, shape_, parts(x));
    return std::make_unique<Linearised>(*this, parts(x));
  }

  const optimise::Bounds& box() const override { return goal_.box(); }
  bool is_positive() const override { return true; }

  /// The trust region limits all coordinates but C, in which the sum is linear.
  VectorXd reach(const VectorXd&, double radius, bool) const override {
    VectorXd out = VectorXd::Constant(shape_.size(), radius);
    if (shape_.intercept)
      out[out.size() - 1] = std::numeric_limits<double>::infinity();
    return out;
  }

  double length(const VectorXd& step) const override {
    return curved() == 0 ? 0 : step.head(curved()).cwiseAbs().maxCoeff();
  }

  VectorXd inside(const VectorXd& x, const VectorXd&, double) const override {
    const VectorXd& lower = box().lower;
    const VectorXd& upper = box().upper;
    VectorXd out = x.cwiseMax(lower).cwiseMin(upper);
    for (Index j = 0; j < out.size(); ++j)
      if (out[j] - lower[j] < kSumRounding * (upper[j] - lower[j]))
        out[j] = lower[j];
      else if (upper[j] - out[j] < kSumRounding * (upper[j] - lower[j]))
        out[j] = upper[j];
    return out;
  }

 private:
  /// d total / d coordinate is term times feature.
  class Linearised : public LinearisedModel {
   public:
    Linearised(const SumModel& model, SumParts parts)
        : model_(model), shape_(model.shape_), terms_(std::move(parts.terms)) {
      predicted_ = std::move(parts.total);
    }

    optimise::RowMatrix jacobian() const override {
      optimise::RowMajorMatrix out(terms_.rows(), shape_.size());
      const Index features = shape_.features();
      for (Index k = 0; k < shape_.terms; ++k)
        out.middleCols(k * features, features) =
            model_.data_.features.leftCols(features).array().colwise() * terms_.col(k).array();
      for (const auto& [follower, leader] : shape_.followers())
        out.col(leader) += out.col(follower);
      if (shape_.intercept)
        out.rightCols(1).setOnes();
      return out;
    }

    VectorXd slopes(const VectorXd& v) const override {
      VectorXd out(shape_.size());
      out.head(model_.curved()) = term_sums(v);
      if (shape_.intercept)
        out[out.size() - 1] = v.sum();
      for (const auto& [follower, leader] : shape_.followers())
        out[leader] += out[follower];
      return out;
    }

    SymmetricMatrix gram(const VectorXd& weights) const override { return with_bend(weights, {}); }

    /// Second derivatives: term times feature times feature, within a term only.
    SymmetricMatrix bend(const VectorXd& weights) const override {
      return hessian(VectorXd::Zero(weights.size()), weights);
    }

    SymmetricMatrix hessian(const VectorXd& weights, const VectorXd& bends) const override {
      return with_bend(weights, terms_.array().colwise() * bends.array());
    }

   private:
    const SumModel& model_;
    const SumShape& shape_;
    MatrixXd terms_;

    VectorXd term_sums(const VectorXd& v) const {
      return model_.normal_matrix_->feature_sums(terms_.array().colwise() * v.array()).reshaped();
    }

    SymmetricMatrix with_bend(const VectorXd& weights, const MatrixXd& bend) const {
      const Index size = model_.curved();
      MatrixXd out(shape_.size(), shape_.size());
      out.topLeftCorner(size, size) = (*model_.normal_matrix_)(terms_, weights.array(), bend);
      if (shape_.intercept) {
        const VectorXd mixed = term_sums(weights);
        out.col(size).head(size) = mixed;
        out.row(size).head(size) = mixed.transpose();
        out(size, size) = weights.sum();
      }
      for (const auto& [follower, leader] : shape_.followers()) {
        out.row(leader) += out.row(follower);
        out.col(leader) += out.col(follower);
      }
      return out;
    }
  };

  /// The same if columns have many levels.
  class SparselyLinearised : public LinearisedModel {
   public:
    SparselyLinearised(const TermData& data, const SumShape& shape, SumParts parts)
        : data_(data), shape_(shape), terms_(std::move(parts.terms)) {
      predicted_ = std::move(parts.total);
      jacobian_ = jacobian_of(data, shape, terms_, 1);
    }

    /// The Gram matrix of the features with one row per row and term.
    SymmetricMatrix bend(const VectorXd& weights) const override {
      const Index rows = data_.rows();
      const optimise::RowMatrix features(
          shape_.terms * rows, shape_.size(), true, [&](const auto& put) {
            for_features(data_, shape_, [&](Index row, Index k, Index coordinate, double x) {
              put(k * rows + row, coordinate, x);
            });
          });
      return perfmodel::gram(features,
                             (terms_.array().colwise() * weights.array()).reshaped().matrix());
    }

   private:
    const TermData& data_;
    const SumShape& shape_;
    MatrixXd terms_;
  };

  const TermData& data_;
  const SumShape& shape_;
  const SumGoal& goal_;
  InstructionSet instructions_;
  std::shared_ptr<const NormalMatrix> normal_matrix_;  ///< set if second derivatives are needed

  Index curved() const { return shape_.terms * shape_.features(); }

  SumParts parts(const VectorXd& x) const {
    return evaluate_sum(data_, shape_, search_coordinates(shape_, x), instructions_);
  }
};

}  // namespace

SumFit finish(const TermData& data, const SumShape& shape, const SumGoal& goal, const SumFit& start,
              const FitOptions& options, double gap_to_stop) {
  const Optimum end =
      finish(SumModel(data, shape, goal, options), MeasuredRows(data.time), goal.loss(), goal,
             finish_coordinates(shape, goal, start.theta), gap_to_stop, options.stop);
  const auto fit_at = [&](const VectorXd& x, double cost) {
    return SumFit{search_coordinates(shape, x), cost, start.evaluations + end.evaluations,
                  end.relative_gap};
  };
  const SumFit out = fit_at(end.at, end.cost);
  SumFit tidied = fit_at(goal.without_traces(finish_coordinates(shape, goal, out.theta)), 0);
  tidied.cost = goal_cost(data, shape, goal, tidied.theta);
  return tidied.cost <= (1 + kSumGap) * out.cost ? tidied : out;
}

SymmetricMatrix curvature_at(const TermData& data, const SumShape& shape, const SumGoal& goal,
                             const SumFit& at, const FitOptions& options) {
  return curvature_at(SumModel(data, shape, goal, options), MeasuredRows(data.time), goal.loss(),
                      goal, finish_coordinates(shape, goal, at.theta));
}

std::optional<double> rise_by_move(const SymmetricMatrix& curvature, const std::vector<bool>& fixed,
                                   const VectorXd& move, const std::stop_token& stop) {
  const VectorXd pull = curvature * move;
  const auto following = solve_free(curvature, fixed, pull, stop);
  if (!following)
    return std::nullopt;
  return (move.dot(pull) - following->dot(pull)) / 2;
}

}  // namespace perfmodel
