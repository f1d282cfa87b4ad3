#pragma once

#include "fit/residual/process_runs.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

/// The expression with a residual process, as asked for.
FittedModel fit_with_process(const ModelSpec& spec, const Design& training,
                             const FitOptions& options);

/// One product with a process.
FittedModel product_with_process(const ModelSpec& spec, const Design& training,
                                 const FitOptions& options, const ProcessShape& shape);

/// A model that was fitted to the same runs as the trend of a process.
FittedModel with_process(FittedModel trend, const Design& training, const FitOptions& options,
                         const ProcessShape& shape);

}  // namespace perfmodel
