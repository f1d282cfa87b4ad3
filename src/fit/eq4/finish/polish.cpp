#include "fit/eq4/finish/polish.hpp"

#include "fit/task/loss_value.hpp"

namespace perfmodel {

PolishResult polish(const WeightedRows& rows, const SearchSpace& space, const Regulariser& penalty,
                    const FitOptions& options, const Eigen::VectorXd& start, double gap_to_stop) {
  return is_absolute(options.loss)
             ? polish_absolute(rows, space, penalty, options, start, gap_to_stop)
             : polish_squared(rows, space, penalty, options, start, gap_to_stop);
}

}  // namespace perfmodel
