#include "analysis/drift.hpp"

#include <limits>

namespace perfmodel {
namespace {

double relative_change(double now, double before) {
  if (before == 0)
    return now == 0 ? 0 : std::numeric_limits<double>::infinity();
  return 100 * (now - before) / before;
}

}  // namespace

std::vector<std::pair<std::string, double>> drift(const Metrics& now, const Metrics& before,
                                                  const Eigen::VectorXd& predicted_now,
                                                  const Eigen::VectorXd& predicted_before) {
  const Eigen::ArrayXd old = predicted_before.array();
  return {{"mae_drift", relative_change(now.mae, before.mae)},
          {"mape_drift", now.mape_percent - before.mape_percent},
          {"smape_drift", now.smape_percent - before.smape_percent},
          {"mse_drift", relative_change(now.mse, before.mse)},
          {"rmse_drift", relative_change(now.rmse, before.rmse)},
          {"r2_drift", now.r2 - before.r2},
          {"prediction_drift", 100 * ((predicted_now.array() - old).abs() / old).mean()}};
}

std::vector<std::string> drift_names() {
  std::vector<std::string> names;
  const Eigen::VectorXd one = Eigen::VectorXd::Ones(1);
  for (const auto& [name, value] : drift({}, {}, one, one))
    names.push_back(name);
  return names;
}

}  // namespace perfmodel
