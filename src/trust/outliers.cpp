#include "trust/outliers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.hpp"
#include "data/median.hpp"

namespace perfmodel {

std::vector<Outlier> ranked_outliers(const Eigen::VectorXd& measured,
                                     const Eigen::VectorXd& predicted) {
  constexpr double normal_consistency = 1.4826;
  Eigen::VectorXd residuals = measured.array().log() - predicted.array().log();
  for (double& residual : residuals)
    if (!std::isfinite(residual))
      residual = std::numeric_limits<double>::max();
  if (residuals.size() == 0)
    return {};
  const double centre = median(residuals);
  const double scale =
      normal_consistency * median((residuals.array() - centre).abs().matrix().eval());
  if (!(scale > 0))
    return {};
  std::vector<Outlier> out;
  for (Eigen::Index r = 0; r < residuals.size(); ++r) {
    const double z = std::clamp((residuals[r] - centre) / scale, -1e9, 1e9);
    out.push_back({static_cast<std::size_t>(r), z});
  }
  std::stable_sort(out.begin(), out.end(), [](const Outlier& a, const Outlier& b) {
    return std::abs(a.robust_z) > std::abs(b.robust_z);
  });
  return out;
}

}  // namespace perfmodel
