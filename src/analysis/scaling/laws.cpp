#include "perfmodel/analysis/scaling/laws.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <set>

namespace perfmodel::scaling {
namespace {

template <class Model>
double rmse(const std::vector<Point>& points, const Model& model) {
  double sum = 0;
  for (const Point& point : points) {
    const double error = point.value - model(point.scale);
    sum += error * error;
  }
  return std::sqrt(sum / static_cast<double>(points.size()));
}

std::size_t distinct_scales(const std::vector<Point>& points) {
  std::set<double> scales;
  for (const Point& point : points)
    scales.insert(point.scale);
  return scales.size();
}

/// Bounded nonlinear least squares for the law: Levenberg and Marquardt's damped Gauss-Newton
/// steps, each cut off at the bounds sigma, kappa >= 0.
class UslFit {
 public:
  UslFit(const std::vector<Point>& points, bool fix_gamma)
      : points_(points), fix_gamma_(fix_gamma) {}

  Usl fit(Usl usl) const {
    double damping = 1e-3;
    double cost = cost_of(usl);
    for (int iteration = 0; iteration < 1000 && damping < 1e12; ++iteration) {
      const Usl trial = step(usl, damping);
      const double trial_cost = cost_of(trial);
      if (!(trial_cost < cost)) {
        damping *= 4;
        continue;
      }
      const bool converged = cost - trial_cost <= 1e-15 * cost;
      usl = trial;
      cost = trial_cost;
      damping = std::max(damping / 4, 1e-12);
      if (converged)
        break;
    }
    return usl;
  }

 private:
  const std::vector<Point>& points_;
  bool fix_gamma_;

  double cost_of(const Usl& usl) const {
    return rmse(
        points_, [&](double scale) { return usl.throughput(scale); });
  }

  Usl step(const Usl& usl, double damping) const {
    Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
    Eigen::Vector3d right = Eigen::Vector3d::Zero();
    for (const Point& point : points_) {
      const double n = point.scale;
      const double x = usl.throughput(n);
      const double divisor = 1 + usl.sigma * (n - 1) + usl.kappa * n * (n - 1);
      const Eigen::Vector3d slope(-x * (n - 1) / divisor, -x * n * (n - 1) / divisor,
                                  fix_gamma_ ? 0 : x / usl.gamma);
      normal += slope * slope.transpose();
      right += slope * (point.value - x);
    }
    // A constant at its bound that wants to leave the range stays there, and so does a fixed one.
    const auto hold = [&](Eigen::Index i) {
      normal.row(i).setZero();
      normal.col(i).setZero();
      normal(i, i) = 1;
      right[i] = 0;
    };
    if (usl.sigma == 0 && right[0] < 0)
      hold(0);
    if (usl.kappa == 0 && right[1] < 0)
      hold(1);
    if (fix_gamma_)
      hold(2);
    normal.diagonal() *= 1 + damping;
    const Eigen::Vector3d move = normal.ldlt().solve(right);
    Usl moved = usl;
    moved.sigma = std::max(0.0, usl.sigma + move[0]);
    moved.kappa = std::max(0.0, usl.kappa + move[1]);
    moved.gamma = std::max(usl.gamma * 1e-3, usl.gamma + move[2]);
    return moved;
  }
};

}  // namespace

std::optional<double> Usl::peak() const {
  return kappa > 0 && sigma < 1 ? std::optional(std::sqrt((1 - sigma) / kappa)) : std::nullopt;
}

Amdahl fit_amdahl(const std::vector<Point>& times) {
  // Linear in 1/G: t = serial + parallel / G.
  double x1 = 0;
  double x2 = 0;
  double y = 0;
  double xy = 0;
  const auto n = static_cast<double>(times.size());
  for (const Point& point : times) {
    x1 += 1 / point.scale;
    x2 += 1 / (point.scale * point.scale);
    y += point.value;
    xy += point.value / point.scale;
  }
  double parallel = (n * xy - x1 * y) / (n * x2 - x1 * x1);
  double serial = (y - parallel * x1) / n;
  if (serial < 0) {
    serial = 0;
    parallel = xy / x2;
  } else if (parallel < 0) {
    parallel = 0;
    serial = y / n;
  }
  Amdahl law;
  law.time_of_one = serial + parallel;
  law.serial_fraction = serial / law.time_of_one;
  law.rmse = rmse(times, [&](double scale) { return law.time(scale); });
  return law;
}

Gustafson fit_gustafson(const std::vector<Point>& speedups) {
  double above = 0;
  double below = 0;
  for (const Point& point : speedups) {
    above += (point.scale - point.value) * (point.scale - 1);
    below += (point.scale - 1) * (point.scale - 1);
  }
  Gustafson law;
  law.serial_fraction = std::clamp(above / below, 0.0, 1.0);
  law.rmse = rmse(speedups, [&](double scale) { return law.speedup(scale); });
  return law;
}

std::optional<Usl> fit_usl(const std::vector<Point>& throughputs) {
  const std::size_t scales = distinct_scales(throughputs);
  const auto one = std::find_if(throughputs.begin(), throughputs.end(),
                                [](const Point& point) { return point.scale == 1; });
  const bool fix_gamma = scales == 3 && one != throughputs.end();
  if (scales < 4 && !fix_gamma)
    return std::nullopt;
  Usl start;
  start.sigma = 0.01;
  start.kappa = 1e-4;
  start.gamma_is_measured = fix_gamma;
  if (fix_gamma)
    start.gamma = one->value;
  else
    for (const Point& point : throughputs)
      start.gamma = std::max(start.gamma, point.value / point.scale);
  const UslFit search(throughputs, fix_gamma);
  Usl best = search.fit(start);
  // The edges of the range are fitted on their own: a step that was cut off there can stick.
  for (const auto& [sigma, kappa] : {std::pair{0.0, 1e-3}, std::pair{0.1, 0.0}, std::pair{0.0, 0.0},
                                     std::pair{0.3, 1e-2}, std::pair{0.01, 1e-6}}) {
    Usl other = start;
    other.sigma = sigma;
    other.kappa = kappa;
    other = search.fit(other);
    const auto cost = [&](const Usl& usl) {
      return rmse(throughputs, [&](double scale) { return usl.throughput(scale); });
    };
    if (cost(other) < cost(best))
      best = other;
  }
  best.rmse = rmse(throughputs, [&](double scale) { return best.throughput(scale); });
  return best;
}

double karp_flatt(double speedup, double scale) {
  return (1 / speedup - 1 / scale) / (1 - 1 / scale);
}

}  // namespace perfmodel::scaling
