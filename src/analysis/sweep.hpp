#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/parallel.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

/// How simulated times scatter around the model's.
struct Noise {
  /// Standard deviation of ln(time): 0.05 is five percent. The model's time stays the median.
  double relative = 0;
  /// Standard deviation of what is added to the time, in its unit.
  double additive = 0;
  /// Of a model with a residual process: times of one law that the runs allow, in place of the most
  /// likely one. The same configuration has the same.
  bool draw = false;
};

/// One time per row: t exp(relative z1) + additive z2 with the model's t and standard normal z1, z2
/// of each row. Additive noise can make a time 0 or less.
///
/// Throws UsageError for a draw where there is no process, or too many configurations to look at
/// all pairs of them.
Eigen::VectorXd simulate(const FittedModel& model, const Design& design, const Noise& noise,
                         std::uint64_t seed);

enum class PenaltyKind { none, l1, l2 };

std::string_view to_text(PenaltyKind kind);

/// One fit of the regularisation path.
struct SweepPoint {
  PenaltyKind penalty = PenaltyKind::none;
  double lambda = 0;
  FittedModel model;  ///< with the metrics of all parts
  /// Mean over the validation rows of the loss of a row, without the penalty (|e|, |e| / t, e^2, or
  /// the squared error of ln t), and its standard error.
  double validation_loss = 0;
  double standard_error = 0;
};

/// How lambda is chosen from the validation losses.
enum class LambdaRule {
  lowest,              ///< the lowest validation loss
  one_standard_error,  ///< the largest lambda within a standard error of the lowest loss
};

std::string_view to_text(LambdaRule rule);

/// `count` values from `low` to `high`, equally spaced in the logarithm. 0 < low <= high.
std::vector<double> log_grid(double low, double high, std::size_t count);

/// The rows of each part. Validation is required, test may be null.
struct SweepData {
  const ModelSpec& spec;
  const Design& training;
  const Design& validation;
  const Design* test = nullptr;
};

/// A fit without penalty, then one per penalty and lambda, all with the seed of the options and
/// each on its own: a point does not depend on the grid around it. options.threads fits run at a
/// time.
///
/// Points that `hooks` leave to others have no model. Throws Interrupted where a stop was requested
/// before all were done.
std::vector<SweepPoint> sweep(const SweepData& data, const FitOptions& options,
                              const std::vector<PenaltyKind>& penalties,
                              const std::vector<double>& lambdas,
                              const std::function<void(std::size_t)>& fit_done = nullptr,
                              const TaskHooks<SweepPoint>& hooks = {});

/// Index of the chosen point. The rule of one standard error stays with the penalty of the lowest
/// loss (where that is none, with the penalty that comes nearest).
std::size_t choose(const std::vector<SweepPoint>& points, LambdaRule rule);

}  // namespace perfmodel
