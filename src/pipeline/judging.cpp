#include "perfmodel/pipeline/judging.hpp"

#include <cmath>

#include "fit/task/number_range.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {

Metrics measure(const Design& design, const Eigen::VectorXd& predicted, const std::string& part) {
  if (!in_fitted_range(design)) {
    throw InputError("the errors for " + part +
                     " are too large or too small for numbers; write the times and the columns in "
                     "units in which they are nearer to 1");
  }
  const Metrics metrics = compute_metrics(design.time, predicted);
  if (!std::isfinite(metrics.mse) || !std::isfinite(metrics.mape_percent)) {
    throw InputError("the model's predictions for " + part +
                     " are too large for numbers; the configurations are too far from the "
                     "measured ones");
  }
  return metrics;
}

Metrics measure(const FittedModel& model, const Design& design, const std::string& part) {
  return measure(design, predict(model, design), part);
}

}  // namespace perfmodel
