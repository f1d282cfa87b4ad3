#include "fit/sum/terms/contrasts.hpp"

#include <cmath>

namespace perfmodel {

Eigen::MatrixXd contrasts(std::size_t levels) {
  const Eigen::Index n = static_cast<Eigen::Index>(levels);
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(n, n - 1);
  for (Eigen::Index m = 1; m < n; ++m) {
    const double scale = 1 / std::sqrt(static_cast<double>(m) * static_cast<double>(m + 1));
    out.col(m - 1).head(m).setConstant(scale);
    out(m, m - 1) = -scale * static_cast<double>(m);
  }
  return out;
}

}  // namespace perfmodel
