#include "data/median.hpp"

#include <algorithm>

namespace perfmodel {

double median(Eigen::VectorXd values) {
  const auto middle = values.data() + values.size() / 2;
  std::nth_element(values.data(), middle, values.data() + values.size());
  return *middle;
}

}  // namespace perfmodel
