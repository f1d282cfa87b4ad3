#pragma once

#include "perfmodel/fit/result/fitted_model.hpp"
#include "perfmodel/fit/task/fit_options.hpp"

namespace perfmodel {

/// Fits the expression together with a Gaussian process of what it leaves. The trend of one term is
/// a product without C, from nothing; any other starts from the ordinary fit of squared logarithms.
///
/// Throws UsageError for a loss, a penalty or a method, which have no place there.
FittedModel fit_with_process(const ModelSpec& spec, const Design& training,
                             const FitOptions& options);

}  // namespace perfmodel
