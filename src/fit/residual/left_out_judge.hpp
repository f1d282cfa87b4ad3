#pragma once

#include <Eigen/Core>

namespace perfmodel {

/// The mean of the larger of |ln(time / prediction)| and the relative error, which is the larger
/// one by far for a prediction that is far too large. `errors`: ln(time / prediction).
double mean_either_way(const Eigen::VectorXd& errors);

/// Whether errors, as ln(time / prediction), are clearly smaller in that than others at the same
/// runs.
bool clearly_smaller(const Eigen::VectorXd& errors, const Eigen::VectorXd& others);

}  // namespace perfmodel
