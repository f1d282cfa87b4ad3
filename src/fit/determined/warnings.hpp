#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fit/determined/findings.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

/// "the model grows as gpus^3.9, up to there as gpus^0.5" beyond the largest value of an extrinsic
/// column, where a term that is small in the measured range takes over and grows faster than in
/// proportion; else empty. Communication that grows with the workers is no such case.
std::string steep_growth(const FittedModel& model, std::size_t extrinsic);

/// What the reader of the constants should know: too few rows, levels without a training row,
/// and what was found about its constants.
std::vector<Warning> find_warnings(const FittedModel& model, const Design& training,
                                   const Findings& findings);

/// The same for a sum of product terms, and where it should not be extrapolated.
std::vector<Warning> find_multi_warnings(const FittedModel& model, const Design& training,
                                         const Findings& findings);

/// Of a form that was to be chosen, where there are too few configurations to say much; also where
/// that is Eq. (4).
void warn_of_few_configurations(const FittedModel& model, const Design& training,
                                std::vector<Warning>& out);

/// The same for a form with a residual process, whose constants are never too many.
std::vector<Warning> find_process_warnings(const FittedModel& model, const Design& training);

}  // namespace perfmodel
