#pragma once

#include <Eigen/Core>

namespace perfmodel {

/// The upper of the two middle values where their number is even. At least one value.
double median(Eigen::VectorXd values);

}  // namespace perfmodel
