#pragma once

#include <string>
#include <vector>

#include "analysis/scaling/kind_of_work.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel::scaling {

/// The columns of a model beside the scale, those that stayed the same in its runs among them.
/// `moved` are inputs that move along with the scale.
WorkColumns work_columns(const FittedModel& model, const std::string& scale,
                         const std::vector<std::string>& moved);

}  // namespace perfmodel::scaling
