#pragma once

#include <Eigen/Core>

// Eigen's types by their own names.

namespace perfmodel {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;

}  // namespace perfmodel
