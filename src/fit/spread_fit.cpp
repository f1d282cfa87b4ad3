#include "fit/spread_fit.hpp"

#include <utility>

#include "base/tasks/parallel.hpp"
#include "fit/canonical_order.hpp"
#include "fit/task/weighted_rows.hpp"

namespace perfmodel {

std::unique_ptr<SpreadRows> spread_rows(Processes& processes, const ModelSpec& spec,
                                        const Design& sample, std::vector<Design> blocks,
                                        const FitOptions& options) {
  const CanonicalOrder in_order(spec, sample);
  SearchSpace space(in_order.spec(), WeightedRows::merged(in_order.training(), options.loss),
                    options);
  parallel_for(blocks.size(), options.threads, [&](std::size_t i) {
    if (blocks[i].rows > 0)
      blocks[i] = in_order.in_order(blocks[i]);
  });
  return std::make_unique<SpreadRows>(processes, std::move(blocks), std::move(space), options);
}

}  // namespace perfmodel
