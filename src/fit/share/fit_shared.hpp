#pragma once

#include "fit/share/judged_group.hpp"

namespace perfmodel {

/// Fits the form of `options.shared_form`, or what `own` chooses, whichever is expected to predict
/// further rows of the group better: as it was for groups of as many rows, where these agree, else
/// as it is for held-out rows of the group itself, weighed with what is known of the others.
FittedModel fit_shared(const ModelSpec& spec, const Design& training, const FitOptions& options,
                       OwnFit own);

}  // namespace perfmodel
