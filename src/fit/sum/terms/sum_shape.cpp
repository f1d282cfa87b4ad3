#include <algorithm>

#include "fit/sum/terms/term_data.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

}  // namespace

std::vector<bool> SumShape::held() const {
  std::vector<bool> out = still;
  out.resize(static_cast<std::size_t>(size()), false);
  for (Index k = 0; k < terms; ++k) {
    for (std::size_t n = 0; n < numeric_features.size(); ++n)
      if (leaves_out(k, n))
        out[static_cast<std::size_t>(k * features() + numeric_features[n])] = true;
  }
  if (!pure_logarithms)
    return out;
  for (std::size_t k = 0; k < log_powers.size(); ++k) {
    for (std::size_t n = 0; n < numeric_features.size() && n < log_powers[k].size(); ++n) {
      const Index at = static_cast<Index>(k) * features() + numeric_features[n];
      if (log_powers[k][n] != 0)
        out[static_cast<std::size_t>(at)] = true;
    }
  }
  return out;
}

bool SumShape::leaves_out(Index term, std::size_t numeric) const {
  const auto k = static_cast<std::size_t>(term);
  return k < left_out.size() &&
         std::find(left_out[k].begin(), left_out[k].end(), numeric) != left_out[k].end();
}

std::vector<std::pair<Index, Index>> SumShape::followers() const {
  std::vector<std::pair<Index, Index>> out;
  for (const std::size_t numeric : shared) {
    const Index leader = numeric_features[numeric];
    for (Index k = 1; k < terms; ++k)
      out.emplace_back(k * features() + leader, leader);
  }
  return out;
}

VectorXd SumShape::tied(VectorXd theta) const {
  for (const auto& [follower, leader] : followers())
    theta[follower] = theta[leader];
  return theta;
}

}  // namespace perfmodel
