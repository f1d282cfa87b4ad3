#include "fit/eq4/search/objective.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace perfmodel {
namespace {

/// A bound on the cost becomes one on the sum of row losses; this much slack keeps its rounding
/// from giving up a candidate that ties.
constexpr double kSlack = 1 + 1e-12;

}  // namespace

Objective::Objective(const WeightedRows& rows, const SearchSpace& space, const Regulariser& penalty,
                     const FitOptions& options)
    : space_(space),
      penalty_(penalty),
      loss_(options.loss),
      total_weight_(rows.total_weight()),
      scatter_(rows.scatter()),
      plan_(rows, space, options.loss),
      evaluator_(plan_, options.threads, options.instructions) {}

double Objective::loss_of_sum(double sum) const {
  const double mean = (sum + scatter_) / total_weight_;
  return loss_ == Loss::rmsle ? std::sqrt(mean) : mean;
}

double Objective::sum_above_loss(double loss) const {
  if (loss < 0)
    return 0;
  return kSlack * (total_weight_ * (loss_ == Loss::rmsle ? loss * loss : loss)) - scatter_;
}

void Objective::operator()(const Eigen::Ref<const Eigen::MatrixXd>& candidates,
                           std::span<const double> abandon_above, std::span<double> costs) const {
  std::vector<double> penalties(costs.size(), 0);
  if (penalty_.active()) {
    for (std::size_t i = 0; i < costs.size(); ++i) {
      penalties[i] =
          penalty_(space_.scaled_from_coordinates(candidates.col(static_cast<Eigen::Index>(i))));
    }
  }
  std::vector<double> sum_bounds(costs.size(), std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < costs.size(); ++i)
    sum_bounds[i] = sum_above_loss(kSlack * abandon_above[i] - penalties[i]);
  evaluator_(candidates, sum_bounds, costs);
  for (std::size_t i = 0; i < costs.size(); ++i)
    costs[i] = loss_of_sum(costs[i]) + penalties[i];
}

}  // namespace perfmodel
