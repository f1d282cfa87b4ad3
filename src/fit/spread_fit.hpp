#pragma once

#include <memory>
#include <vector>

#include "base/tasks/processes.hpp"
#include "fit/eq4/spread/spread_rows.hpp"
#include "perfmodel/fit/task/fit_options.hpp"
#include "perfmodel/model/columns/spec.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// The rows of a fit of Eq. (4) that stay with the processes of a job; every process makes its part
/// from its blocks, in the order that fit() has for the rows of `sample`, to which the search is
/// done.
std::unique_ptr<SpreadRows> spread_rows(Processes& processes, const ModelSpec& spec,
                                        const Design& sample, std::vector<Design> blocks,
                                        const FitOptions& options);

}  // namespace perfmodel
