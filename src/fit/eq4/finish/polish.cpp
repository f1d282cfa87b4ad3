#include "fit/eq4/finish/polish.hpp"

#include "fit/task/loss_value.hpp"

namespace perfmodel {

PolishResult polish(const WeightedRows& rows, const SearchSpace& space, const Regulariser& penalty,
                    const FitOptions& options, const Eigen::VectorXd& start, double gap_to_stop) {
  const bool absolute = is_absolute(options.loss);
  return (absolute ? polish_absolute : polish_squared)(rows, space, penalty, options, start,
                                                       gap_to_stop);
}

}  // namespace perfmodel
