#include "fit/polish.hpp"

namespace perfmodel {

PolishResult polish(const Design& training, const SearchSpace& space, const FitOptions& options,
                    const Eigen::VectorXd& start, double gap_to_stop) {
  const bool absolute = options.loss == Loss::mae || options.loss == Loss::mape;
  return (absolute ? polish_absolute : polish_squared)(training, space, options, start,
                                                       gap_to_stop);
}

}  // namespace perfmodel
