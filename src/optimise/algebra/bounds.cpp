#include "optimise/algebra/bounds.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "base/text.hpp"

namespace perfmodel::optimise {

void require_valid(const Bounds& bounds) {
  if (bounds.lower.size() != bounds.upper.size()) {
    throw std::invalid_argument("there are " + std::to_string(bounds.lower.size()) + " lower but " +
                                std::to_string(bounds.upper.size()) + " upper bounds");
  }
  for (Eigen::Index i = 0; i < bounds.size(); ++i) {
    const double lower = bounds.lower[i];
    const double upper = bounds.upper[i];
    const std::string range = "the bounds " + perfmodel::to_text(lower) + ":" +
                              perfmodel::to_text(upper) + " of coordinate " + std::to_string(i);
    if (!std::isfinite(lower) || !std::isfinite(upper))
      throw std::invalid_argument(range + " are not finite");
    if (lower > upper)
      throw std::invalid_argument(range + " are crossed");
    if (!std::isfinite(upper - lower))
      throw std::invalid_argument(range + " are too far apart");
  }
}

std::vector<Eigen::Index> free_coordinates(const Bounds& bounds) {
  std::vector<Eigen::Index> free;
  for (Eigen::Index i = 0; i < bounds.size(); ++i)
    if (bounds.lower[i] < bounds.upper[i])
      free.push_back(i);
  return free;
}

}  // namespace perfmodel::optimise
