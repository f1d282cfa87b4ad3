#include "optimise/evolution/scheme.hpp"

#include "optimise/evolution/dithered.hpp"
#include "optimise/evolution/self_adaptive.hpp"
#include "optimise/evolution/success_history.hpp"

namespace perfmodel::optimise {

std::unique_ptr<Scheme> make_scheme(const DifferentialEvolutionOptions& options) {
  switch (options.strategy) {
    case Strategy::best1bin:
    case Strategy::rand1bin:
    case Strategy::currenttobest1bin:
      break;
    case Strategy::jde:
      return std::make_unique<SelfAdaptive>();
    case Strategy::lshade:
      return std::make_unique<SuccessHistory>();
  }
  return std::make_unique<Dithered>(options);
}

}  // namespace perfmodel::optimise
