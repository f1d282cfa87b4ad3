#include "fit/loss_value.hpp"

#include <cmath>

namespace perfmodel {

double loss_value(Loss loss, const Eigen::VectorXd& measured, const Eigen::VectorXd& predicted) {
  const Eigen::ArrayXd residual = (measured - predicted).array();
  switch (loss) {
    case Loss::mae:
      return residual.abs().mean();
    case Loss::mape:
      return (residual.abs() / measured.array()).mean();
    case Loss::mse:
      return residual.square().mean();
    case Loss::rmsle:
      return std::sqrt((measured.array().log() - predicted.array().log()).square().mean());
  }
  return 0;
}

}  // namespace perfmodel
