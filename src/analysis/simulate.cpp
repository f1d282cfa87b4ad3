#include "analysis/simulate.hpp"

#include <cmath>

#include "base/random.hpp"

namespace perfmodel {

Eigen::VectorXd simulate(const FittedModel& model, const Design& design, const Noise& noise,
                         std::uint64_t seed) {
  Eigen::VectorXd times = predict(model, design);
  // A stream for each kind, so that adding one kind of noise leaves the other as it was.
  RandomStream relative(seed, "relative noise");
  RandomStream additive(seed, "additive noise");
  for (double& time : times)
    time = time * std::exp(noise.relative * relative.normal()) + noise.additive * additive.normal();
  return times;
}

}  // namespace perfmodel
