#include "fit/task/loss_value.hpp"

#include <cmath>

#include "base/index.hpp"

namespace perfmodel {

namespace {

/// Of so many runs the mean is rounded as that of rows which are not merged.
constexpr std::size_t kRunsOneByOne = std::size_t{1} << 22;

double loss_one_by_one(Loss loss, const Design& runs, const Eigen::VectorXd& predicted) {
  Eigen::VectorXd measured(index(runs.total_runs()));
  Eigen::VectorXd of_runs(measured.size());
  Eigen::Index next = 0;
  for (std::size_t row = 0; row < runs.rows; ++row) {
    const Eigen::Index count = index(runs.runs[row]);
    measured.segment(next, count).setConstant(runs.time[index(row)]);
    of_runs.segment(next, count).setConstant(predicted[index(row)]);
    next += count;
  }
  return loss_value(loss, measured, of_runs);
}

}  // namespace

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
  if (runs.total_runs() <= kRunsOneByOne)
    return loss_one_by_one(loss, runs, predicted);
  double sum = 0;
  const Eigen::ArrayXd losses = row_losses(loss, runs.time, predicted);
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
