#pragma once

#include <vector>

#include "pipeline/group_fits.hpp"

namespace perfmodel {

/// The form that the groups of each target shall share, in the order of the targets, chosen on the
/// training rows of some of them: of those with many rows, evenly over the file. None of a target
/// of which less than two groups can be used. Of a stop request, what was chosen until then.
std::vector<SetForm> share_forms(const GroupJob& job, const FitRequest& request);

}  // namespace perfmodel
