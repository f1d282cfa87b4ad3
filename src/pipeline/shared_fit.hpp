#pragma once

#include <cstddef>

#include "perfmodel/pipeline/fit_runs.hpp"

namespace perfmodel {

/// Of the tasks of a fit that calls can share, the numbers of the first of each kind: fits with
/// several seeds from 0, then samples of a bootstrap, then folds.
struct SharedTasks {
  std::size_t samples = 0;
  std::size_t folds = 0;
};

SharedTasks shared_tasks(const FitRequest& request);

/// All of them.
std::size_t shared_task_count(const PreparedFit& prepared, const FitRequest& request);

/// Does the tasks of `request.share`, a shard. Samples of a bootstrap need the model itself, which
/// every shard fits. Throws Interrupted after a stop request.
void fit_shared_tasks(const PreparedFit& prepared, const FitRequest& request);

}  // namespace perfmodel
