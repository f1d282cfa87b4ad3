#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/eigen.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

/// The scatter of simulated times about the model's.
struct Noise {
  /// Standard deviation of ln(time): 0.05 is five percent. The model's time is the median.
  double relative = 0;
  /// Standard deviation of a term added to the time, in its unit.
  double additive = 0;
  /// For a model with a GP residual: draws from the posterior instead of taking its mean. Equal
  /// configurations get equal times.
  bool draw = false;
};

/// One time per row: t exp(relative z1) + additive z2 with the model's t and independent standard
/// normal z1, z2. Additive noise can make a time 0 or less.
///
/// Throws UsageError for a draw if the model has no GP, or if there are too many configurations for
/// the covariances of all pairs.
VectorXd simulate(const FittedModel& model, const Design& design, const Noise& noise,
                  std::uint64_t seed);

enum class PenaltyKind { none, l1, l2 };

constexpr auto texts_of(PenaltyKind) {
  using enum PenaltyKind;
  return std::to_array<EnumText<PenaltyKind>>({{none, "none"}, {l1, "l1"}, {l2, "l2"}});
}

/// One fit of the regularisation path.
struct SweepPoint {
  PenaltyKind penalty = PenaltyKind::none;
  double lambda = 0;
  FittedModel model;  ///< with the metrics of all splits
  /// Mean loss per validation row, without the penalty (|e|, |e| / t, e^2, or the squared error of
  /// ln t), and its standard error.
  double validation_loss = 0;
  double standard_error = 0;
};

/// How lambda is selected by the validation losses.
enum class LambdaRule {
  lowest,              ///< the lowest validation loss
  one_standard_error,  ///< the largest lambda within one standard error of the lowest loss
};

constexpr auto texts_of(LambdaRule) {
  using enum LambdaRule;
  return std::to_array<EnumText<LambdaRule>>(
      {{lowest, "lowest"}, {one_standard_error, "one_standard_error"}});
}

/// `count` values from `low` to `high`, equally spaced in the logarithm. 0 < low <= high.
std::vector<double> log_grid(double low, double high, std::size_t count);

/// The rows of each split. Validation is required, test may be null.
struct SweepData {
  const ModelSpec& spec;
  const Design& training;
  const Design& validation;
  const Design* test = nullptr;
};

/// A fit without penalty, then one per penalty and lambda, all with the seed of the options. The
/// fits are independent: a point does not depend on the grid around it. options.threads fits run at
/// a time.
///
/// Throws Interrupted if a stop was
/// requested before all were done.
std::vector<SweepPoint> sweep(const SweepData& data, const FitOptions& options,
                              const std::vector<PenaltyKind>& penalties,
                              const std::vector<double>& lambdas,
                              const std::function<void(std::size_t)>& fit_done = nullptr);

/// Index of the selected point. The one-standard-error rule considers only the penalty of the point
/// of lowest loss or, if that has none, the penalty with the next lowest loss.
std::size_t choose(const std::vector<SweepPoint>& points, LambdaRule rule);

}  // namespace perfmodel
