#include "fit/choose/fit_auto.hpp"

#include <utility>
#include <vector>

#include "fit/choose/form_selection.hpp"
#include "fit/determined/warnings.hpp"
#include "fit/residual/fit_with_process.hpp"

namespace perfmodel {
namespace {

FittedModel fitted_with_process(const SumChoice& sums, const FormSelection& selection,
                                const FormCandidate& chosen) {
  const SelectionTask& task = sums.task();
  if (chosen.from_nothing)
    return product_with_process(task.spec, task.training, task.options, *chosen.process);
  const bool held = chosen.process->prior == TrendPrior::held;
  return with_process(held ? sums.fitted_to_largest(chosen.trend) : sums.fitted(chosen.trend),
                      task.training, task.options, *chosen.process, selection.error_within(chosen));
}

FittedModel fitted_sum(SumChoice& sums, const FormSelection& selection,
                       const FormCandidate& chosen) {
  const SelectionTask& task = sums.task();
  sums.look_closer();
  FittedModel alone = sums.fitted();
  const FormCandidate* beside = selection.chosen_with_process();
  if (beside != nullptr && needs_process(alone, task.training, task.options, *beside->process,
                                         selection.error_within(chosen)))
    return fitted_with_process(sums, selection, *beside);
  return alone;
}

}  // namespace

FittedModel fit_auto(const ModelSpec& spec, const Design& training, const FitOptions& options) {
  SumChoice sums(spec, training, options);
  if (options.residual == Residual::none || options.stop.stop_requested()) {
    sums.look_closer();
    return sums.fitted();
  }
  if (sums.selection().folds.empty()) {  // too few configurations
    return options.residual == Residual::process ? product_with_process(spec, training, options, {})
                                                 : sums.fitted();
  }
  const FormSelection selection = select_form(sums);
  if (!selection.chosen)  // a stop was requested
    return sums.fitted();
  const FormCandidate& chosen = selection.tried[*selection.chosen];
  FittedModel model = chosen.process ? fitted_with_process(sums, selection, chosen)
                                     : fitted_sum(sums, selection, chosen);
  model.search.form = sums.facts();
  model.search.form->candidates += selection.tried.size();
  model.search.form->held_out = selection.compared();
  // That the form is the best of so many is known only here.
  std::erase_if(model.warnings,
                [](const Warning& warning) { return warning.kind == "few_configurations"; });
  warn_of_few_configurations(model, training, model.warnings);
  return model;
}

}  // namespace perfmodel
