#pragma once

#include "fit/process/residual_process.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

/// Which constants of the trend the runs determine beside the process: their generalised least
/// squares without a prior. `training` are the runs of the fit, `model` a sum or Eq. (4) with the
/// process's constants.
Identifiability identify_beside_process(const FittedModel& model, const Form& trend,
                                        const Design& training,
                                        const process::Whitening& whitening);

}  // namespace perfmodel
