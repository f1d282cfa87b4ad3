#pragma once

#include <array>
#include <optional>

#include "perfmodel/error.hpp"

namespace perfmodel {

/// The function of the training rows that is minimised.
enum class Loss {
  mae,    ///< Eq. (8): mean |t - y|
  mape,   ///< mean |t - y| / t
  mse,    ///< mean (t - y)^2
  rmsle,  ///< sqrt(mean (ln t - ln y)^2), without the usual +1: independent of the time unit
  /// mean sqrt(x^2 + 0.1^2) - 0.1 of x = ln t - ln y, in which large errors count by their size,
  /// not its square; only for sums of product terms.
  soft_l1,
  /// mean of Huber's function of ln t - ln y, x^2 / 2 up to 0.001 and 0.001 (|x| - 0.0005) beyond
  huber,
};

constexpr auto texts_of(Loss) {
  using enum Loss;
  return std::to_array<EnumText<Loss>>({{mae, "mae"},
                                        {mape, "mape"},
                                        {mse, "mse"},
                                        {rmsle, "rmsle"},
                                        {soft_l1, "soft-l1"},
                                        {huber, "huber"}});
}

/// In which units a penalty takes the constants.
enum class Penalise {
  raw,     ///< as in model.json and the paper; the meaning of lambda depends on the units
  scaled,  ///< of standardised columns, in units of the median time: independent of the units
};

constexpr auto texts_of(Penalise) {
  using enum Penalise;
  return std::to_array<EnumText<Penalise>>({{raw, "raw"}, {scaled, "scaled"}});
}

/// Eqs. (10) and (11): lambda times the sum of |x| or x^2 over all constants except C.
struct Penalty {
  double l1 = 0;
  double l2 = 0;
  Penalise constants = Penalise::raw;
};

/// What the constants minimise.
struct FitObjective {
  Loss loss = Loss::mae;
  std::optional<double> quantile = {};  ///< of the pinball loss; none: 1/2
  Penalty penalty;
};

}  // namespace perfmodel
