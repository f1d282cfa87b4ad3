#include "fit/polish.hpp"

namespace perfmodel {

PolishResult polish(const Design& training, const SearchSpace& space, const FitOptions& options,
                    const Eigen::VectorXd& start) {
  const bool absolute = options.loss == Loss::mae || options.loss == Loss::mape;
  return (absolute ? polish_absolute : polish_squared)(training, space, options, start);
}

}  // namespace perfmodel
