#include "fit/sum/finish/simplify.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kLargestPlainPower = 3;
/// A goal below this is none: the runs are told to the last digit that matters.
constexpr double kNoGoal = 1e-9;
/// Further away, in logarithms of the time, nothing is tried.
constexpr double kWorthTrying = 0.5;

double plain_power(double power) {
  return std::nearbyint(2 * power) / 2;
}

/// Coordinates of a term and what they may become.
struct Simplification {
  Index first = 0;
  Index count = 1;
  double value = 0;
  double change = 0;  ///< of the logarithm of its term, one standard deviation over the rows
};

bool is_one_of(const std::vector<std::size_t>& numerics, const std::vector<Index>& features,
               Index feature) {
  return std::any_of(numerics.begin(), numerics.end(),
                     [&](std::size_t numeric) { return features[numeric] == feature; });
}

double spread(const VectorXd& values) {
  return std::sqrt((values.array() - values.mean()).square().mean());
}

class Simplifier {
 public:
  Simplifier(const GoalTask& task, const std::vector<std::pair<Index, Index>>& inputs,
             const SumFit& fit)
      : task_(task), inputs_(inputs), goal_(task.goal), fit_(fit) {}

  SumFit run() {
    for (const Simplification& simpler : in_order()) {
      if (task_.options.stop.stop_requested())
        break;
      take(simpler);
    }
    return fit_;
  }

 private:
  const GoalTask& task_;
  const std::vector<std::pair<Index, Index>>& inputs_;
  SumGoal goal_;
  SumFit fit_;

  bool is_held(Index coordinate) const {
    return goal_.box().lower[coordinate] == goal_.box().upper[coordinate];
  }

  /// A number whose powers are shared or that counts by its ring has none of its own to be plain.
  bool has_plain_powers(Index feature) const {
    const SumShape& shape = task_.shape;
    const auto& features = shape.numeric_features;
    return std::find(features.begin(), features.end(), feature) != features.end() &&
           !is_one_of(shape.rings, features, feature);
  }

  /// What changes least comes first.
  std::vector<Simplification> in_order() const {
    const SumShape& shape = task_.shape;
    std::vector<Simplification> out;
    for (Index term = 0; term < shape.terms; ++term) {
      for (const auto& [feature, count] : inputs_) {
        const Index first = term * shape.features() + feature;
        if (feature >= shape.plain_features || is_held(first) ||
            is_one_of(shape.shared, shape.numeric_features, feature))
          continue;
        const VectorXd own = fit_.theta.segment(first, count);
        const auto columns = task_.data.features.middleCols(feature, count);
        out.push_back({first, count, 0, spread(columns * own)});
        const double plain = plain_power(own[0]);
        if (has_plain_powers(feature) && plain != 0 && std::abs(plain) <= kLargestPlainPower)
          out.push_back({first, 1, plain, spread(columns * (own[0] - plain))});
      }
    }
    std::erase_if(out, [](const Simplification& s) { return s.change > kWorthTrying; });
    std::sort(out.begin(), out.end(), [](const Simplification& a, const Simplification& b) {
      return std::tuple(a.change, a.first) < std::tuple(b.change, b.first);
    });
    return out;
  }

  void take(const Simplification& simpler) {
    if (is_held(simpler.first))
      return;
    SumGoal goal = goal_;
    for (Index j = simpler.first; j < simpler.first + simpler.count; ++j)
      goal.hold(j, simpler.value);
    const SumFit found = finish(
        task_.data, task_.shape, goal, fit_,
        {.held = {}, .instructions = task_.options.instructions, .stop = task_.options.stop},
        kSettledSumGap);
    const double runs = static_cast<double>(task_.data.rows());
    const double price = simpler.value == 0 ? std::log(runs) / 2 : 1;
    const double allowed = static_cast<double>(simpler.count) * price / runs;
    fit_.evaluations = found.evaluations;
    if (!(std::log((found.cost + kNoGoal) / (fit_.cost + kNoGoal)) <= allowed))
      return;
    fit_ = found;
    goal_ = std::move(goal);
  }
};

}  // namespace

bool is_plain_power(double power) {
  return power == plain_power(power) && std::abs(power) <= kLargestPlainPower;
}

SumFit simplified(const GoalTask& task, const std::vector<std::pair<Index, Index>>& inputs,
                  const SumFit& fit) {
  return Simplifier(task, inputs, fit).run();
}

}  // namespace perfmodel
