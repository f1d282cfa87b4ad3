#include "analysis/scaling/work_of_model.hpp"

#include <algorithm>

namespace perfmodel::scaling {

WorkColumns work_columns(const FittedModel& model, const std::string& scale,
                         const std::vector<std::string>& moved) {
  WorkColumns work{scale, model.spec.target, {}, {}};
  for (const auto* inputs : {&model.spec.intrinsic, &model.spec.extrinsic})
    for (const NumericInput& other : *inputs)
      if (other.column != scale &&
          std::find(moved.begin(), moved.end(), other.column) == moved.end())
        work.held.push_back(other.column);
  for (const LeftOut& item : model.left_out)
    if (item.because == LeftOut::Because::constant)
      work.held.push_back(item.column);
    else if (!item.factors.empty())
      work.tied.push_back({item.column, item.factors});
  // What is left out is of inputs, never the other way round.
  for (const Tie& tie : model.spec.ties)
    if (tie.scale == scale)
      work.tied.push_back({tie.column, {{scale, tie.power}}});
  return work;
}

}  // namespace perfmodel::scaling
