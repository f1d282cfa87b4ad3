#pragma once

#include <cmath>
#include <optional>

#include "json/json_cursor.hpp"
#include "json/json_layout.hpp"
#include "perfmodel/data/metrics.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

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

inline Metrics read_metrics(const JsonCursor& node) {
  Metrics metrics;
  metrics.rows = node.member("rows").count();
  metrics.mae = node.member("mae").number();
  metrics.mape_percent = node.member("mape_percent").number();
  metrics.smape_percent = node.member("smape_percent").number();
  metrics.mse = node.member("mse").number();
  metrics.rmse = node.member("rmse").number();
  const auto r2 = node.nullable_member("r2");
  metrics.r2 = r2 ? r2->number() : std::nan("");
  return metrics;
}

/// A part without rows is null.
inline Json to_json(const PartMetrics& metrics) {
  return {{"train", metrics.train.rows > 0 ? to_json(metrics.train) : Json()},
          {"validation", to_json(metrics.validation)},
          {"test", to_json(metrics.test)}};
}

}  // namespace perfmodel
