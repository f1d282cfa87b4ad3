#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>

#include "optimise/algebra.hpp"

namespace perfmodel::test {

/// A cost for any number of coordinates whose lowest value is 0 at a known point, away from the
/// middle of its box.
struct TestFunction {
  std::string_view name;
  double (*cost)(const Eigen::VectorXd& x);
  /// The box and the lowest point, the same in each coordinate.
  double low;
  double high;
  double minimiser;

  optimise::Bounds bounds(Eigen::Index dimension) const {
    return {Eigen::VectorXd::Constant(dimension, low), Eigen::VectorXd::Constant(dimension, high)};
  }
  Eigen::VectorXd answer(Eigen::Index dimension) const {
    return Eigen::VectorXd::Constant(dimension, minimiser);
  }
};

namespace detail {

constexpr double kShift = 1.25;

/// 1 for the first coordinate up to `condition` for the last.
inline double weight(double condition, Eigen::Index i, Eigen::Index dimension) {
  return dimension < 2
             ? 1
             : std::pow(condition, static_cast<double>(i) / static_cast<double>(dimension - 1));
}

inline double kSphere(const Eigen::VectorXd& x) {
  return (x.array() - kShift).square().sum();
}

inline double kEllipsoid(const Eigen::VectorXd& x) {
  double cost = 0;
  for (Eigen::Index i = 0; i < x.size(); ++i)
    cost += weight(1e6, i, x.size()) * (x[i] - kShift) * (x[i] - kShift);
  return cost;
}

inline double kRosenbrock(const Eigen::VectorXd& x) {
  double cost = 0;
  for (Eigen::Index i = 0; i + 1 < x.size(); ++i) {
    const double valley = x[i + 1] - x[i] * x[i];
    cost += 100 * valley * valley + (1 - x[i]) * (1 - x[i]);
  }
  return cost;
}

inline double kRastrigin(const Eigen::VectorXd& x) {
  double cost = 0;
  for (const double coordinate : x) {
    const double z = coordinate - kShift;
    cost += z * z + 10 * (1 - std::cos(2 * std::numbers::pi * z));
  }
  return cost;
}

/// Flat everywhere but for jumps.
inline double kStepEllipsoid(const Eigen::VectorXd& x) {
  double cost = 0;
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const double step = std::floor(x[i] - kShift + 0.5);
    cost += weight(100, i, x.size()) * step * step;
  }
  return cost;
}

/// Not differentiable along the way to the minimum.
inline double kSharpRidge(const Eigen::VectorXd& x) {
  const auto z = x.array() - kShift;
  return z[0] * z[0] + 100 * std::sqrt(z.tail(z.size() - 1).square().sum());
}

}  // namespace detail

inline constexpr TestFunction kSphere{"sphere", detail::kSphere, -5, 5, detail::kShift};
inline constexpr TestFunction kEllipsoid{"ellipsoid", detail::kEllipsoid, -5, 5, detail::kShift};
inline constexpr TestFunction kRosenbrock{"Rosenbrock", detail::kRosenbrock, -5, 10, 1};
inline constexpr TestFunction kRastrigin{"Rastrigin", detail::kRastrigin, -5, 5, detail::kShift};
inline constexpr TestFunction kStepEllipsoid{"step-ellipsoid", detail::kStepEllipsoid, -5, 5,
                                             detail::kShift};
inline constexpr TestFunction kSharpRidge{"sharp ridge", detail::kSharpRidge, -5, 5,
                                          detail::kShift};

inline constexpr std::array kTestFunctions = {kSphere,    kEllipsoid,     kRosenbrock,
                                              kRastrigin, kStepEllipsoid, kSharpRidge};

}  // namespace perfmodel::test
