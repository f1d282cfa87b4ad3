#include "fit/task/loss_value.hpp"

#include <cmath>

#include "base/index.hpp"

namespace perfmodel {

Eigen::ArrayXd row_losses(Loss loss, const Eigen::VectorXd& measured,
                          const Eigen::VectorXd& predicted) {
  const auto residual = (measured - predicted).array();
  const auto log_ratio = measured.array().log() - predicted.array().log();
  switch (loss) {
    case Loss::mae:
      return residual.abs();
    case Loss::mape:
      return residual.abs() / measured.array();
    case Loss::mse:
      return residual.square();
    case Loss::soft_l1:
      return (log_ratio.square() + kSoftness * kSoftness).sqrt() - kSoftness;
    case Loss::rmsle:
      break;
  }
  return log_ratio.square();
}

double loss_value(Loss loss, const Eigen::VectorXd& measured, const Eigen::VectorXd& predicted) {
  const double mean = row_losses(loss, measured, predicted).mean();
  return loss == Loss::rmsle ? std::sqrt(mean) : mean;
}

double loss_value(Loss loss, const Design& runs, const Eigen::VectorXd& predicted) {
  if (runs.runs.empty())
    return loss_value(loss, runs.time, predicted);
  Eigen::VectorXd measured = runs.time;
  double sum = 0;
  for (std::size_t row = 0; row < runs.moments.size(); ++row) {
    const TimeMoments& own = runs.moments[row];
    sum += loss == Loss::rmsle ? own.log_squares : own.squares;
    if (loss == Loss::rmsle)
      measured[index(row)] = std::exp(own.log_mean);
  }
  const Eigen::ArrayXd losses = row_losses(loss, measured, predicted);
  for (std::size_t row = 0; row < runs.rows; ++row)
    sum += static_cast<double>(runs.runs[row]) * losses[index(row)];
  const double mean = sum / static_cast<double>(runs.total_runs());
  return loss == Loss::rmsle ? std::sqrt(mean) : mean;
}

double loss_of_time(Loss loss, double time) {
  switch (loss) {
    case Loss::mae:
      return time;
    case Loss::mse:
      return time * time;
    case Loss::mape:
    case Loss::rmsle:
    case Loss::soft_l1:
      break;
  }
  return 1;
}

bool is_absolute(Loss loss) {
  return loss == Loss::mae || loss == Loss::mape;
}

bool is_squared(Loss loss) {
  return loss == Loss::mse || loss == Loss::rmsle;
}

}  // namespace perfmodel
