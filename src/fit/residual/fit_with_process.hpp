#pragma once

#include <optional>

#include "fit/residual/process_runs.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

/// The expression with a residual process, as asked for.
FittedModel fit_with_process(const ModelSpec& spec, const Design& training,
                             const FitOptions& options);

/// One product with a process.
FittedModel product_with_process(const ModelSpec& spec, const Design& training,
                                 const FitOptions& options, const ProcessShape& shape);

/// A model that was fitted to the same runs as the trend of a process. The likelihood may then take
/// what the trend leaves there for what it leaves elsewhere. Where the runs predict each other
/// worse than was `promised`, the mean of |ln(predicted / measured)| of fewer runs, the process
/// that is found beside one product, over whose constants the likelihood averages, is tried in its
/// place.
FittedModel with_process(FittedModel trend, const Design& training, const FitOptions& options,
                         const ProcessShape& shape, std::optional<double> promised = {});

/// Whether a model, alone, breaks such a promise where a process beside it would say clearly more
/// of each run from the others.
bool needs_process(const FittedModel& model, const Design& training, const FitOptions& options,
                   const ProcessShape& shape, double promised);

}  // namespace perfmodel
