#include "optimise/newton/quasi_newton.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <vector>

namespace perfmodel::optimise {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kSufficientGain = 1e-4;
constexpr std::size_t kMostHalvings = 20;

struct Correction {
  VectorXd step;
  VectorXd change;  ///< of the gradient
  double product = 0;
};

class Descent {
 public:
  Descent(const BatchObjective& objective, const Bounds& bounds, const VectorXd& start,
          const QuasiNewtonOptions& options)
      : objective_(objective), bounds_(bounds), options_(options), x_(start) {
    cost_ = costs_of(x_).front();
    gradient_ = gradient_at(x_, cost_);
  }

  QuasiNewtonResult run() {
    std::size_t iterations = 0;
    while (iterations < options_.iterations && evaluations_ < options_.evaluations &&
           !options_.stop.stop_requested() && largest_descent() > options_.projected_gradient) {
      const double before = cost_;
      if (!step()) {
        if (corrections_.empty())
          break;
        corrections_.clear();  // a last try along the gradient itself
        continue;
      }
      ++iterations;
      if (before - cost_ <= options_.reduction * std::max({std::abs(before), std::abs(cost_), 1.0}))
        break;
    }
    return {.best = x_, .cost = cost_, .iterations = iterations, .evaluations = evaluations_};
  }

 private:
  std::vector<double> costs_of(const MatrixXd& points) {
    const auto count = static_cast<std::size_t>(points.cols());
    const std::vector<double> no_limit(count, std::numeric_limits<double>::infinity());
    std::vector<double> costs(count);
    objective_(points, no_limit, costs);
    evaluations_ += count;
    for (double& cost : costs) {
      if (!std::isfinite(cost))
        cost = std::numeric_limits<double>::infinity();
    }
    return costs;
  }

  VectorXd gradient_at(const VectorXd& x, double cost) {
    MatrixXd points = x.replicate(1, x.size());
    for (Index j = 0; j < x.size(); ++j) {
      const bool forward = x[j] + options_.difference <= bounds_.upper[j];
      points(j, j) += forward ? options_.difference : -options_.difference;
    }
    const std::vector<double> costs = costs_of(points);
    VectorXd gradient(x.size());
    for (Index j = 0; j < x.size(); ++j) {
      const double slope = (costs[static_cast<std::size_t>(j)] - cost) / (points(j, j) - x[j]);
      gradient[j] = std::isfinite(slope) && bounds_.lower[j] < bounds_.upper[j] ? slope : 0;
    }
    return gradient;
  }

  bool held(Index j) const {
    return (x_[j] <= bounds_.lower[j] && gradient_[j] > 0) ||
           (x_[j] >= bounds_.upper[j] && gradient_[j] < 0);
  }

  VectorXd free_part(VectorXd direction) const {
    for (Index j = 0; j < direction.size(); ++j) {
      if (held(j))
        direction[j] = 0;
    }
    return direction;
  }

  VectorXd projected(const VectorXd& x) const {
    return x.cwiseMax(bounds_.lower).cwiseMin(bounds_.upper);
  }

  /// Of the step to the nearest point of the box along the gradient.
  double largest_descent() const { return (projected(x_ - gradient_) - x_).cwiseAbs().maxCoeff(); }

  /// The two loops of Nocedal 1980, among the free coordinates.
  VectorXd direction() const {
    VectorXd q = free_part(gradient_);
    std::vector<double> share(corrections_.size());
    for (std::size_t k = corrections_.size(); k-- > 0;) {
      share[k] = corrections_[k].step.dot(q) / corrections_[k].product;
      q -= share[k] * corrections_[k].change;
    }
    if (!corrections_.empty()) {
      const Correction& last = corrections_.back();
      q *= last.product / last.change.squaredNorm();
    } else {
      q *= std::min(1.0, 1 / q.norm());
    }
    for (std::size_t k = 0; k < corrections_.size(); ++k) {
      const double back = corrections_[k].change.dot(q) / corrections_[k].product;
      q += (share[k] - back) * corrections_[k].step;
    }
    return -free_part(q);
  }

  bool step() {
    const VectorXd along = direction();
    if (gradient_.dot(along) >= 0)
      return false;
    double length = 1;
    for (std::size_t k = 0; k < kMostHalvings; ++k, length *= 0.5) {
      const VectorXd x = projected(x_ + length * along);
      const double cost = costs_of(x).front();
      if (cost < cost_ && cost <= cost_ + kSufficientGain * gradient_.dot(x - x_)) {
        accept(x, cost);
        return true;
      }
    }
    return false;
  }

  void accept(const VectorXd& x, double cost) {
    const VectorXd gradient = gradient_at(x, cost);
    Correction correction{.step = x - x_, .change = gradient - gradient_};
    correction.product = correction.step.dot(correction.change);
    // Only pairs of positive curvature keep the approximation positive definite.
    if (correction.product >
        std::numeric_limits<double>::epsilon() * correction.change.squaredNorm()) {
      corrections_.push_back(std::move(correction));
      if (corrections_.size() > options_.corrections)
        corrections_.pop_front();
    }
    x_ = x;
    cost_ = cost;
    gradient_ = gradient;
  }

  const BatchObjective& objective_;
  const Bounds& bounds_;
  const QuasiNewtonOptions& options_;
  VectorXd x_;
  double cost_ = 0;
  VectorXd gradient_;
  std::deque<Correction> corrections_;
  std::size_t evaluations_ = 0;
};

}  // namespace

QuasiNewtonResult quasi_newton(const BatchObjective& objective, const Bounds& bounds,
                               const VectorXd& start, const QuasiNewtonOptions& options) {
  return Descent(objective, bounds, start, options).run();
}

}  // namespace perfmodel::optimise
