#include "fit/polish.hpp"

namespace perfmodel {

PolishResult polish(const WeightedRows& rows, const SearchSpace& space, const Regulariser& penalty,
                    const FitOptions& options, const Eigen::VectorXd& start, double gap_to_stop) {
  const bool absolute = options.loss == Loss::mae || options.loss == Loss::mape;
  return (absolute ? polish_absolute : polish_squared)(rows, space, penalty, options, start,
                                                       gap_to_stop);
}

}  // namespace perfmodel
