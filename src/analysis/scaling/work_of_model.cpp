#include "analysis/scaling/work_of_model.hpp"

#include <algorithm>

#include "data/formula.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel::scaling {
namespace {

/// Whether the work of a throughput stays the same where these columns do: the time is then of so
/// many samples, as without work it is of one.
bool stays_the_same(const std::string& work, const std::vector<std::string>& held) {
  const auto is_held = [&](const std::string& name) {
    return std::find(held.begin(), held.end(), name) != held.end();
  };
  if (work.empty() || is_held(work))
    return true;
  try {
    const std::vector<std::string> names = Formula::names_in(work, Sentence(Field{"work"}));
    return std::all_of(names.begin(), names.end(), is_held);
  } catch (const UsageError&) {  // a column whose name is no formula
    return false;
  }
}

}  // namespace

WorkColumns work_columns(const FittedModel& model, const std::string& scale,
                         const std::vector<std::string>& moved) {
  WorkColumns work{scale, model.spec.target, {}, {}};
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
  if (model.spec.throughput && stays_the_same(model.spec.throughput->work, work.held))
    work.throughput = model.spec.throughput->column;
  return work;
}

}  // namespace perfmodel::scaling
