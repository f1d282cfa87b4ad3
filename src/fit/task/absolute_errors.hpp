#pragma once

#include "perfmodel/fit/task/fit_options.hpp"

namespace perfmodel {

/// The options of a fit to the absolute errors of the times, of which the largest times decide.
inline FitOptions with_absolute_errors(FitOptions options) {
  options.loss = Loss::mae;
  options.penalty = {};
  return options;
}

}  // namespace perfmodel
