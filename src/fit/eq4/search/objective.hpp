#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>

#include "fit/eq4/kernel/evaluator.hpp"
#include "fit/eq4/space/penalty.hpp"
#include "fit/eq4/space/search_space.hpp"
#include "fit/task/weighted_rows.hpp"

namespace perfmodel {

/// Loss plus penalty of Eq. (4) over the training rows, as a function of search coordinates.
class Objective {
 public:
  Objective(const WeightedRows& rows, const SearchSpace& space, const Regulariser& penalty,
            const FitOptions& options);

  /// The signature of optimise::BatchObjective.
  void operator()(const Eigen::Ref<const Eigen::MatrixXd>& candidates,
                  std::span<const double> abandon_above, std::span<double> costs) const;

 private:
  double loss_of_sum(double sum) const;
  /// A sum of row losses from which on the loss is surely greater.
  double sum_above_loss(double loss) const;

  const SearchSpace& space_;
  Regulariser penalty_;
  Loss loss_;
  double total_weight_;
  double scatter_;
  kernel::Plan plan_;
  kernel::Evaluator evaluator_;
};

}  // namespace perfmodel
