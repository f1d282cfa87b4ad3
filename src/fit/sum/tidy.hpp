#pragma once

#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

/// Sets factors of levels and regimes to exactly 0 that take a term below 1e-4 of the time of
/// every row they apply to: the term does not exist there. Not where the loss would notice.
void switch_off_negligible_factors(FittedModel& model, const Design& training, Loss loss);

/// Orders the terms of a sum by their share of the time, the largest first.
void order_by_share(FittedModel& model, const Design& training);

}  // namespace perfmodel
