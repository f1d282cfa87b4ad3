#include "fit/choose/fit_auto.hpp"

#include <utility>

#include "fit/choose/form_selection.hpp"
#include "fit/residual/fit_with_process.hpp"

namespace perfmodel {
namespace {

FittedModel fitted_form(const SumChoice& sums, const FormSelection& selection) {
  const SelectionTask& task = sums.task();
  const FormCandidate& chosen = selection.tried[*selection.chosen];
  if (chosen.from_nothing)
    return product_with_process(task.spec, task.training, task.options, *chosen.process);
  return with_process(sums.fitted(chosen.trend), task.training, task.options, *chosen.process);
}

}  // namespace

FittedModel fit_auto(const ModelSpec& spec, const Design& training, const FitOptions& options) {
  SumChoice sums(spec, training, options);
  const auto without_process = [&] {
    sums.look_closer();
    return sums.fitted();
  };
  if (options.residual == Residual::none || options.stop.stop_requested())
    return without_process();
  if (sums.selection().folds.empty()) {  // too few configurations
    return options.residual == Residual::process ? product_with_process(spec, training, options, {})
                                                 : sums.fitted();
  }
  const FormSelection selection = select_form(sums);
  if (!selection.chosen)  // a stop was requested
    return sums.fitted();
  FittedModel model =
      selection.tried[*selection.chosen].process ? fitted_form(sums, selection) : without_process();
  model.search.form = sums.facts();
  model.search.form->candidates += selection.tried.size();
  model.search.form->held_out = selection.compared();
  return model;
}

}  // namespace perfmodel
