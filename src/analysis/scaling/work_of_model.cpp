#include "analysis/scaling/work_of_model.hpp"

#include <algorithm>

namespace perfmodel::scaling {

WorkColumns work_columns(const FittedModel& model, const std::string& scale,
                         const std::vector<std::string>& moved) {
  WorkColumns work{scale, model.spec.target, {}, {}};
  if (model.spec.throughput && model.spec.throughput->work.empty())
    work.throughput = model.spec.throughput->column;
  // What a configuration holds, not what is derived from it: a batch per worker that is computed
  // from the batch of all shrinks as the workers grow.
  const std::vector<CategoricalInput>& names = model.spec.categorical;
  for (const std::string& other : required_columns(model.spec))
    if (other != scale && std::find(moved.begin(), moved.end(), other) == moved.end() &&
        std::none_of(names.begin(), names.end(),
                     [&](const CategoricalInput& input) { return input.column == other; }))
      work.held.push_back(other);
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
