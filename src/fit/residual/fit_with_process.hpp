#pragma once

#include <optional>

#include "fit/residual/process_runs.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

/// The expression with a residual process, as asked for.
FittedModel fit_with_process(const ModelSpec& spec, const Design& training,
                             const FitOptions& options);

/// What can be chosen of a process, besides its hyper-parameters.
struct ProcessShape {
  TrendPrior prior = TrendPrior::free;
  std::vector<std::size_t> rings = {};  ///< numeric columns that count by 1 - 1/n
};

/// One product with a process.
FittedModel product_with_process(const ModelSpec& spec, const Design& training,
                                 const FitOptions& options, const ProcessShape& shape);

/// A model that was fitted to the same runs as the trend of a process.
FittedModel with_process(FittedModel trend, const Design& training, const FitOptions& options,
                         const ProcessShape& shape);

}  // namespace perfmodel
