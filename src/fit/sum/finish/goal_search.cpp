#include "fit/sum/finish/goal_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "base/index.hpp"
#include "base/random.hpp"
#include "base/tasks/parallel.hpp"
#include "fit/sum/descent/approach.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

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

}  // namespace perfmodel
