#include "fit/form_kinds.hpp"

#include "fit/eq4/fit_generic.hpp"
#include "fit/eq4/generic_form.hpp"
#include "fit/residual/fit_with_process.hpp"
#include "fit/residual/process_form.hpp"
#include "fit/sum/fit_multi.hpp"
#include "fit/sum/form/sum_form.hpp"

namespace perfmodel {

const std::vector<FormKind>& form_kinds() {
  static const std::vector<FormKind> kinds = {
      {to_text(Expression::generic), fit_generic, GenericForm::read},
      {to_text(Expression::multi), fit_multi, SumForm::read},
      {to_text(Residual::process), fit_with_process, ProcessForm::read}};
  return kinds;
}

}  // namespace perfmodel
