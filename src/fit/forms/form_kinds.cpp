#include "fit/forms/form_kinds.hpp"

#include "fit/fit_generic.hpp"
#include "fit/forms/generic_form.hpp"
#include "fit/forms/sum_form.hpp"
#include "fit/multi/fit_multi.hpp"

namespace perfmodel {

const std::vector<FormKind>& form_kinds() {
  static const std::vector<FormKind> kinds = {
      {to_text(Expression::generic), fit_generic, GenericForm::read},
      {to_text(Expression::multi), fit_multi, SumForm::read}};
  return kinds;
}

}  // namespace perfmodel
