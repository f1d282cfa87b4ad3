#include "fit/choose/fit_auto.hpp"

#include "fit/choose/form_selection.hpp"
#include "fit/sum/choose/choice.hpp"

namespace perfmodel {

FittedModel fit_auto(const ModelSpec& spec, const Design& training, const FitOptions& options) {
  const SumChoice sums(spec, training, options);
  if (options.residual == Residual::none || sums.selection().folds.empty() ||
      options.stop.stop_requested())
    return sums.fitted();
  const FormSelection selection = select_form(sums);
  if (!selection.chosen.process)
    return sums.fitted();
  const FormCandidate& chosen = selection.chosen;
  if (chosen.from_nothing)
    return product_with_process(spec, training, options, *chosen.process);
  return with_process(sums.fitted(chosen.trend), training, options, *chosen.process);
}

}  // namespace perfmodel
