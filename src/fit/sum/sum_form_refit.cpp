#include "fit/sum/form/sum_form.hpp"
#include "fit/sum/refit.hpp"
#include "fit/sum/terms/sum_parts.hpp"

// Above the search for sums, which itself makes forms.

namespace perfmodel {

std::size_t SumForm::constants_in_use(const FittedModel& model) const {
  return free_constants(sum_parts(model));
}

std::unique_ptr<Refit> SumForm::refit(const FittedModel& model, const Design&,
                                      const FitOptions& options) const {
  return std::make_unique<SumRefit>(model, options);
}

}  // namespace perfmodel
