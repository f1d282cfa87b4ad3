#pragma once

#include <cmath>
#include <optional>

#include "io/json_layout.hpp"
#include "perfmodel/data/metrics.hpp"
#include "perfmodel/fit/fitted_model.hpp"

namespace perfmodel {

/// Metrics as every document has them; an undefined R2 is null.
inline Json to_json(const Metrics& metrics) {
  return {{"rows", metrics.rows},
          {"mae", number(metrics.mae)},
          {"mape_percent", number(metrics.mape_percent)},
          {"smape_percent", number(metrics.smape_percent)},
          {"mse", number(metrics.mse)},
          {"rmse", number(metrics.rmse)},
          {"r2", std::isnan(metrics.r2) ? Json() : number(metrics.r2)}};
}

inline Json to_json(const std::optional<Metrics>& metrics) {
  return metrics ? to_json(*metrics) : Json();
}

/// A part without rows is null.
inline Json to_json(const PartMetrics& metrics) {
  return {{"train", metrics.train.rows > 0 ? to_json(metrics.train) : Json()},
          {"validation", to_json(metrics.validation)},
          {"test", to_json(metrics.test)}};
}

}  // namespace perfmodel
