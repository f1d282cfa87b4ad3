#include "cli/predictions.hpp"

#include <cmath>

#include "perfmodel/base/error.hpp"
#include "perfmodel/base/text.hpp"

namespace perfmodel::cli {

Eigen::VectorXd predicted_times(const FittedModel& model, const Design& design,
                                const std::function<std::string(std::size_t row)>& where) {
  Eigen::VectorXd times = predict(model, design);
  for (Eigen::Index row = 0; row < times.size(); ++row) {
    const bool finite = std::isfinite(times[row]);
    if (!finite || times[row] <= 0) {
      throw InputError(where(static_cast<std::size_t>(row)) + ": the model predicts " +
                       (finite ? to_text(times[row]) : "a value too large for a number") +
                       ", which is no time; the configuration is too far from the measured ones");
    }
  }
  return times;
}

Metrics measure(const FittedModel& model, const Design& design, const std::string& part) {
  const Metrics metrics = compute_metrics(design.time, predict(model, design));
  if (!std::isfinite(metrics.mse) || !std::isfinite(metrics.mape_percent)) {
    throw InputError("the model's predictions for " + part +
                     " are too large for numbers; the configurations are too far from the "
                     "measured ones");
  }
  return metrics;
}

}  // namespace perfmodel::cli
